// The sentences of the enrolment, in the reader's language.
import { language } from './language.js';
import { words as english } from './enrol-words-en.js';

export const { words } = language === 'de' ? await import('./enrol-words-de.js') : { words: english };
