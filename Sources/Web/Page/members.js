// Who is in a place: a few names on a line, or a row for each with its evidence.
import { attribute, el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { deviation, distance, level, typeface } from './figures.js';
import { iconOf, nameOf, store } from './store.js';
import { thingIcon } from './thing-icon.js';
import { reasons, sinceText } from './reasons.js';

let rem = 16;
const isNarrow = matchMedia('(max-width: 720px)');
/** How many names stand side by side before their width is known; the others are counted. */
const few = () => isNarrow.matches ? 3 : 6;

/** As many names as fit on a line, and how many more there are: a button that shows all. */
export function names(onMore) {
  const row = el('span.names'), more = el('button.more', { type: 'button', onclick: onMore }), node = el('span.who', {}, row, more);
  const update = list(row, name);
  let width = 0, now = null;
  // What is measured without being asked for needs no layout of its own.
  new ResizeObserver(([{ contentRect }]) => { const was = width; width = contentRect.width; rem = parseFloat(getComputedStyle(document.documentElement).fontSize); if (width !== was && now) draw(...now); }).observe(node);

  function draw(beacons, place) {
    const most = fitting(beacons, width), rest = beacons.length - most;
    update(beacons.slice(0, most).map((one) => ({ ...one, place })), (one) => one.beacon);
    show(more, rest > 0);
    if (rest > 0) { say(more, `+${rest}`); attribute(more, 'aria-label', words.now.all(beacons.length, rest, place)); }
  }
  return { node, more, update(...told) { now = told; draw(...told); } };
}

/** How many of the first names fit side by side: at least one, which may be cut. */
function fitting(beacons, width) {
  if (!width) return Math.min(beacons.length, few());
  let left = width;
  for (const [i, one] of beacons.entries()) {
    const own = Math.min(wide(nameOf(one), 0.9375 * rem) + (one.near ? rem : 0) + (iconOf(one.beacon) ? 1.4 * rem : 0), 14 * rem), rest = i + 1 < beacons.length ? 3.6 * rem : 0;
    if (left - own < rest && i > 0) return i;
    left -= own + 0.75 * rem;
  }
  return beacons.length;
}
const pen = document.createElement('canvas').getContext('2d');
function wide(text, size) {
  pen.font = `${size}px ${typeface}`;
  return pen.measureText(text).width + 2;
}

function name({ beacon }) {
  let now = null;
  const icon = thingIcon(), text = document.createTextNode(''), node = link(['beacon', beacon], icon.node, text);
  node.addEventListener('pointerenter', () => attribute(node, 'title', [nameOf(now), sinceText(now), reasons.of(now)].filter(Boolean).join('\n')));
  return { node, update(one) { now = one; icon.update(beacon); say(text, nameOf(one)); attribute(node, 'data-near', one.near === true); } };
}

/** Name, owner and icon. */
export function renameButton(beacon) {
  const node = el('button.quiet.rename', { type: 'button', text: '✎', hidden: true, onclick: async () => (await import('./rename.js')).rename(beacon) });
  return {
    node,
    update(name) {
      const isOffered = store.overview?.rights.write === true && store.overview.configuration_file != null;
      show(node, isOffered);
      if (isOffered) attribute(node, 'aria-label', words.naming.rename(name));
    },
  };
}

/** A few names with their distances; nearest first. */
export function outside(beacons) {
  const names = beacons.slice(0, 3).map((one) => `${nameOf(one)} ${one.distance_m != null ? distance(one.distance_m) : level(one.rssi_dbm)}`);
  return beacons.length > 3 ? [...names, words.now.more(beacons.length - 3)] : names;
}

export function stateBadge() {
  const text = el('span'), number = el('span.count'), node = el('span.badge', {}, text, number);
  return {
    node,
    update(state, count) {
      attribute(node, 'data-state', state);
      say(text, words.state[state] ?? state);
      say(number, count > 0 ? String(count) : '');
      show(number, count > 0);
    },
  };
}

export function member({ beacon }) {
  const icon = thingIcon(), name = link(['beacon', beacon]), near = el('span.tag', { 'data-event': 'near', text: words.feed.event.near });
  const amount = el('span.amount'), spread = el('span.spread'), since = el('span'), because = el('span');
  const node = el('li', { 'data-beacon': beacon },
    el('span.who', {}, icon.node, name, near), el('span.measure', {}, amount, spread), el('span.why', {}, since, because));
  return {
    node,
    update(one) {
      icon.update(beacon);
      say(name, nameOf(one));
      show(near, one.near === true);
      if (one.probability != null) {
        say(amount, words.feed.sure(one.probability));
      } else {
        say(amount, one.distance_m != null ? distance(one.distance_m) : one.rssi_dbm != null ? level(one.rssi_dbm) : '');
        say(spread, deviation(one.distance_sd_m));
      }
      say(since, sinceText(one));
      say(because, reasons.of(one));
    },
  };
}
