// Views that are large, or that few open, are loaded when somebody opens them.
import { el, say, visible } from './dom.js';
import { words } from './words.js';
import { nameOf, store } from './store.js';

/** `name`: of a view that follows its address. */
const later = (titled, load, name) => (...rest) => {
  const title = typeof titled === 'function' ? titled(rest[0]) : titled;
  const waiting = el('p.waiting', { role: 'status', text: words.loading }), node = el('div', {}, el('h1.unseen', { text: visible(title) }), waiting);
  let view = null, isEnded = false;
  load().then((make) => make(...rest)).then((made) => {
    if (isEnded) { made.end?.(); return; }
    view = made;
    node.replaceChildren(view.node);
    view.update?.(store);
  }, () => say(waiting, words.offline));
  return { title, name, node, go: name && ((...now) => { rest = now; view?.go(...now); }), update: (state) => view?.update?.(state), end() { isEnded = true; view?.end?.(); } };
};

export const beaconView = later((beacon) => nameOf({ beacon }), async () => (await import('./beacon.js')).beaconView);
export const zoneView = later((zone) => zone, async () => (await import('./zone.js')).zoneView);
export const diaryView = later(words.diary.title, async () => (await import('./diary.js')).diaryView, 'diary');
export const drawView = later(words.plan.draw, async () => (await import('./draw.js')).drawView);
export const settingsView = later(words.settings.title, async () => (await import('./settings.js')).settingsView);
export const strangersView = later(words.strangers.title, async () => (await import('./strangers.js')).strangersView);
export const setupView = later(words.setup.title, async () => (await import('./setup.js')).setupView, 'setup');
