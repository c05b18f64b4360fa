// Light or dark: like the system, until the user chooses.
import { attribute, el, svg } from './dom.js';
import { words } from './words.js';

const system = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set();
export const onTheme = (listener) => { listeners.add(listener); return () => listeners.delete(listener); };

const kept = () => { try { return localStorage.getItem('theme'); } catch { return null; } };
const isDark = () => (kept() ?? (system.matches ? 'dark' : 'light')) === 'dark';

function apply() {
  document.documentElement.dataset.theme = isDark() ? 'dark' : 'light';
  for (const listener of listeners) listener();
}
apply();
system.addEventListener('change', apply);
// Paper is white, also for what is painted.
addEventListener('beforeprint', () => { document.documentElement.dataset.theme = 'light'; for (const listener of listeners) listener(); });
addEventListener('afterprint', apply);

export function themeButton() {
  const moon = svg('path', { d: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z' });
  const button = el('button.quiet.round', { type: 'button', id: 'theme' },
    svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, moon));
  const label = () => { attribute(button, 'aria-label', words.theme(isDark())); attribute(button, 'title', words.theme(isDark())); };
  button.addEventListener('click', () => {
    const wanted = isDark() ? 'light' : 'dark';
    try {
      // A choice that equals the system's setting follows the system again.
      if ((wanted === 'dark') === system.matches) localStorage.removeItem('theme');
      else localStorage.setItem('theme', wanted);
    } catch { document.documentElement.dataset.theme = wanted; }
    apply();
    label();
  });
  system.addEventListener('change', label);
  label();
  return button;
}

/** The colours of the page, for canvases. */
export function colours(names) {
  const style = getComputedStyle(document.documentElement);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

/** Colours that distinguish receivers; their marks also differ in shape. */
export const series = () => Array.from({ length: 8 }, (_, i) => colours([`series-${i}`])[`series-${i}`]);
export const calm = matchMedia('(prefers-reduced-motion: reduce)');
