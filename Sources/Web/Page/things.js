// All beacons in one table: searched, sorted, filtered, a few rows at a time, and as a file for a spreadsheet.
import { attribute, el, empty, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { level, deviation, distance, interval, reading } from './figures.js';
import { gatewayTime, iconOf, nameOf, ownerOf, owners } from './store.js';
import { renameButton } from './members.js';
import { thingIcon } from './thing-icon.js';
import { sparkline } from './sparkline.js';
import { keep, kept } from './route.js';

const history = new Map();
/** Zones and rooms whose members are unknown. */
let unknown = new Set();
/** How many rows there are beyond what is seen, above and below: a key that leads on finds the next one. */
const beyond = 8;
const { compare } = new Intl.Collator('en', { numeric: true });
const lastSeen = (one) => one.last_seen ? Date.parse(one.last_seen) : 0;
const isSilent = (one) => one.last_seen != null && gatewayTime() - lastSeen(one) > Math.max(60_000, (one.interval_s ?? 0) * 10_000);
const battery = ({ readings = {} }) => readings.battery_pct ?? readings.battery_percent ?? null;
const isLow = (one) => (battery(one) ?? 100) <= 20 || one.readings?.battery_low === true;
const placesOf = (one) => [...one.room ? [one.room] : [], ...one.zones];

const filters = { silent: isSilent, battery: isLow, unheard: (one) => one.last_seen == null };
/** What each column sorts by; what is not known comes last. */
const orders = {
  beacon: (one) => nameOf(one), owner: (one) => ownerOf(one.beacon) ?? '\uffff', place: (one) => one.room ?? one.zones[0] ?? '\uffff', distance: (one) => one.distance_m ?? Infinity,
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
  const table = el('table.beacons', {}, el('thead', {}, el('tr', { 'aria-rowindex': 1 }, ...heads.map((one) => one.node))));
  const above = gap(), below = gap();
  const bar = el('div.row.table-bar', {}, search, filter, order, csv);
  const update = list(body, row);
  let { key, isDown } = kept('things order', { key: 'beacon', isDown: false }), all = [], found = [], places = '', sorted = [], sortedAt = 0;
  table.append(above, body, below);
  const box = el('div.scroll.rows-box', {}, table);
  /** How high a row and the box are, how far the box is scrolled, and the first row that is there; all rows are there on paper. */
  let rowHeight = 0, height = 800, top = 0, from = -1, isPrinted = false;

  search.addEventListener('input', () => { keep('things search', search.value); again(); });
  filter.addEventListener('change', () => { keep('things filter', filter.value); again(); });
  order.addEventListener('change', () => sortBy(order.value));
  function again() { sortedAt = 0; box.scrollTop = top = 0; draw(); }
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
    const isRight = kind.startsWith('of ') ? (one) => ownerOf(one.beacon) === kind.slice(3) : kind.startsWith('in ') ? (one) => placesOf(one).includes(kind.slice(3)) : filters[kind] ?? (() => true);
    return sort().filter((one) => isRight(one) && (!wanted || [nameOf(one), one.beacon, ownerOf(one.beacon) ?? '', ...placesOf(one)].some((text) => text.toLowerCase().includes(wanted))));
  }

  /** Rows near those that are seen are elements, and the one with the focus; a gap stands for the others. */
  function paint() {
    const high = rowHeight || 50, count = Math.ceil(height / high) + 2 * beyond;
    from = isPrinted ? 0 : Math.max(0, Math.min(Math.floor(top / high) - beyond, found.length - count));
    const to = isPrinted ? found.length : Math.min(found.length, from + count), rows = [];
    for (let at = from; at < to; at += 1) rows.push({ one: found[at], at });
    const focused = body.contains(document.activeElement) && document.activeElement.closest('tr')?.dataset.beacon, at = focused ? found.findIndex((one) => one.beacon === focused) : -1;
    const isAbove = at >= 0 && at < from, isBelow = at >= to;
    if (isAbove) rows.unshift({ one: found[at], at });
    if (isBelow) rows.push({ one: found[at], at });
    above.update((from - isAbove) * high);
    below.update((found.length - to - isBelow) * high);
    update(rows, ({ one }) => one.beacon);
    if (rowHeight || !found.length) return;
    // Nothing has a height before it is in the page.
    rowHeight = body.rows[0].getBoundingClientRect().height;
    if (rowHeight && rowHeight !== high) paint();
  }
  box.addEventListener('scroll', () => {
    top = box.scrollTop;
    const first = Math.max(0, Math.floor(top / (rowHeight || 50)) - beyond);
    // A few rows more or less make no difference yet.
    if (Math.abs(first - from) >= beyond / 2 || first === 0) paint();
  }, { passive: true });
  new ResizeObserver(() => {
    if (height === box.clientHeight && !body.rows.length) return;
    [height, rowHeight] = [box.clientHeight, 0];
    if (found.length) paint();
  }).observe(box);
  const print = ({ type }) => { isPrinted = type === 'beforeprint'; paint(); };
  for (const event of ['beforeprint', 'afterprint']) addEventListener(event, print);

  function draw() {
    found = matching();
    const isFiltered = found.length < all.length, hasOwners = owners().length > 0;
    show(none, all.length === 0);
    show(bar, all.length > 4);
    show(table, found.length > 0);
    show(noMatch, all.length > 0 && found.length === 0);
    show(counted, isFiltered);
    say(counted, text.counted(found.length, all.length));
    attribute(table, 'aria-rowcount', found.length + 1);
    attribute(table, 'data-owned', hasOwners);
    attribute(table, 'data-named', all.some((one) => one.name));
    for (const one of heads) attribute(one.node, 'aria-sort', one.key === key ? (isDown ? 'descending' : 'ascending') : null);
    if (order.value !== key) order.value = key;
    for (const option of order.options) show(option, option.value !== 'owner' || hasOwners);
    paint();
  }

  function offer(overview) {
    const wanted = [...overview.rooms ?? [], ...overview.zones].map((one) => one.room ?? one.zone), people = owners(), sign = JSON.stringify([wanted, people]);
    if (sign === places) return;
    places = sign;
    const option = (value, name) => { const node = el('option', { value }); say(node, name); return node; };
    const was = filter.value || kept('things filter', '');
    filter.replaceChildren(option('', text.all), ...Object.keys(filters).map((one) => option(one, text.filters[one])), ...people.map((owner) => option(`of ${owner}`, text.of(owner))), ...wanted.map((place) => option(`in ${place}`, text.within(place))));
    filter.value = was;
    if (filter.selectedIndex < 0) filter.value = '';
  }

  function save() {
    const names = [...new Set(all.flatMap((one) => Object.keys(one.readings ?? {})))].sort();
    const lines = [['beacon', 'name', 'owner', 'icon', 'room', 'zones', 'distance_m', 'distance_sd_m', 'rssi_dbm', 'receiver', 'last_seen', ...names],
      ...matching().map((one) => [one.beacon, one.name, ownerOf(one.beacon), iconOf(one.beacon), one.room, one.zones.join(' '), one.distance_m, one.distance_sd_m, one.rssi_dbm, one.receiver, one.last_seen, ...names.map((name) => one.readings?.[name])])];
    const file = URL.createObjectURL(new Blob([lines.map((cells) => cells.map(cell).join(',')).join('\r\n'), '\r\n'], { type: 'text/csv' }));
    el('a', { href: file, download: 'beacons.csv' }).click();
    setTimeout(() => URL.revokeObjectURL(file), 10_000);
  }

  return {
    node: el('div.things-box', {}, none, bar, counted, noMatch, box, omitted),
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
    end() { for (const event of ['beforeprint', 'afterprint']) removeEventListener(event, print); },
  };
}

