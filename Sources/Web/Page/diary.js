// What happened on a day, from the gateway's diary: visits as a ribbon and with their length, and every entry. The address says
// which day, thing, place and kind, so that it can be kept and sent.
import { el, empty, link, panel, say, show, visible } from './dom.js';
import { words } from './words.js';
import { address, api } from './api.js';
import { duration, minuteOf, timeOf } from './figures.js';
import { gatewayTime, nameOf, store } from './store.js';

const text = words.diary;
const dayLength = 86_400_000;
/** More rows do not tell anybody anything. */
const mostRows = 40, mostVisits = 500, pageLength = 60;

/** The name that people use, of a beacon. */
const called = (beacon) => nameOf({ beacon });
const pad = (n) => String(n).padStart(2, '0');
const dayOf = (ms) => { const at = new Date(ms); return `${at.getFullYear()}-${pad(at.getMonth() + 1)}-${pad(at.getDate())}`; };
const startOf = (day) => new Date(`${day}T00:00:00`).getTime();
const nextDay = (day, count) => { const at = new Date(`${day}T12:00:00`); at.setDate(at.getDate() + count); return dayOf(at.getTime()); };

export function diaryView(...rest) {
  let asked = null, next = null, wanted = read(rest), drawn = '', known = [], isKnownCut = false, drawnAt = 0, today = dayOf(gatewayTime());
  const day = el('input', { type: 'date', 'aria-label': text.day, onchange: () => day.value && go({ day: day.value }) });
  const back = el('button', { type: 'button', 'aria-label': text.before, text: '‹', onclick: () => go({ day: nextDay(wanted.day, -1) }) });
  const forth = el('button', { type: 'button', 'aria-label': text.after, text: '›', onclick: () => go({ day: nextDay(wanted.day, 1) }) });
  const choice = (name) => el('select', { 'aria-label': text[name], onchange: (event) => go({ [name]: event.target.value }) });
  const thing = choice('thing'), place = choice('place'), kind = choice('kind');
  const problem = el('p.problem', { role: 'alert', hidden: true }), fault = el('p.problem', { hidden: true });
  const ribbon = el('div.ribbons', { role: 'list' }), more = el('p.note'), noVisits = empty(text.noVisits);
  const visits = el('tbody'), table = el('div.tall', { hidden: true }, el('table.visits', {}, el('thead', {}, el('tr', {}, ...text.columns.map((name) => el('th', { scope: 'col', text: name })))), visits));
  const total = el('p.note'), hours = el('div.hours', { role: 'img', hidden: true });
  const entries = el('ol.feed.diary'), none = empty(text.none);
  const earlier = el('button', { type: 'button', text: text.earlier, hidden: true, onclick: () => load(next) });
  const csv = el('a'), visitsCSV = el('a');
  say(csv, text.csv);
  say(visitsCSV, text.visitsCSV);

  function read([at, ...names]) {
    const isDay = /^\d{4}-\d\d-\d\d$/.test(at ?? '') && !Number.isNaN(startOf(at));
    const [thing = '', place = '', kind = ''] = names;
    return { day: isDay ? at : dayOf(gatewayTime()), thing, place, kind };
  }
  function go(change) {
    const to = { ...wanted, ...change };
    location.hash = `#/diary/${[to.day, to.thing, to.place, to.kind].map(encodeURIComponent).join('/')}`;
  }
  const span = () => ({ since: new Date(startOf(wanted.day)).toISOString(), until: new Date(startOf(nextDay(wanted.day, 1))).toISOString() });
  const query = (more = {}) => new URLSearchParams(Object.entries({ ...span(), beacon: wanted.thing, place: wanted.place, ...more }).filter(([, value]) => value)).toString();

  function fill(select, any, all, value, named = (one) => one) {
    const options = [...new Set([...all, value].filter(Boolean))].map((one) => [visible(named(one)), one]).sort(([a], [b]) => a.localeCompare(b));
    select.replaceChildren(new Option(any, ''), ...options.map(([name, one]) => new Option(name, one)));
    select.value = value;
  }
  function choices() {
    const { overview } = store;
    const seen = (list, key) => (list ?? []).map((one) => one[key]);
    fill(thing, text.allThings, [...seen(overview?.beacons, 'beacon'), ...seen(overview?.phones, 'phone'), ...seen(overview?.health?.receivers, 'name')], wanted.thing, called);
    fill(place, text.allPlaces, [...seen(overview?.zones, 'zone'), ...seen(overview?.rooms, 'room')], wanted.place);
    fill(kind, text.allKinds, Object.keys(text.kinds), wanted.kind, (one) => Object.hasOwn(text.kinds, one) ? text.kinds[one] : one);
    day.value = wanted.day;
    forth.disabled = wanted.day >= dayOf(gatewayTime());
    csv.href = address(`./api/v1/diary?${query({ kind: wanted.kind, format: 'csv' })}`);
    visitsCSV.href = address(`./api/v1/visits?${query({ format: 'csv' })}`);
  }

  /** Gets the entries before one; null: the newest, and the visits. */
  async function load(before) {
    asked?.abort();
    const own = asked = new AbortController();
    try {
      const [page, stays] = await Promise.all([
        api(`diary?${query({ kind: wanted.kind, before: before ?? '', limit: pageLength })}`, { signal: own.signal }),
        before ? null : api(`visits?${query()}`, { signal: own.signal }),
      ]);
      if (asked !== own) return;
      if (!before) drawn = JSON.stringify(wanted);
      show(problem, false);
      say(fault, page.fault ? text.fault(page.fault) : '');
      show(fault, page.fault != null);
      if (!before) entries.replaceChildren();
      entries.append(...page.entries.map(entry));
      next = page.entries.at(-1)?.n ?? null;
      show(earlier, page.more && next != null);
      show(none, entries.children.length === 0);
      if (stays) draw(stays.visits, stays.more);
    } catch (error) {
      if (own.signal.aborted) return;
      say(problem, words.failed(error));
      show(problem, true);
      // What is shown is of another day or filter.
      if (drawn === JSON.stringify(wanted)) return;
      entries.replaceChildren();
      show(earlier, false);
      draw([]);
      for (const one of [none, noVisits]) show(one, false);
    }
  }

  /** `isCut`: there were more, earlier ones. */
  function draw(all, isCut = false) {
    [known, isKnownCut, drawnAt] = [all, isCut, Date.now()];
    const from = startOf(wanted.day), to = startOf(nextDay(wanted.day, 1)), now = gatewayTime();
    const stays = all.map((one) => {
      const begin = one.from ? Date.parse(one.from) : null;
      return {
        ...one, place: one.zone ?? one.room, begin, end: one.to ? Date.parse(one.to) : one.open ? now : null,
        seconds: one.open && begin !== null ? (now - begin) / 1000 : one.seconds,
      };
    });
    const isByPlace = wanted.thing !== '';
    const rows = [...grouped(stays, (one) => isByPlace ? one.place : one.beacon)].map(([name, list]) => [isByPlace ? name : called(name), list]).sort(([a], [b]) => a.localeCompare(b));
    ribbon.replaceChildren(...rows.slice(0, mostRows).map(([name, list]) => row(name, list, isByPlace, from, to)), ...(rows.length ? [scale()] : []));
    say(more, rows.length > mostRows ? text.more(rows.length - mostRows) : '');
    visits.replaceChildren(...stays.slice(-mostVisits).reverse().map((one) => {
      const who = el('td', {}, link(['diary', wanted.day, one.beacon, '', ''], visible(nameOf(one)))), where = el('td', {}, link(['diary', wanted.day, '', one.place, ''], one.place));
      return el('tr', {}, el('td.numeric', { text: moment(one.begin, from, text.unknownSince) }), el('td.numeric', { text: one.open ? text.now : one.last_known ? text.lastKnown(moment(Date.parse(one.last_known), from, '')) : moment(one.end, from, text.unknown) }), who, where,
        el('td.numeric', { text: one.seconds == null ? '–' : duration(one.seconds * 1000) + (one.unwatched_s >= 60 ? text.unwatched(duration(one.unwatched_s * 1000)) : '') }));
    }));
    const within = stays.reduce((sum, one) => one.begin == null || one.end == null ? sum : sum + Math.max(0, Math.min(one.end, to) - Math.max(one.begin, from)), 0);
    // Rooms and zones overlap: together nobody was there as long as that.
    const isApart = new Set(stays.map((one) => one.zone ?? null)).size === 1;
    say(total, [isCut ? text.cut(stays.length) : stays.length && text.total(stays.length, isApart ? duration(within) : null), stays.length > mostVisits && text.newest(mostVisits)].filter(Boolean).join(' '));
    show(table, stays.length > 0);
    show(noVisits, stays.length === 0);
    const counts = new Array(24).fill(0);
    for (const one of stays) if (one.begin >= from && one.begin < to) counts[new Date(one.begin).getHours()] += 1;
    const most = Math.max(...counts);
    show(hours, wanted.place !== '' && most > 0);
    hours.setAttribute('aria-label', text.hours(counts));
    hours.replaceChildren(...counts.map((count, hour) => {
      const bar = el('span.bar'), column = el('span', { title: text.hour(hour, count) }, bar, el('span', { text: hour % 6 ? '' : pad(hour) }));
      bar.style.height = `${count / (most || 1) * 100}%`;
      return column;
    }));
  }

  choices();
  load(null);
  let newest = latest(store), timer = null;
  return {
    title: text.title, name: 'diary',
    node: el('div.diary-view', {},
      el('div.head', {}, el('h1', { text: text.title }), el('div.row', {}, back, day, forth), thing, place, kind), problem, fault,
      panel(text.visits, ribbon, more, hours, noVisits, table, total, visitsCSV),
      panel(text.entries, none, entries, el('div.row', {}, earlier, csv))),
    /** The address has changed. */
    go(...now) { rest = now; wanted = read(rest); choices(); load(null); },
    update(state) {
      if (today !== dayOf(gatewayTime())) {
        const { day } = wanted;
        today = dayOf(gatewayTime());
        wanted = read(rest);
        choices();
        if (day !== wanted.day) load(null);
      }
      if (wanted.day !== today) return;
      // Stays of now grow.
      if (Date.now() - drawnAt > 60_000 && known.some((one) => one.open)) draw(known, isKnownCut);
      if (latest(state) === newest) return;
      newest = latest(state);
      timer ??= setTimeout(() => { timer = null; if (entries.children.length <= pageLength) load(null); }, 2000);
    },
    end() { asked?.abort(); clearTimeout(timer); },
  };
}

