// All beacons in one table: searched, sorted, filtered, a few rows at a time, and as a file for a spreadsheet.
import { attribute, el, empty, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { level, deviation, distance, interval, reading } from './figures.js';
import { gatewayTime, nameOf } from './store.js';
import { renameButton } from './members.js';
import { sparkline } from './sparkline.js';
import { keep, kept } from './route.js';

const history = new Map();
/** Zones and rooms whose members are unknown. */
let unknown = new Set();
/** How many rows come at a time. */
const page = matchMedia('(max-width: 720px)').matches ? 15 : 25;
const compare = (a, b) => a.localeCompare(b, 'en', { numeric: true });
const lastSeen = (one) => one.last_seen ? Date.parse(one.last_seen) : 0;
const isSilent = (one) => one.last_seen != null && gatewayTime() - lastSeen(one) > Math.max(60_000, (one.interval_s ?? 0) * 10_000);
const battery = ({ readings = {} }) => readings.battery_pct ?? readings.battery_percent ?? null;
const isLow = (one) => (battery(one) ?? 100) <= 20 || one.readings?.battery_low === true;
const placesOf = (one) => [...one.room ? [one.room] : [], ...one.zones];

const filters = { silent: isSilent, battery: isLow, unheard: (one) => one.last_seen == null };
/** What each column sorts by; what is not known comes last. */
const orders = {
  beacon: (one) => nameOf(one), place: (one) => one.room ?? one.zones[0] ?? '\uffff', distance: (one) => one.distance_m ?? Infinity,
  signal: (one) => -(one.rssi_dbm ?? -Infinity), heard: (one) => -lastSeen(one), readings: (one) => battery(one) ?? Infinity,
};

export function things() {
  const { columns, things: text } = words.now;
  const body = el('tbody'), none = empty(words.now.noBeacons), noMatch = el('p.note', { text: words.now.noMatch }), omitted = el('p.note'), counted = el('p.note', { role: 'status' });
  const search = el('input', { type: 'search', 'aria-label': text.search, placeholder: text.search, value: kept('things search', '') });
  const filter = el('select', { 'aria-label': text.filter }), order = el('select.order', { 'aria-label': text.order }, ...Object.keys(orders).map((key) => el('option', { value: key, text: text.by(columns[key]) })));
  const csv = el('button', { type: 'button', text: text.csv, onclick: save });
  const heads = Object.keys(orders).map((key) => {
    const button = el('button.quiet', { type: 'button', text: columns[key], onclick: () => sortBy(key) });
    return { key, node: el(key === 'distance' || key === 'signal' ? 'th.numeric' : 'th', { scope: 'col' }, button) };
  });
  const table = el('table.beacons', {}, el('thead', {}, el('tr', {}, ...heads.map((one) => one.node))), body);
  const more = el('button', { type: 'button', onclick: () => { shown += page; draw(); } });
  const bar = el('div.row.table-bar', {}, search, filter, order, csv);
  const update = list(body, row);
  let { key, isDown } = kept('things order', { key: 'beacon', isDown: false }), shown = page, all = [], places = '', sorted = [], sortedAt = 0;

  search.addEventListener('input', () => { keep('things search', search.value); again(); });
  filter.addEventListener('change', () => { keep('things filter', filter.value); again(); });
  order.addEventListener('change', () => sortBy(order.value));
  function again() { shown = page; sortedAt = 0; draw(); }
  function sortBy(wanted) {
    isDown = wanted === key && !isDown;
    key = wanted;
    keep('things order', { key, isDown });
    again();
  }

  /** The order of measured values is renewed now and then, so that rows keep still. */
  function sort() {
    const stamp = performance.now(), isDue = key === 'beacon' || stamp - sortedAt > 10_000, by = orders[key] ?? orders.beacon;
    if (!isDue) {
      const known = new Map(all.map((one) => [one.beacon, one])), was = new Set(sorted);
      sorted = [...sorted.filter((name) => known.has(name)), ...all.map((one) => one.beacon).filter((name) => !was.has(name))];
      return sorted.map((name) => known.get(name));
    }
    sortedAt = stamp;
    const values = new Map(all.map((one) => [one, by(one)]));
    const found = [...all].sort((a, b) => {
      const [x, y] = [values.get(a), values.get(b)], first = typeof x === 'string' ? compare(x, y) : x === y ? 0 : x < y ? -1 : 1;
      return (isDown ? -first : first) || compare(nameOf(a), nameOf(b));
    });
    sorted = found.map((one) => one.beacon);
    return found;
  }

  function matching() {
    const wanted = search.value.trim().toLowerCase(), kind = filter.value;
    const isRight = kind.startsWith('in ') ? (one) => placesOf(one).includes(kind.slice(3)) : filters[kind] ?? (() => true);
    return sort().filter((one) => isRight(one) && (!wanted || [nameOf(one), one.beacon, ...placesOf(one)].some((text) => text.toLowerCase().includes(wanted))));
  }

  function draw() {
    const found = matching(), isFiltered = found.length < all.length;
    show(none, all.length === 0);
    show(bar, all.length > 4);
    show(table, found.length > 0);
    show(noMatch, all.length > 0 && found.length === 0);
    show(counted, isFiltered || found.length > page);
    say(counted, text.counted(Math.min(shown, found.length), found.length, all.length));
    show(more, found.length > shown);
    say(more, text.more(Math.min(page, found.length - shown)));
    for (const one of heads) attribute(one.node, 'aria-sort', one.key === key ? (isDown ? 'descending' : 'ascending') : null);
    if (order.value !== key) order.value = key;
    update(found.slice(0, shown), (one) => one.beacon);
  }

  function offer(overview) {
    const wanted = [...overview.rooms ?? [], ...overview.zones].map((one) => one.room ?? one.zone);
    if (wanted.join('\n') === places && filter.options.length) return;
    places = wanted.join('\n');
    const option = (value, name) => { const node = el('option', { value }); say(node, name); return node; };
    const was = filter.value || kept('things filter', '');
    filter.replaceChildren(option('', text.all), ...Object.keys(filters).map((one) => option(one, text.filters[one])), ...wanted.map((place) => option(`in ${place}`, text.within(place))));
    filter.value = was;
    if (filter.selectedIndex < 0) filter.value = '';
  }

  function save() {
    const names = [...new Set(all.flatMap((one) => Object.keys(one.readings ?? {})))].sort();
    const lines = [['beacon', 'name', 'room', 'zones', 'distance_m', 'distance_sd_m', 'rssi_dbm', 'receiver', 'last_seen', ...names],
      ...matching().map((one) => [one.beacon, one.name, one.room, one.zones.join(' '), one.distance_m, one.distance_sd_m, one.rssi_dbm, one.receiver, one.last_seen, ...names.map((name) => one.readings?.[name])])];
    const file = URL.createObjectURL(new Blob([lines.map((cells) => cells.map(cell).join(',')).join('\r\n'), '\r\n'], { type: 'text/csv' }));
    el('a', { href: file, download: 'beacons.csv' }).click();
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  }

  return {
    node: el('div.things-box', {}, none, bar, counted, noMatch, el('div.scroll', {}, table), more, omitted),
    update(overview) {
      const { beacons, beacons_omitted, beacons_unheard = [], zones, rooms } = overview;
      all = [...beacons, ...beacons_unheard.map((beacon) => ({ beacon, zones: [] }))];
      show(omitted, beacons_omitted > 0);
      if (beacons_omitted) say(omitted, words.now.omitted(beacons_omitted));
      attribute(table, 'data-bare', beacons.every((one) => !Object.keys(one.readings ?? {}).length));
      remember(beacons);
      unknown = new Set([...zones, ...rooms ?? []].filter((place) => place.state === 'unknown').map((place) => place.zone ?? place.room));
      offer(overview);
      draw();
    },
  };
}

/** A cell of CSV (RFC 4180). A spreadsheet would compute what begins like a formula. */
function cell(value) {
  if (typeof value === 'number') return String(value);
  const text = value == null ? '' : String(value), safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** One point a second, for the last minute. */
function remember(beacons) {
  const second = Math.floor(performance.now() / 1000);
  for (const { beacon, rssi_dbm, last_seen } of beacons) {
    let line = history.get(beacon);
    if (!line) history.set(beacon, line = { values: [], second: null });
    if (line.second === second) continue;
    line.second = second;
    line.values.push(gatewayTime() - Date.parse(last_seen) < 10_000 ? rssi_dbm : null);
    if (line.values.length > 60) line.values.shift();
  }
  const heard = new Set(beacons.map((one) => one.beacon));
  for (const beacon of history.keys()) if (!heard.has(beacon)) history.delete(beacon);
}

function row({ beacon }) {
  const name = link(['beacon', beacon]), rename = renameButton(beacon), id = el('span.id'), place = el('td.place'), amount = el('span.amount'), spread = el('span.spread');
  const signal = el('span.amount'), line = sparkline(-100, -40), heard = el('span'), every = el('span.spread'), readings = el('td.readings');
  const node = el('tr', { 'data-beacon': beacon },
    el('th', { scope: 'row' }, el('span.named', {}, name, rename.node), id), place, el('td.numeric', { 'data-label': words.now.columns.distance }, amount, ' ', spread),
    el('td.numeric', { 'data-label': words.now.columns.signal }, line.node, signal), el('td.heard', { 'data-label': words.now.columns.heard }, heard, ' ', every), readings);
  return {
    node,
    update(one) {
      say(name, nameOf(one));
      attribute(name, 'title', nameOf(one));
      rename.update(nameOf(one));
      say(id, one.name ? one.beacon : '');
      const places = placesOf(one).map((place) => unknown.has(place) ? words.now.unsure(place) : place);
      const isHeard = one.last_seen != null;
      say(place, places.length ? places.join(', ') : isHeard ? words.now.nowhere : words.now.never);
      attribute(place, 'title', places.join(', '));
      place.classList.toggle('faint', places.length === 0);
      say(amount, isHeard ? distance(one.distance_m) : '');
      say(spread, deviation(one.distance_sd_m));
      say(signal, isHeard ? level(one.rssi_dbm) : '');
      line.update(history.get(beacon)?.values ?? []);
      say(heard, isHeard ? words.now.heard(gatewayTime() - lastSeen(one), one.interval_s) : '');
      say(every, one.interval_s == null ? '' : words.now.every(interval(one.interval_s)));
      const told = Object.entries(one.readings ?? {}).slice(0, 3).map(([key, value]) => reading(key, value, words).text);
      say(readings, told.join(' · '));
    },
  };
}
