// Who is in a place: a few names on a line, or a row for each with its evidence.
import { attribute, el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { deviation, distance, duration, level } from './figures.js';
import { gatewayTime, nameOf } from './store.js';

const isNarrow = matchMedia('(max-width: 720px)');
/** How many names stand side by side; the others are counted. */
export const few = () => isNarrow.matches ? 3 : 6;

/** A few names, and how many more there are: a button that shows all. */
export function names(onMore) {
  const row = el('span.names'), more = el('button.more', { type: 'button', onclick: onMore });
  const update = list(row, name);
  return {
    node: el('span.who', {}, row, more), more,
    update(beacons, place, most = few()) {
      update(beacons.slice(0, most), (one) => one.beacon);
      const rest = beacons.length - most;
      show(more, rest > 0);
      if (rest > 0) { say(more, most ? `+${rest}` : String(rest)); attribute(more, 'aria-label', words.now.all(beacons.length, rest, place)); }
    },
  };
}

function name({ beacon }) {
  const node = link(['beacon', beacon]);
  return { node, update(one) { say(node, nameOf(one)); attribute(node, 'data-near', one.near === true); attribute(node, 'title', nameOf(one)); } };
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
  const name = link(['beacon', beacon]), near = el('span.tag', { 'data-event': 'near', text: words.feed.event.near });
  const amount = el('span.amount'), spread = el('span.spread'), since = el('span'), because = el('span');
  const node = el('li', { 'data-beacon': beacon },
    el('span.who', {}, name, near), el('span.measure', {}, amount, spread), el('span.why', {}, since, because));
  return {
    node,
    update(one) {
      say(name, nameOf(one));
      show(near, one.near === true);
      if (one.probability != null) {
        say(amount, words.feed.sure(one.probability));
      } else {
        say(amount, one.distance_m != null ? distance(one.distance_m) : one.rssi_dbm != null ? level(one.rssi_dbm) : '');
        say(spread, deviation(one.distance_sd_m));
      }
      say(since, words.now.since(duration(gatewayTime() - Date.parse(one.since))));
      say(because, one.because ? words.because(one.because) : '');
    },
  };
}