/** Stands for rows that are not there. */
function gap() {
  const cell = el('td'), node = el('tbody.gap', { 'aria-hidden': 'true', hidden: true }, el('tr', {}, cell));
  node.update = (height) => { show(node, height > 0); const wanted = `${Math.round(height)}px`; if (cell.style.height !== wanted) cell.style.height = wanted; };
  return node;
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

function row({ one: { beacon } }) {
  const icon = thingIcon(), owner = el('td.owner');
  const name = link(['beacon', beacon]), rename = renameButton(beacon), id = el('span.id'), place = el('td.place'), amount = el('span.amount'), spread = el('span.spread');
  const signal = el('span.amount'), line = sparkline(-100, -40), heard = el('span'), every = el('span.spread'), readings = el('td.readings');
  const node = el('tr', { 'data-beacon': beacon },
    el('th', { scope: 'row' }, el('span.named', {}, icon.node, name, rename.node), id), owner, place, el('td.numeric', { 'data-label': words.now.columns.distance }, amount, ' ', spread),
    el('td.numeric', { 'data-label': words.now.columns.signal }, line.node, signal), el('td.heard', { 'data-label': words.now.columns.heard }, heard, ' ', every), readings);
  return {
    node,
    update({ one, at }) {
      attribute(node, 'aria-rowindex', at + 2);
      say(name, nameOf(one));
      attribute(name, 'title', nameOf(one));
      icon.update(beacon);
      say(owner, ownerOf(beacon));
      attribute(owner, 'title', ownerOf(beacon));
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
      const told = Object.entries(one.readings ?? {}).filter(([key]) => key !== 'packet_id').slice(0, 3).map(([key, value]) => reading(key, value, words).text);
      say(readings, told.join(' · '));
      attribute(readings, 'title', told.join(' · '));
    },
  };
}
