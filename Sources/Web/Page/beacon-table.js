// All beacons that are heard, with the signal of the last minute as a small line.
import { el, empty, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { level, deviation, distance, duration, interval, reading } from './figures.js';
import { gatewayTime, nameOf } from './store.js';
import { sparkline } from './sparkline.js';

const history = new Map();
/** Zones and rooms whose members are unknown. */
let unknown = new Set();

export function beaconTable() {
  const body = el('tbody'), none = empty(words.now.noBeacons), omitted = el('p.note');
  const { columns } = words.now;
  const table = el('table.beacons', {},
    el('thead', {}, el('tr', {}, ...[columns.beacon, columns.place, columns.distance, columns.signal, columns.heard, columns.readings]
      .map((text, i) => el(i === 2 || i === 3 ? 'th.numeric' : 'th', { scope: 'col', text })))), body);
  const update = list(body, row);
  return {
    node: el('div.scroll', { tabindex: '-1' }, none, table, omitted),
    update({ beacons, beacons_omitted, zones, rooms }) {
      show(none, beacons.length === 0);
      show(table, beacons.length > 0);
      show(omitted, beacons_omitted > 0);
      if (beacons_omitted) say(omitted, words.now.omitted(beacons_omitted));
      remember(beacons);
      unknown = new Set([...zones, ...rooms ?? []].filter((place) => place.state === 'unknown').map((place) => place.zone ?? place.room));
      // Sorted by name, so that rows stay in place.
      update([...beacons].sort((a, b) => nameOf(a).localeCompare(nameOf(b), 'en', { numeric: true })), (one) => one.beacon);
    },
  };
}

function remember(beacons) {
  for (const { beacon, rssi_dbm, last_seen } of beacons) {
    const line = history.get(beacon) ?? { values: [], at: null };
    history.set(beacon, line);
    line.values.push(last_seen === line.at ? null : rssi_dbm);
    line.at = last_seen;
    if (line.values.length > 60) line.values.shift();
  }
  const heard = new Set(beacons.map((one) => one.beacon));
  for (const beacon of history.keys()) if (!heard.has(beacon)) history.delete(beacon);
}

function row({ beacon }) {
  const name = link(['beacon', beacon]), id = el('span.id'), place = el('td.place'), amount = el('span.amount'), spread = el('span.spread');
  const signal = el('span.amount'), line = sparkline(-100, -40), heard = el('span'), every = el('span.spread'), readings = el('td.readings');
  const node = el('tr', { 'data-beacon': beacon },
    el('th', { scope: 'row' }, name, id), place, el('td.numeric', { 'data-label': words.now.columns.distance }, amount, ' ', spread),
    el('td.numeric', { 'data-label': words.now.columns.signal }, line.node, signal), el('td.heard', { 'data-label': words.now.columns.heard }, heard, ' ', every), readings);
  return {
    node,
    update(one) {
      say(name, nameOf(one));
      say(id, one.name ? one.beacon : '');
      const places = [...one.zones, ...one.room ? [one.room] : []].map((place) => unknown.has(place) ? words.now.unsure(place) : place);
      say(place, places.length ? places.join(', ') : words.now.nowhere);
      place.classList.toggle('faint', places.length === 0);
      say(amount, distance(one.distance_m));
      say(spread, deviation(one.distance_sd_m));
      say(signal, level(one.rssi_dbm));
      line.update(history.get(beacon)?.values ?? []);
      const ago = gatewayTime() - Date.parse(one.last_seen);
      say(heard, words.now.ago(duration(ago)));
      say(every, one.interval_s == null ? '' : words.now.every(interval(one.interval_s)));
      const told = Object.entries(one.readings ?? {}).slice(0, 3).map(([key, value]) => reading(key, value).text);
      say(readings, told.join(' · '));
    },
  };
}
