// The first view: rooms and zones with who is in them, all beacons, the state of receivers, and the latest transitions.
import { el, empty, link, panel, say, show, attribute } from './dom.js';
import { words } from './words.js';
import { places } from './places.js';
import { things } from './things.js';
import { blindStates, receivers } from './receivers.js';
import { phones } from './phones.js';
import { delivery } from './delivery.js';
import { feed } from './feed.js';

export function nowView() {
  const headline = el('p.headline'), trouble = el('p.trouble', { role: 'status' }), offer = el('p', { hidden: true }, words.setup.offer, ' ', link(['setup'], words.setup.title));
  const lines = places(), noZones = empty(words.now.noZones), roomPanel = panel(words.now.rooms, lines.rooms);
  const table = things(), ears = receivers(), pockets = phones(), post = delivery(), latest = feed();
  const phonePanel = panel(words.now.phones, pockets.node);

  const node = el('div.now', {},
    el('div.hero', {}, el('h1.unseen', { text: words.now.title }), headline, trouble, offer),
    el('div.column.places', {}, area('rooms', roomPanel), area('zones', panel(words.now.zones, noZones, lines.zones))),
    el('div.column.things', {}, area('beacons', panel(words.now.beacons, table.node)), area('receivers', panel(words.now.receivers, ears.node)),
      area('phones', phonePanel), area('delivery', panel(words.now.delivery, post.node))),
    area('latest', panel(words.now.latest, latest.node)));

  return {
    node, title: words.now.title,
    update({ overview }) {
      summary(headline, trouble, overview);
      show(offer, overview.source === 'live' && (!overview.broker?.connected || !overview.beacons.length && !overview.beacons_unheard?.length));
      show(noZones, overview.zones.length === 0);
      show(roomPanel, overview.rooms?.length > 0);
      lines.update(overview);
      table.update(overview);
      ears.update(overview);
      show(phonePanel, overview.phones?.length > 0);
      pockets.update(overview);
      post.update(overview);
      latest.update(overview);
    },
    end() { pockets.end(); table.end(); },
  };
}

const area = (name, node) => { node.classList.add(`area-${name}`); return node; };

/** One sentence with the state, or with the problem to look at. */
export function summary(headline, trouble, { zones, rooms = [], health, receivers_awaited: awaited = [], broker }) {
  const all = [...zones, ...rooms], unknown = all.filter((place) => place.state === 'unknown');
  /** The members of these, in how many places they are, and whether all of these are rooms. A zone whose members are all in rooms is
   * no further place. */
  const count = (places) => {
    const full = places.filter((place) => place.beacons.length), rooms = full.filter((place) => place.room != null);
    const members = (places) => new Set(places.flatMap((place) => place.beacons.map((one) => one.beacon)));
    const housed = members(rooms), others = full.filter((place) => place.room == null && place.beacons.some((one) => !housed.has(one.beacon)));
    return [members(full).size, rooms.length + others.length, rooms.length > 0 && !others.length];
  };
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
  if (broker && !broker.connected) sentences.push(health.outbox?.durable && !health.outbox.reason ? words.now.brokerAway : words.now.brokerAwayMemory);
  attribute(trouble, 'data-kind', sentences.length ? 'bad' : 'good');
  const quiet = health.receivers.filter((one) => one.state === 'quiet').map((one) => one.name);
  say(trouble, sentences.length ? sentences.join(' ') : quiet.length ? words.now.silent(quiet) : words.now.hearing);
}
