// Every sentence of the page that is not a name, in the reader's language. To translate the page, translate each …words-en.js,
// and name the language in each …words.js and in language.js.
import { language } from './language.js';
import { words as english } from './words-en.js';

export const { words } = language === 'de' ? await import('./words-de.js') : { words: english };
