// Who is where on the plan: over the drawing, and as tiles for places that are not on it.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { member, names, stateBadge } from './members.js';
import { planPeople } from './plan-people.js';
import { reasons } from './reasons.js';

/** A room, or a zone where there are no rooms; null: in no room. */
const nameOf = (place) => place.room ?? place.zone ?? words.plan.nowhere;
const roomKey = (room) => `room ${room}`, keyOf = (place) => place.room != null ? roomKey(place.room) : `zone ${place.zone ?? ''}`;

/** Who is in no room, by the zones that they are in all the same; the last place is for those who are in none. */
function nowhere({ beacons, zones }) {
  const lost = new Set(beacons.filter((one) => one.room === null && one.last_seen).map((one) => one.beacon));
  const places = zones.map((zone) => ({ ...zone, beacons: zone.beacons.filter((one) => lost.has(one.beacon)), isPart: true }));
  for (const place of places) for (const one of place.beacons) lost.delete(one.beacon);
  return [...places, { beacons: beacons.filter((one) => lost.has(one.beacon)) }].filter((place) => place.beacons.length).map((place) => ({ ...place, count: place.beacons.length }));
}

export function planRooms() {
  const tiles = el('div.tiles'), all = everybody(), people = planPeople((room) => all.open(roomKey(room)));
  const updateTiles = list(tiles, (place) => tile(place, () => all.open(keyOf(place))));
  return {
    layer: people.layer, tiles, all: all.node, end: people.end,
    /** Where everything is on the screen. */
    place: people.place,
    /** `outlined`: the names of the rooms that are drawn; `chosen`: the beacon that is searched for. */
    update(overview, outlined, chosen) {
      const rooms = overview.rooms?.length ? overview.rooms : null, places = rooms ?? overview.zones;
      const others = [...places.filter((one) => !outlined.has(one.room)), ...rooms && overview.until == null ? nowhere(overview) : []];
      people.update(places.filter((one) => outlined.has(one.room)), chosen);
      updateTiles(others, keyOf);
      show(tiles, others.length > 0);
      all.update([...places, ...others]);
    },
  };
}

function tile(place, onMore) {
  const title = el('h2'), badge = stateBadge(), part = el('span.note'), who = names(onMore);
  say(title, nameOf(place));
  const node = el('section.tile', { [`data-${place.room != null ? 'room' : 'zone'}`]: nameOf(place) }, el('div.tile-head', {}, title, badge.node, part), who.node);
  return {
    node,
    update(one) {
      attribute(node, 'data-state', one.state);
      badge.update(one.state, one.count);
      // The zone has others in rooms.
      show(badge.node, !one.isPart);
      say(part, one.isPart ? `${one.count} ${words.plan.nowhere}` : '');
      show(who.node, one.beacons.length > 0);
      who.update(one.beacons, nameOf(place));
    },
  };
}

/** Everybody in one room, below the plan. */
function everybody() {
  const title = el('h2', { tabindex: -1 }), rows = el('ul.members'), update = list(rows, member);
  const close = el('button', { type: 'button', text: words.close, onclick: () => { open = null; show(node, false); } });
  const node = el('section.sheet.everybody', { hidden: true, 'aria-label': words.plan.everybody }, el('div.head', {}, title, el('span.spacer'), close), rows);
  let open = null, places = [];
  function draw() {
    const place = open === null ? null : places.find((one) => keyOf(one) === open);
    show(node, place != null);
    if (!place) return;
    say(title, words.plan.everybodyIn(place.count, nameOf(place)));
    const members = place.beacons.map((one) => ({ ...one, place: nameOf(place) }));
    update(members, (one) => one.beacon);
    if (place.room != null) reasons.askAll(place.room, members).then((isNew) => { if (isNew) draw(); });
  }
  return {
    node,
    update(now) { places = now; draw(); },
    open(key) {
      open = key;
      draw();
      title.focus();
    },
  };
}
