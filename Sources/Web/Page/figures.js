// Amounts and times as text. Numbers keep a fixed number of decimals, so that they do not jump while they change.
/** The type of the page, for canvases. */
export const typeface = 'Inter, -apple-system, "Segoe UI Variable Text", "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, system-ui, sans-serif';

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const shortClock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' });
const grouped = new Intl.NumberFormat('en-GB');
const narrow = '\u202F', minus = '\u2212';

export const plain = (n) => grouped.format(n);
export const number = (n, decimals = 1) => {
  const text = Math.abs(n).toFixed(decimals);
  return n < 0 && Number(text) !== 0 ? minus + text : text;
};
/** The shortest form: 2, 2.5. */
export const short = (n) => String(Math.round(n * 100) / 100).replace('-', minus);

export const metres = (n) => n == null ? '–' : `${short(n)}${narrow}m`;
export const decibels = (n) => n == null ? '–' : `${short(Math.round(n * 10) / 10)}${narrow}dBm`;
/** A measured signal, without tenths, which would only flicker. */
export const level = (n) => n == null ? '–' : `${short(Math.round(n))}${narrow}dBm`;
export const percent = (p) => p == null ? '–' : `${Math.round(p * 100)}${narrow}%`;
export const seconds = (n) => `${short(Math.round(n * 10) / 10)}${narrow}s`;

export const distance = (m) => m == null ? '–' : `${number(m, m < 10 ? 1 : 0)}${narrow}m`;
export const deviation = (m) => m == null ? '' : `± ${number(m, m < 10 ? 1 : 0)}`;
export const decisive = (value, unit) => unit === 'dBm' ? decibels(value) : metres(value);

/** A length of time: 4 s, 3 min, 2 h 5 min, 3 days. */
export function duration(ms) {
  const s = Math.max(0, Math.round(ms / 1000));
  if (s < 60) return `${s}${narrow}s`;
  const min = Math.floor(s / 60);
  if (min < 60) return `${min}${narrow}min`;
  const h = Math.floor(min / 60);
  if (h < 48) return min % 60 ? `${h}${narrow}h ${min % 60}${narrow}min` : `${h}${narrow}h`;
  return `${Math.floor(h / 24)} days`;
}

/** A countdown: 12.3 s, 2:05. */
export function countdown(ms) {
  const s = Math.max(0, ms / 1000);
  if (s < 60) return `${s.toFixed(s < 10 ? 1 : 0)}${narrow}s`;
  return `${Math.floor(s / 60)}:${String(Math.floor(s % 60)).padStart(2, '0')}`;
}

export const interval = (s) => s == null ? '–' : s < 1 ? `${Math.round(s * 1000)}${narrow}ms` : `${number(s)}${narrow}s`;
export const timeOf = (ms) => clock.format(ms);
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
/** A time, with its day if that is not today. */
export const momentOf = (ms, now) => day.format(ms) === day.format(now) ? timeOf(ms) : `${day.format(ms)} ${timeOf(ms)}`;
export const minuteOf = (ms) => shortClock.format(ms);
export const dateOf = (ms) => full.format(ms);
export const since = (span) => clock.format(span.from);
export const milliseconds = (text) => Date.parse(text);

/** temperature_c → Temperature, 21.3 °C. The names of readings end in their unit. */
const units = {
  c: '°C', percent: '%', pct: '%', hpa: 'hPa', pa: 'Pa', mv: 'mV', v: 'V', g: 'g', mg: 'mg', dbm: 'dBm', lux: 'lx', lx: 'lx',
  w: 'W', kwh: 'kWh', a: 'A', kg: 'kg', mm: 'mm', m: 'm', s: 's', ppm: 'ppm', ms2: 'm/s²', ugm3: 'µg/m³', hz: 'Hz', deg: '°',
};
export function reading(name, value) {
  const [, stem, twin] = /^(.*?)(_\d+)?$/.exec(name);
  const at = stem.lastIndexOf('_'), unit = at > 0 ? units[stem.slice(at + 1)] : undefined;
  const label = (unit ? stem.slice(0, at) : stem).replaceAll('_', ' ') + (twin ? ` ${twin.slice(1)}` : '');
  const shown = typeof value === 'number' ? short(value) : value === true ? 'yes' : value === false ? 'no' : String(value);
  return { label: label.charAt(0).toUpperCase() + label.slice(1), text: unit ? `${shown}${narrow}${unit}` : shown };
}
