// The last state of the gateway, and whether it still answers. Views subscribe and read; nothing else stores state of the gateway.
import { address, api } from './api.js';
import { words } from './words.js';

export const store = {
  overview: null,
  /** Why the gateway answers nothing to this page, in its words. */
  refusal: null,
  /** connecting, live, lost, login */
  connection: 'connecting',
  /** When the gateway last sent something, in milliseconds of this machine's clock. */
  heardAt: 0,
  /** How far the gateway's clock is ahead of this machine's, ms. */
  ahead: 0,
};

/** The gateway's time, ms. */
export const gatewayTime = () => Date.now() + store.ahead;

const views = new Set(), listeners = new Set();
export function subscribe(view) { views.add(view); return () => views.delete(view); }
/** Called once for each transition, as it happens. */
export function onTransition(listener) { listeners.add(listener); return () => listeners.delete(listener); }

let isTold = false;
function tell() {
  if (isTold) return;
  isTold = true;
  queueMicrotask(() => { isTold = false; for (const view of [...views]) view(store); });
}

let source = null, asking = null;

export function connect() {
  source?.close();
  source = new EventSource(address('./api/v1/events?changes=1'));
  source.addEventListener('overview', (event) => take(JSON.parse(event.data)));
  source.addEventListener('changes', (event) => change(JSON.parse(event.data)));
  source.addEventListener('transition', (event) => take(null, JSON.parse(event.data)));
  source.addEventListener('verdict', (event) => take(null, null, JSON.parse(event.data)));
  source.addEventListener('error', () => { if (source) check(); });
}

function heard() {
  store.heardAt = Date.now();
  store.connection = 'live';
}

/** Puts the changes of an overview into it. */
function change({ time, changes }) {
  heard();
  if (!store.overview) return;
  store.overview = changed({ ...store.overview, time }, changes);
  store.ahead = Date.parse(time) - Date.now();
  if (changes.beacons || changes.belongings) learn(store.overview);
  tell();
}

/** The member that identifies the elements of a list, by the list's name. */
const ids = { zones: 'zone', rooms: 'room', beacons: 'beacon', approaching: 'beacon', phones: 'phone', receivers: 'name' };
const isObject = (value) => value !== null && typeof value === 'object' && !Array.isArray(value);
/** See `ToldOverview` of the gateway. */
export function changed(old, change, list) {
  if (!isObject(change) || old === null || typeof old !== 'object') return change;
  if (Array.isArray(old)) {
    const known = new Map(old.map((one) => [one[ids[list]], one]));
    for (const [id, part] of Object.entries(change.of)) known.set(id, changed(known.get(id) ?? null, part));
    return (change.ids ?? [...known.keys()]).map((id) => known.get(id)).filter((one) => one !== undefined);
  }
  const { '-': gone = [], ...parts } = change, now = { ...old };
  for (const name of gone) delete now[name];
  for (const [name, part] of Object.entries(parts)) now[name] = changed(old[name] ?? null, part, name);
  return now;
}

const seen = new Set();
function take(overview, transition, verdict) {
  heard();
  if (overview) {
    store.ahead = Date.parse(overview.time) - Date.now();
    const isFirst = !store.overview;
    // A recording was moved back, so transitions that come again are new.
    if (!isFirst && Date.parse(overview.time) < Date.parse(store.overview.time) - 1500) seen.clear();
    const isMoved = isFirst || seen.size === 0;
    store.overview = overview;
    learn(overview);
    for (const one of [...overview.transitions ?? []].reverse()) announce(one, isMoved);
  }
  const now = store.overview;
  if (transition && now) {
    if (!now.transitions.some((one) => one.id === transition.id)) {
      now.transitions = [transition, ...now.transitions].slice(0, 50);
      apply(now, transition);
    }
    announce(transition, false);
  }
  if (verdict && now) now.verdicts = [verdict, ...now.verdicts ?? []].slice(0, 50);
  tell();
}

function announce(transition, isOld) {
  const key = transition.id ?? `${transition.epoch}-${transition.seq}`;
  if (seen.has(key)) return;
  seen.add(key);
  if (seen.size > 500) seen.delete(seen.values().next().value);
  if (!isOld) for (const listener of [...listeners]) listener(transition);
}

