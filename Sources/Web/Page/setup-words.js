// The sentences of the setup, in the reader's language.
import { language } from './language.js';
import { words as english } from './setup-words-en.js';

export const { words } = language === 'de' ? await import('./setup-words-de.js') : { words: english };
