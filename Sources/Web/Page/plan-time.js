// The plan at another time: who was where, from the diary's visits.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, api } from './api.js';
import { gatewayTime } from './store.js';
import { momentOf } from './figures.js';

const minute = 60_000, span = 24 * 60;

/** `onChange(people)`: the beacons by room and by zone at the chosen time; null: now. */
export function planTime(onChange) {
  const text = words.plan.time;
  const slider = el('input', { type: 'range', min: -span, max: 0, step: 1, value: 0, 'aria-label': text.label, oninput: () => choose(Number(slider.value)) });
  const date = el('input', { type: 'date', 'aria-label': text.day, onchange: () => pickDay() });
  const now = el('button', { type: 'button', text: text.now, 'aria-pressed': 'true', onclick: () => { end = null; slider.value = 0; choose(0); } });
  const where = el('output'), problem = el('p.problem', { role: 'alert', hidden: true });
  const node = el('div.plan-time', { role: 'group', 'aria-label': text.label }, now, slider, date, where, problem);
  /** Where the slider ends, ms; null: now. */
  let end = null, asked = null, timer = null, isLive = true;

  const moment = () => (end ?? gatewayTime()) + Number(slider.value) * minute;

  function pickDay() {
    if (!date.value) return;
    const last = new Date(`${date.value}T23:59:00`).getTime();
    end = last < gatewayTime() ? last : null;
    slider.value = end === null ? -1 : -span / 2;
    choose(Number(slider.value));
  }

  function choose(minutes) {
    clearTimeout(timer);
    asked?.abort();
    isLive = end === null && minutes === 0;
    attribute(now, 'aria-pressed', isLive);
    const at = moment(), told = isLive ? text.now : momentOf(at, gatewayTime());
    attribute(slider, 'aria-valuetext', told);
    say(where, isLive ? '' : text.at(told));
    show(problem, false);
    attribute(node, 'data-waiting', !isLive);
    if (isLive) { date.value = ''; return onChange(null); }
    timer = setTimeout(() => load(at), 120);
  }

  async function load(at) {
    const own = asked = new AbortController();
    try {
      const query = new URLSearchParams({ since: new Date(at).toISOString(), until: new Date(at + 1).toISOString() });
      const [{ visits, more }, gap] = await Promise.all([api(`visits?${query}`, { signal: own.signal }), gapAt(at, own.signal)]);
      if (own.signal.aborted) return;
      const people = { at, room: new Map(), zone: new Map(), isUnknown: gap !== null };
      for (const { beacon, room, zone, from } of visits) {
        const [kind, place] = room != null ? ['room', room] : ['zone', zone];
        const there = people[kind].get(place) ?? [];
        if (!there.some((one) => one.beacon === beacon)) people[kind].set(place, [...there, { beacon, since: from, until: at }]);
      }
      attribute(node, 'data-waiting', null);
      say(problem, [more && text.more, gap && text.gap(...gap.map((one) => one && momentOf(one, gatewayTime())))].filter(Boolean).join(' '));
      show(problem, problem.textContent !== '');
      onChange(people);
    } catch (error) {
      if (own.signal.aborted) return;
      attribute(node, 'data-waiting', null);
      if (!(error instanceof Problem)) throw error;
      say(problem, words.failed(error));
      show(problem, true);
      onChange({ at, room: new Map(), zone: new Map(), isUnknown: true });
    }
  }
  return { node, end() { clearTimeout(timer); asked?.abort(); } };
}

/** The time around this one, ms, in which no gateway is known to have run: from the last entry before the next start; null: one ran. */
async function gapAt(at, signal) {
  // The newest come first.
  const oldest = async (query) => (await api(`diary?${new URLSearchParams(query)}`, { signal })).entries.at(-1);
  const next = await oldest({ kind: 'gateway', since: new Date(at).toISOString(), limit: 5000 });
  if (next?.event !== 'start') return null;
  const last = await oldest({ limit: 1, ...next.n && { before: next.n } }), from = last ? Date.parse(last.time) : null;
  return from > at ? null : [from, Date.parse(next.time)];
}

/** An overview with who was there in place of who is. Nobody knows any more who was blind. */
export function overviewAt(people, overview) {
  const then = (kind) => (place) => {
    const beacons = people[kind].get(place[kind]) ?? [];
    return { ...place, beacons, count: beacons.length, state: people.isUnknown ? 'unknown' : beacons.length ? 'occupied' : 'empty' };
  };
  return { ...overview, until: people.at, rooms: overview.rooms?.map(then('room')), zones: overview.zones.map(then('zone')) };
}
