// The latest transitions and verdicts on phones, newest first, each with its evidence.
import { attribute, el, empty, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { deviation, distance, momentOf, dateOf } from './figures.js';
import { gatewayTime, nameOf } from './store.js';
import { keep, kept } from './route.js';

/** One column: what comes after the list should not be far. */
const isNarrow = matchMedia('(max-width: 999px)');

const shapes = { enter: '▸', near: '◆', exit: '◂', verdict: '▪' };

export function feed() {
  const rows = el('ol.feed'), none = empty(words.now.noTransitions), noMatch = el('p.note', { text: words.now.noMatch });
  const filter = el('input', { type: 'search', 'aria-label': words.now.filter, placeholder: words.now.filter });
  const update = list(rows, row);
  const more = el('button', { type: 'button', text: words.now.showAll, onclick: () => { isWhole = true; apply(); } });
  let shown = [], isWhole = false, was = [];
  const apply = () => {
    const wanted = filter.value.trim().toLowerCase();
    const match = shown.filter((one) => !wanted || [one.zone, one.room, one.beacon, nameOf(one), one.phone, one.event].some((text) => text?.toLowerCase().includes(wanted)));
    const most = isWhole ? match.length : isNarrow.matches ? 8 : 25;
    update(match.slice(0, most), (one) => one.key);
    show(more, match.length > most);
    show(noMatch, shown.length > 0 && match.length === 0);
  };
  filter.value = kept('latest', '');
  filter.addEventListener('input', () => { keep('latest', filter.value); apply(); });
  return {
    node: el('div.feed-box', {}, filter, none, noMatch, rows, more),
    update({ transitions = [], verdicts = [] }) {
      if (transitions === was[0] && verdicts === was[1]) return;
      was = [transitions, verdicts];
      shown = [
        ...transitions.map((one) => ({ ...one, key: one.id ?? `${one.epoch}-${one.seq}`, at: Date.parse(one.time) })),
        ...verdicts.map((one) => ({ ...one, event: 'verdict', key: `${one.transition}/${one.phone}`, at: Date.parse(one.time) })),
      ].sort((a, b) => b.at - a.at || (b.seq ?? 0) - (a.seq ?? 0)).slice(0, 60);
      show(none, shown.length === 0);
      show(filter, shown.length > 4);
      apply();
    },
  };
}

function row(one) {
  const isVerdict = one.event === 'verdict', missed = isVerdict && one.delivered_at == null;
  const who = isVerdict ? el('strong') : link(['beacon', one.beacon]);
  say(who, isVerdict ? one.phone : nameOf(one));
  const what = el('span.what', { 'data-event': one.event }, el('span', { 'aria-hidden': 'true', text: shapes[one.event] ?? '•' }),
    ` ${words.feed.event[one.event] ?? words.feed.verdict}`);
  const place = el('span.at'), why = el('span.why');
  say(place, one.zone ?? one.room ?? '');
  say(why, isVerdict ? words.feed.outcome(one) : evidence(one, true));
  if (!isVerdict) attribute(why, 'title', evidence(one));
  const time = el('time', { datetime: one.time, title: dateOf(one.at), text: momentOf(one.at, gatewayTime()) });
  const node = el('li', { 'data-id': one.key, 'data-kind': isVerdict ? 'verdict' : 'transition' }, time, what, el('span.who', {}, who, place), why);
  attribute(node, 'data-missed', missed);
  return { node, update() {} };
}

export function evidence(one, isShort) {
  const parts = [];
  if (one.distance_m != null) parts.push(`${distance(one.distance_m)} ${deviation(one.distance_sd_m)}`);
  else if (one.because?.probability != null) parts.push(words.feed.sure(one.event === 'exit' ? 1 - one.because.probability : one.because.probability));
  parts.push(words.reason(one.because, one.event));
  if (one.because?.samples != null) parts.push(words.feed.heardBy(one.because, isShort));
  return parts.join(' · ');
}
