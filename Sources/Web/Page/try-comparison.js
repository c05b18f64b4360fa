// The real decisions beside those of the tried numbers: the same, moved, added, or gone.
import { attribute, el, list, say } from './dom.js';
import { words } from './words.js';
import { seconds, timeOf } from './figures.js';
import { nameOf } from './store.js';
import { timed } from './trace-data.js';

/** Decisions further apart than this are two decisions, ms. */
const apart = 30_000;

/** Pairs the decisions of each beacon, zone and kind by their times, the closest first, without crossing. */
export function compare(actual, tried) {
  const groups = new Map();
  const key = (one) => JSON.stringify([one.beacon, one.zone, one.event]);
  const group = (one) => { const k = key(one); if (!groups.has(k)) groups.set(k, { was: [], would: [] }); return groups.get(k); };
  for (const one of actual.map(timed)) group(one).was.push(one);
  for (const one of tried.map(timed)) group(one).would.push(one);
  const rows = [];
  for (const { was, would } of groups.values()) {
    const pairs = [];
    was.forEach((a, i) => would.forEach((b, j) => { const by = Math.abs(a.at - b.at); if (by <= apart) pairs.push({ i, j, by }); }));
    pairs.sort((a, b) => a.by - b.by);
    const taken = [];
    for (const pair of pairs) {
      if (taken.every(({ i, j }) => i !== pair.i && j !== pair.j && (i < pair.i) === (j < pair.j))) taken.push(pair);
    }
    for (const { i, j, by } of taken) rows.push({ kind: by < 50 ? 'same' : 'moved', was: was[i], would: would[j] });
    was.forEach((one, i) => { if (!taken.some((pair) => pair.i === i)) rows.push({ kind: 'removed', was: one, would: null }); });
    would.forEach((one, j) => { if (!taken.some((pair) => pair.j === j)) rows.push({ kind: 'added', was: null, would: one }); });
  }
  return rows.sort((a, b) => (b.would ?? b.was).at - (a.would ?? a.was).at);
}

export function comparison() {
  const body = el('tbody'), update = list(body, row);
  const table = el('table.comparison', {}, el('thead', {}, el('tr', {},
    el('th', { scope: 'col', text: words.try.was }), el('th', { scope: 'col', text: words.try.would }), el('th', { scope: 'col' }, el('span.unseen', { text: words.try.title })))), body);
  const node = el('div.scroll.tall', { tabindex: 0, role: 'group', 'aria-label': `${words.try.was} / ${words.try.would}` }, table);
  return {
    node,
    update({ actual, transitions, to }) {
      const rows = compare(actual, transitions), counts = { same: 0, moved: 0, added: 0, removed: 0 };
      for (const { kind } of rows) counts[kind] += 1;
      update(rows.slice(0, 200), ({ kind, was, would }) => `${kind} ${was?.time} ${would?.time} ${(was ?? would).beacon} ${(was ?? would).zone} ${(was ?? would).event}`);
      Object.assign(table.dataset, counts, { to });
      return counts;
    },
  };
}

function row({ kind, was, would }) {
  const cell = (one) => {
    const node = el('td');
    if (!one) return node;
    const who = el('span.at');
    say(who, nameOf(one));
    node.append(el('time', { datetime: one.time, text: timeOf(one.at) }), ' ', el('span.what', { 'data-event': one.event, text: words.feed.event[one.event] ?? one.event }), ' ', who);
    return node;
  };
  const verdict = el('td.verdict'), by = was && would ? (would.at - was.at) / 1000 : 0;
  say(verdict, kind === 'moved' ? (by < 0 ? words.try.earlier(seconds(-by)) : words.try.later(seconds(by))) : words.try[kind]);
  const node = el('tr', {}, cell(was), cell(would), verdict);
  attribute(node, 'data-kind', kind);
  attribute(node, 'data-event', (would ?? was).event);
  return { node, update() {} };
}
