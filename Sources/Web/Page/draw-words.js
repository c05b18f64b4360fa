// The sentences of the drawing board, in the reader's language.
import { language } from './language.js';
import { words as english } from './draw-words-en.js';

export const { words } = language === 'de' ? await import('./draw-words-de.js') : { words: english };