/** Shows a transition at once; the next overview, within a second, replaces this. */
function apply(overview, transition) {
  const { event, zone, room, beacon } = transition;
  const place = (zone != null ? overview.zones : overview.rooms)?.find((one) => (one.zone ?? one.room) === (zone ?? room));
  if (!place) return;
  const others = place.beacons.filter((one) => one.beacon !== beacon);
  const old = place.beacons.find((one) => one.beacon === beacon);
  place.beacons = event === 'exit' ? others : [...others, {
    since: transition.time, probability: transition.because?.probability, ...old, beacon, name: transition.name,
    near: event === 'near' || (old?.near ?? false), distance_m: transition.distance_m, distance_sd_m: transition.distance_sd_m,
    rssi_dbm: transition.rssi_dbm, because: { ...transition.because, event },
  }];
  place.count = place.beacons.length;
  if (place.state !== 'unknown') place.state = place.count ? 'occupied' : 'empty';
}

/** An event source reports no status, and on a dead network it reports nothing, so the page sends a request. */
export async function check() {
  if (asking) return asking;
  asking = (async () => {
    try {
      take(await api('overview', { patience: 5000 }));
      if (source?.readyState === EventSource.CLOSED) connect();
    } catch (problem) {
      // A proxy hides under which name we were asked.
      store.refusal = problem.status === 403 || problem.status === 421 ? words.failed(problem) : null;
      if (problem.status === 401) {
        source?.close();
        store.connection = 'login';
      } else if (store.connection !== 'login') {
        store.connection = store.overview || store.connection === 'lost' ? 'lost' : 'connecting';
        if (!store.heardAt) store.heardAt = Date.now();
        if (source?.readyState === EventSource.CLOSED) connect();
      }
      tell();
    } finally { asking = null; }
  })();
  return asking;
}

// The gateway sends something at least every 10 s. After a longer silence, the page sends a request.
setInterval(() => {
  if (document.hidden || store.connection === 'login') return;
  if (Date.now() - store.heardAt > (store.connection === 'live' ? 12_000 : 3000)) check();
}, 1000);
addEventListener('refused', () => check().then(() => { if (source) connect(); }));
// A page that was left may be kept by the browser, and with it one of the six connections.
addEventListener('pagehide', () => { source?.close(); source = null; });
addEventListener('pageshow', (event) => { if (event.persisted && store.connection !== 'login') connect(); });
/** Reports when the page becomes visible, and when it has been hidden for a while. */
export function whenSeen(seen, unseen) {
  let timer = null;
  const turn = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(unseen, 20_000); else seen();
  };
  document.addEventListener('visibilitychange', turn);
  return () => { clearTimeout(timer); document.removeEventListener('visibilitychange', turn); };
}
whenSeen(() => { if (!source && store.connection !== 'login') connect(); else if (Date.now() - store.heardAt > 12_000) check(); }, () => { source?.close(); source = null; });

/** The display name of a beacon, which transitions do not always have. */
export const nameOf = (one) => one.name || names.get(one.beacon) || one.beacon;
const names = new Map();
function learn({ beacons, belongings = [] }) {
  names.clear();
  for (const { beacon, name } of beacons) if (name) names.set(beacon, name);
  owned = new Map(belongings.map((one) => [one.beacon, one]));
}

/** Whose a beacon is, and its icon: a member of a region has those of the region, unless it has its own. */
let owned = new Map();
const belonging = (beacon, key) => owned.get(beacon)?.[key] ?? owned.get(regionOf(beacon))?.[key] ?? null;
/** The region of which it is a member; null: it has an entry of its own. */
export const regionOf = (beacon) => store.overview?.regions?.find((region) => beacon.startsWith(`${region}:`)) ?? null;
export const ownerOf = (beacon) => belonging(beacon, 'owner');
export const iconOf = (beacon) => belonging(beacon, 'icon');
/** All owners that are known, in order. */
export const owners = () => [...new Set([...owned.values()].map((one) => one.owner).filter(Boolean))].sort((a, b) => a.localeCompare(b));
