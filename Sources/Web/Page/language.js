// The reader's language, of those that the page knows, and how the reader's country writes numbers and times.
/** A wish of the browser, in the digits that the page draws; null: it is no name of a language. */
function named(wish) {
  try { return new Intl.Locale(wish.replace('_', '-'), { numberingSystem: 'latn' }).toString(); } catch { return null; }
}
const wishes = navigator.languages?.length ? navigator.languages : [navigator.language || 'en'];
const wish = wishes.map((one) => named(one) ?? named(one.slice(0, 2))).find((one) => /^(en|de)\b/i.test(one ?? '')) ?? named('en');
export const language = wish.slice(0, 2).toLowerCase();
/** English without a country is written as in Britain: 24 hours, the day before the month. */
export const locale = /^en(-u-|$)/i.test(wish) ? 'en-GB' : wish;
/** 2.5 or 2,5. */
export const decimalMark = new Intl.NumberFormat(locale).format(1.5).charAt(1);
const chosen = () => { try { return localStorage.getItem('lengths'); } catch { return null; } };
/** Lengths as the reader has chosen, or else as their country measures them. */
export const lengthUnit = ['m', 'ft'].find((one) => one === chosen()) ?? (/-(LR|US)\b/i.test(locale) ? 'ft' : 'm');
const root = document.documentElement;
root.lang = language;
// How wide a time is: 23:59:59, or 11:59:59 PM.
root.style.setProperty('--clock', new Intl.DateTimeFormat(locale, { hour: 'numeric' }).resolvedOptions().hour12 ? '6rem' : '4.6rem');