const latest = ({ overview }) => { const one = overview?.transitions?.[0]; return one ? `${one.epoch}-${one.seq}` : ''; };
/** As Map.groupBy, which older browsers lack. */
function grouped(list, keyOf) {
  const groups = new Map();
  for (const one of list) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}
const moment = (ms, from, unknown) => ms == null ? unknown : ms < from ? text.earlierDay : minuteOf(ms);

/** The stays of a thing, or in a place, over the day. */
function row(name, stays, isByPlace, from, to) {
  const title = el('span.name'), bar = el('span.ribbon');
  say(title, name);
  for (const one of stays) {
    // Nobody knows when it began or ended: it fades there, from the day's beginning or to when it was last known.
    const last = one.last_known ? Date.parse(one.last_known) : null, isEndless = one.end == null, begin = Math.max(one.begin ?? from, from), end = Math.max(begin, Math.min(one.end ?? last ?? begin, to));
    const until = one.open ? text.now : !isEndless ? timeOf(end) : last ? text.lastKnown(timeOf(last)) : text.unknown;
    const part = el('span.stay', { title: text.stay(isByPlace ? one.place : `${name}, ${one.place}`, one.begin == null ? null : timeOf(one.begin), until), 'data-since': one.begin == null && 'unknown', 'data-until': isEndless && 'unknown' });
    part.style.left = `${(begin - from) / (to - from) * 100}%`;
    part.style.width = `${Math.max(0.15, (end - begin) / (to - from) * 100)}%`;
    const isWide = end - begin > (to - from) / 14;
    say(part, [one.begin == null && '?', !isByPlace && isWide && one.place].filter(Boolean).join(' '));
    bar.append(part);
  }
  return el('div.ribbon-row', { role: 'listitem' }, title, bar);
}

const scale = () => el('div.ribbon-row.scale', { 'aria-hidden': 'true' }, el('span.name'), el('span.hours-scale', {}, ...[0, 6, 12, 18, 24].map((hour) => el('span', { text: pad(hour) }))));

function entry(one) {
  const who = el('span.who'), where = el('span.at'), why = el('span.why');
  const isBeacon = ['zone', 'room', 'event'].includes(one.kind);
  const name = isBeacon ? link(['beacon', one.thing]) : el('strong');
  say(name, isBeacon ? called(one.thing) : one.thing || text.gateway);
  say(where, one.place);
  who.append(name, where);
  say(why, one.because);
  const at = Date.parse(one.time);
  return el('li', { 'data-kind': one.kind }, el('time', { datetime: one.time, title: one.time, text: timeOf(at) }),
    el('span.what', { 'data-event': one.event, text: text.events[one.event] ?? one.event.replaceAll('_', ' ') }), who, why);
}
