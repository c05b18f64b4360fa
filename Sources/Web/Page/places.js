// Rooms and zones, a line each: its name, its state, a few names. A line unfolds to everybody with the evidence, and a zone's strip.
import { attribute, el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { member, names, outside, stateBadge } from './members.js';
import { rangeStrip } from './range-strip.js';
import { keep, kept } from './route.js';

/** With fewer beacons than this there is room for all that is known of a zone. */
const smallHome = 7;

export function places() {
  const rooms = el('ul.lines'), zones = el('ul.lines');
  const updateRooms = list(rooms, (one) => line('room', one.room)), updateZones = list(zones, (one) => line('zone', one.zone));
  return {
    rooms, zones,
    update(overview) {
      const isSmall = overview.beacons.length < smallHome;
      updateRooms((overview.rooms ?? []).map((one) => ({ ...one, isOpen: false })), (one) => one.room);
      updateZones(overview.zones.map((one) => ({ ...one, isOpen: isSmall })), (one) => one.zone);
    },
  };
}

let lines = 0;
function line(kind, place) {
  const id = `line-${++lines}`, key = `open ${kind} ${place}`;
  const title = el('h3', {}, kind === 'zone' ? link(['zone', place]) : el('span')), badge = stateBadge(), floor = el('span.note');
  const fold = el('button.quiet.fold', { type: 'button', 'aria-controls': id, onclick: () => choose(!isOpen) }), few = names(() => choose(true));
  const strip = kind === 'zone' ? rangeStrip(place) : null, unknown = el('p.note', { text: words.unknownWhy }), ofRooms = el('p.note');
  const members = el('ul.members'), updateMembers = list(members, member), approaching = el('p.note');
  const body = el('div.unfolded', { id }, strip?.node, ofRooms, unknown, members, approaching);
  const node = el('li.line', { [`data-${kind}`]: place }, el('div.line-head', {}, title, floor, badge.node, few.node, fold), body);
  let now = null, isOpen = false, chosen = kept(key);
  say(title.firstChild, place);

  function choose(wanted) {
    keep(key, chosen = wanted);
    update(now);
    if (!wanted) return;
    fold.focus({ preventScroll: true });
  }

  function update(one) {
    now = one;
    isOpen = chosen ?? one.isOpen;
    attribute(node, 'data-state', one.state);
    attribute(node, 'data-open', isOpen);
    badge.update(one.state, one.count);
    say(floor, one.floor ?? '');
    show(floor, one.floor != null);
    attribute(fold, 'aria-expanded', isOpen);
    attribute(fold, 'aria-label', words.now.who(place));
    show(few.node, !isOpen && one.beacons.length > 0);
    if (!isOpen) few.update(one.beacons, place);
    show(body, isOpen);
    if (!isOpen) return;
    show(unknown, one.state === 'unknown');
    show(ofRooms, kind === 'zone' && one.rooms != null);
    if (one.rooms != null) say(ofRooms, words.now.ofRooms(one.rooms));
    if (strip) { show(strip.node, !one.rooms); if (!one.rooms) strip.update(one); }
    updateMembers(one.beacons.map((each) => ({ ...each, place })), (each) => each.beacon);
    show(members, one.beacons.length > 0);
    const coming = one.approaching?.length ?? 0;
    show(approaching, coming > 0);
    if (coming) say(approaching, words.now.approaching(outside(one.approaching)));
  }
  return { node, update };
}
