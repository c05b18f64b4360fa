// The first view: zones and rooms with their members, the state of receivers, and the latest transitions.
import { el, empty, list, panel, say, show, attribute } from './dom.js';
import { words } from './words.js';
import { zoneCard } from './zone-card.js';
import { roomCard } from './room-card.js';
import { beaconTable } from './beacon-table.js';
import { blindStates, receivers } from './receivers.js';
import { phones } from './phones.js';
import { delivery } from './delivery.js';
import { feed } from './feed.js';

export function nowView() {
  const headline = el('p.headline'), trouble = el('p.trouble', { role: 'status' });
  const zones = el('div.cards'), noZones = empty(words.now.noZones);
  const rooms = el('div.cards.rooms'), roomPanel = panel(words.now.rooms, rooms);
  const updateZones = list(zones, zoneCard), updateRooms = list(rooms, roomCard);
  const table = beaconTable(), ears = receivers(), pockets = phones(), post = delivery(), latest = feed();
  const phonePanel = panel(words.now.phones, pockets.node);

  const node = el('div.now', {},
    el('div.hero', {}, el('h1.unseen', { text: words.now.title }), headline, trouble),
    el('div.column.places', {}, area('zones', panel(words.now.zones, noZones, zones)), area('rooms', roomPanel)),
    el('div.column.things', {}, area('beacons', panel(words.now.beacons, table.node)), area('receivers', panel(words.now.receivers, ears.node)),
      area('phones', phonePanel), area('delivery', panel(words.now.delivery, post.node))),
    area('latest', panel(words.now.latest, latest.node)));

  return {
    node, title: words.now.title,
    update({ overview }) {
      summary(headline, trouble, overview);
      show(noZones, overview.zones.length === 0);
      updateZones(overview.zones, (zone) => zone.zone);
      show(roomPanel, overview.rooms?.length > 0);
      updateRooms(overview.rooms ?? [], (room) => room.room);
      table.update(overview);
      ears.update(overview);
      show(phonePanel, overview.phones?.length > 0);
      pockets.update(overview);
      post.update(overview);
      latest.update(overview);
    },
    end() { pockets.end(); },
  };
}

const area = (name, node) => { node.classList.add(`area-${name}`); return node; };

/** One sentence with the state, or with the problem to look at. */
function summary(headline, trouble, { zones, rooms = [], health, receivers_awaited: awaited = [], broker }) {
  const all = [...zones, ...rooms], unknown = all.filter((place) => place.state === 'unknown');
  /** The members of these, and how many of them have members. */
  const count = (places) => [new Set(places.flatMap((place) => place.beacons.map((one) => one.beacon))).size, places.filter((place) => place.beacons.length).length];
  const [present] = count(all);
  if (!all.length) say(headline, words.now.noPlaces);
  else if (unknown.length < all.length) {
    const told = words.now.allWell(...count(all.filter((place) => place.state !== 'unknown')));
    say(headline, unknown.length ? words.now.partly(told, unknown.length) : told);
  } else say(headline, present ? words.now.lastKnown(...count(all)) : words.now.unknown);
  const blind = health.receivers.filter((one) => blindStates.has(one.state)).map((one) => one.name);
  const stuck = zones.filter((zone) => zone.state === 'unknown').map((zone) => zone.zone);
  const sentences = [];
  if (awaited.length) sentences.push(words.now.awaited(awaited));
  else if (!health.receivers.length) sentences.push(words.now.noReceivers);
  if (blind.length) sentences.push(words.now.blind(blind));
  if (stuck.length) sentences.push(words.now.stays(stuck));
  if (broker && !broker.connected) sentences.push(health.outbox?.durable ? words.now.brokerAway : words.now.brokerAwayMemory);
  attribute(trouble, 'data-kind', sentences.length ? 'bad' : 'good');
  say(trouble, sentences.length ? sentences.join(' ') : words.now.hearing);
}
