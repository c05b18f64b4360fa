// Every sentence of the page that is not a name, in the reader's language. To translate the page, translate words-en.js, draw-words-en.js
// and setup-words-en.js, and name the language here, in draw-words.js, setup-words.js and language.js.
import { language } from './language.js';
import { words as english } from './words-en.js';

export const { words } = language === 'de' ? await import('./words-de.js') : { words: english };
