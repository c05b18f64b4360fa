// Amounts and times as text, as the reader's country writes them. Numbers keep a fixed number of decimals, so that they do not jump
// while they change.
import { decimalMark, lengthUnit, locale } from './language.js';

/** The type of the page, for canvases. */
export const typeface = 'Inter, -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, system-ui, sans-serif';

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const shortClock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const full = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' });
const grouped = new Intl.NumberFormat(locale);
const days = new Intl.NumberFormat(locale, { style: 'unit', unit: 'day', unitDisplay: 'long' });
const narrow = '\u202F', minus = '\u2212';

export const plain = (n) => grouped.format(n);
export const decimal = (n, decimals) => n.toFixed(decimals).replace('.', decimalMark);
export const number = (n, decimals = 1) => {
  const text = Math.abs(n).toFixed(decimals);
  return (n < 0 && Number(text) !== 0 ? minus : '') + text.replace('.', decimalMark);
};
/** As few decimals as it needs, at most so many: 2, 2.5. */
export const rounded = (n, decimals) => String(Math.round(n * 10 ** decimals) / 10 ** decimals).replace('.', decimalMark);
/** The shortest form, with a real minus. */
export const short = (n) => rounded(n, 2).replace('-', minus);

const foot = 0.3048, inFeet = lengthUnit === 'ft';
/** Metres in the reader's unit, and back. */
export const toLength = (m) => inFeet ? m / foot : m;
export const fromLength = (n) => inFeet ? n * foot : n;
/** The same for fields, in which as many digits stand as somebody types. */
export const toField = (m) => inFeet && m != null ? Math.round(m / foot * 100) / 100 : m;
export const fromField = (n) => inFeet && n != null ? Math.round(n * foot * 1000) / 1000 : n;
/** The first round length, in metres, that is long enough. */
export const ruler = (isEnough) => fromLength([0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50].find((n) => isEnough(fromLength(n))) ?? (inFeet ? 300 : 100));
export const metres = (m) => m == null ? '–' : `${short(toLength(m))}${narrow}${lengthUnit}`;
export const decibels = (n) => n == null ? '–' : `${short(Math.round(n * 10) / 10)}${narrow}dBm`;
/** A measured signal, without tenths, which would only flicker. */
export const level = (n) => n == null ? '–' : `${short(Math.round(n))}${narrow}dBm`;
export const percent = (p) => p == null ? '–' : `${Math.round(p * 100)}${narrow}%`;
export const seconds = (n) => `${short(Math.round(n * 10) / 10)}${narrow}s`;

const digits = (n) => number(n, n < 10 ? 1 : 0);
export const distance = (m) => m == null ? '–' : `${digits(toLength(m))}${narrow}${lengthUnit}`;
export const deviation = (m) => m == null ? '' : `± ${digits(toLength(m))}`;
export const decisive = (value, unit) => unit === 'dBm' ? decibels(value) : metres(value);

/** A length of time: 4 s, 3 min, 2 h 5 min, 3 days. */
export function duration(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s}${narrow}s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min}${narrow}min`;
  const h = Math.floor(min / 60);
  if (h < 48) return min % 60 ? `${h}${narrow}h ${min % 60}${narrow}min` : `${h}${narrow}h`;
  return days.format(Math.floor(h / 24));
}

/** A countdown: 12.3 s, 2:05. */
export function countdown(ms) {
  const s = Math.max(0, ms / 1000);
  if (s < 60) return `${decimal(s, s < 10 ? 1 : 0)}${narrow}s`;
  return `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;
}

export const interval = (s) => s == null ? '–' : s < 1 ? `${Math.round(s * 1000)}${narrow}ms` : `${number(s)}${narrow}s`;
export const timeOf = (ms) => clock.format(ms);
const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short' });
/** A time, with its day if that is not today. */
export const momentOf = (ms, now) => day.format(ms) === day.format(now) ? timeOf(ms) : `${day.format(ms)} ${timeOf(ms)}`;
export const minuteOf = (ms) => shortClock.format(ms);
export const dateOf = (ms) => full.format(ms);
export const since = (span) => clock.format(span.from);
export const milliseconds = (text) => Date.parse(text);

const units = {
  c: '°C', percent: '%', pct: '%', hpa: 'hPa', pa: 'Pa', mv: 'mV', v: 'V', g: 'g', mg: 'mg', dbm: 'dBm', lux: 'lx', lx: 'lx',
  w: 'W', kwh: 'kWh', a: 'A', kg: 'kg', mm: 'mm', m: 'm', s: 's', ppm: 'ppm', ms2: 'm/s²', ugm3: 'µg/m³', hz: 'Hz', deg: '°',
};
/** Countries that measure temperatures in degrees Fahrenheit (Unicode CLDR, unitPreferenceData, temperature). */
const isFahrenheit = /-(BS|BZ|KY|PR|PW|US)\b/i.test(locale);
/** temperature_c → Temperature, 21.3 °C. The names of readings end in their unit; `text` are the page's words. */
export function reading(name, value, text) {
  const [, stem, twin] = /^(.*?)(_\d+)?$/.exec(name);
  const at = stem.lastIndexOf('_'), key = at > 0 ? stem.slice(at + 1) : '', unit = units[key];
  const what = unit ? stem.slice(0, at) : stem, label = (text.quantities[what] ?? what.replaceAll('_', ' ')) + (twin ? ` ${twin.slice(1)}` : '');
  const inFahrenheit = key === 'c' && isFahrenheit && typeof value === 'number';
  if (key === 'm' && inFeet && typeof value === 'number') return { label: label.charAt(0).toUpperCase() + label.slice(1), text: metres(value) };
  const shown = inFahrenheit ? rounded(value * 1.8 + 32, 1).replace('-', minus)
    : typeof value === 'number' ? short(value) : value === true ? text.yes : value === false ? text.no : String(value);
  return { label: label.charAt(0).toUpperCase() + label.slice(1), text: unit ? `${shown}${narrow}${inFahrenheit ? '°F' : unit}` : shown };
}
