// One zone: its state, its thresholds and beacons on a strip of distance, and its members, with times and evidence.
import { attribute, el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { deviation, distance, level, duration } from './figures.js';
import { gatewayTime, nameOf } from './store.js';
import { rangeStrip } from './range-strip.js';

export function zoneCard({ zone }) {
  const badge = stateBadge(), strip = rangeStrip(zone), unknown = el('p.note', { text: words.unknownWhy });
  const members = el('ul.members'), approaching = el('p.note'), ofRooms = el('p.note');
  const updateMembers = list(members, member);
  const title = el('h3', {}, link(['zone', zone]));
  say(title.firstChild, zone);
  const node = el('article.card', { 'data-zone': zone }, el('header', {}, title, badge.node), strip.node, ofRooms, unknown, members, approaching);
  return {
    node,
    update(now) {
      attribute(node, 'data-state', now.state);
      badge.update(now.state, now.count);
      show(unknown, now.state === 'unknown');
      show(strip.node, !now.rooms);
      show(ofRooms, now.rooms != null);
      if (now.rooms) say(ofRooms, words.now.ofRooms(now.rooms)); else strip.update(now);
      updateMembers(now.beacons, (one) => one.beacon);
      show(members, now.beacons.length > 0);
      const coming = now.approaching?.length ?? 0;
      show(approaching, coming > 0);
      if (coming) say(approaching, words.now.approaching(outside(now.approaching)));
    },
  };
}

/** A few names; nearest first. */
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

function member({ beacon }) {
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
      say(because, one.because ? words.reason(one.because) : '');
    },
  };
}
export { member };
