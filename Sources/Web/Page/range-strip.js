// A zone as a strip from near to far, with the thresholds of near, enter and exit and the beacons.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { decibels, distance, level, metres, short, toLength } from './figures.js';
import { nameOf } from './store.js';

/** Signals decrease as distances increase, so both strips go from near to far. */
function scale(zone) {
  const lines = [zone.near?.threshold, zone.near?.rearm, zone.enter?.threshold, zone.exit?.threshold].filter((one) => one != null);
  if (unit(zone) === 'dBm') {
    const strong = Math.max(-40, ...lines) + 4, weak = Math.min(-80, ...lines) - 8;
    return (dbm) => clamp((strong - dbm) / (strong - weak));
  }
  const least = 0.4, most = Math.max(12, ...lines.map((one) => one * 2.2));
  return (m) => clamp(Math.log(Math.max(m, least) / least) / Math.log(most / least));
}
const clamp = (share) => Math.min(1, Math.max(0, share));
export const unit = (zone) => zone.exit?.threshold != null ? zone.exit.unit : zone.enter?.threshold != null ? zone.enter.unit : zone.near?.unit ?? 'm';

export function rangeStrip(name) {
  const inside = el('span.reach.inside'), between = el('span.reach.between'), near = el('span.reach.near');
  const ticks = el('span.ticks'), heard = el('span.heard-at-all', { text: words.now.presence }), marks = el('span.marks');
  const node = el('div.strip', { role: 'img', 'aria-label': words.now.range(name) }, el('span.track', {}, between, inside, near), ticks, heard, marks);
  const updateTicks = list(ticks, tick), updateMarks = list(marks, mark);
  return {
    node,
    update(zone) {
      const at = scale(zone), isSignal = unit(zone) === 'dBm';
      const enter = zone.enter?.threshold, exit = zone.exit?.threshold;
      put(inside, 0, enter == null ? 1 : at(enter));
      put(between, 0, exit == null ? 1 : at(exit));
      put(near, 0, zone.near ? at(zone.near.threshold) : 0);
      const lines = [['near', zone.near?.threshold], ['enter', enter], ['exit', exit]]
        .filter(([, value]) => value != null).map(([line, value], i, all) => ({ line, share: at(value), text: i < all.length - 1 ? short(isSignal ? value : toLength(value)) : isSignal ? decibels(value) : metres(value) }));
      show(heard, lines.length === 0);
      updateTicks(lines, (one) => one.line);
      const where = (one) => isSignal ? one.rssi_dbm : one.distance_m;
      const beacons = [...zone.beacons.map((one) => ({ ...one, inside: true })), ...zone.approaching ?? []]
        .filter((one) => where(one) != null)
        .map((one) => ({ ...one, share: at(where(one)), ...spread(one, at, isSignal) }));
      // The lines of many would be one line.
      attribute(marks, 'data-many', beacons.length > 3);
      updateMarks(beacons, (one) => one.beacon);
      attribute(node, 'aria-label', `${words.now.range(name)}: ${beacons.map((one) => `${nameOf(one)} ${isSignal ? level(one.rssi_dbm) : distance(one.distance_m)}`).join(', ')}`);
    },
  };
}

function spread(one, at, isSignal) {
  if (isSignal || one.distance_sd_m == null) return { from: null, to: null };
  return { from: at(one.distance_m - one.distance_sd_m), to: at(one.distance_m + one.distance_sd_m) };
}

/** Moves and scales an element that is as wide as the strip. A transform needs no layout; an equal one is not even set. */
function put(node, from, width = 1) {
  const wanted = `translateX(${(from * 100).toFixed(1)}%)${width === 1 ? '' : ` scaleX(${width.toFixed(3)})`}`;
  if (node.style.transform !== wanted) node.style.transform = wanted;
}

function tick({ line }) {
  const amount = el('span'), node = el('span.tick', { 'data-line': line }, amount);
  return {
    node,
    update({ share, text }) {
      put(node, share);
      say(amount, text);
    },
  };
}

function mark() {
  const whisker = el('span.whisker'), lamp = el('span.spot', {}, el('span.lamp')), node = el('span.mark', {}, whisker, lamp);
  return {
    node,
    update(one) {
      attribute(node, 'data-inside', one.inside === true);
      attribute(node, 'data-near', one.near === true);
      put(lamp, one.share);
      show(whisker, one.from != null);
      if (one.from != null) put(whisker, one.from, one.to - one.from);
    },
  };
}
