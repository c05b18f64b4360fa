// Phones: the state of their app, the remaining window as a bar, and what the real app noticed beside what was predicted.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { countdown, dateOf, minuteOf } from './figures.js';
import { gatewayTime, nameOf } from './store.js';

export function phones() {
  const rows = el('ul.rows'), bars = new Set();
  const update = list(rows, (phone) => row(phone, bars));
  const timer = setInterval(() => { if (!document.hidden) for (const bar of bars) bar(); }, 200);
  return {
    node: rows,
    update: ({ phones = [] }) => update(phones, (one) => one.phone),
    end: () => clearInterval(timer),
  };
}

function row({ phone }, bars) {
  const title = el('strong'), state = el('span.badge'), left = el('span.amount'), fill = el('span.fill'), why = el('p.note'), carries = el('span.spread');
  const record = recordOf();
  const bar = el('div.window', { role: 'progressbar', 'aria-label': words.phone.window(phone), 'aria-valuemin': 0, 'aria-valuemax': 100 }, fill);
  say(title, phone);
  let now = null;
  const count = () => {
    if (!now) return;
    const until = now.until ? Date.parse(now.until) : null;
    const rest = until == null ? null : Math.max(0, until - gatewayTime());
    const whole = until == null ? 1 : Math.max(1, until - Date.parse(now.since));
    const share = rest == null ? (now.remaining_s == null ? 1 : 0) : Math.min(1, rest / whole);
    fill.style.transform = `scaleX(${share.toFixed(4)})`;
    attribute(bar, 'aria-valuenow', Math.round(share * 100));
    attribute(bar, 'data-short', rest != null && rest < 10_000);
    say(left, rest > 0 ? words.phone.left(countdown(rest)) : rest == null && now.remaining_s == null ? words.phone.unlimited : words.phone.out);
  };
  bars.add(count);
  return {
    node: el('li', { 'data-phone': phone }, el('div.row', {}, title, carries, state, left), bar, why, record.node),
    update(one) {
      now = one;
      attribute(state, 'data-kind', { foreground: 'good', ranging: 'good', background: 'good' }[one.state] ?? 'fog');
      say(state, words.phone.state[one.state] ?? one.state);
      say(carries, words.phone.carries(nameOf(one)));
      say(why, [words.outcomes[one.why] ?? one.why, `${one.os}, ${one.strategy}`].filter(Boolean).join(' · '));
      record.update(one.record);
      count();
    },
  };
}

/** Nothing until the real app has reported. */
function recordOf() {
  const summary = el('summary'), body = el('tbody'), counts = el('p.note'), update = list(body, encounter);
  const head = el('thead', {}, el('tr', {}, ...words.record.columns.map((text) => el('th', { scope: 'col', text }))));
  const node = el('details.record', { hidden: true }, summary, counts, el('div.scroll', {}, el('table', {}, head, body)));
  return {
    node,
    update(record) {
      show(node, record?.since != null);
      if (!record?.since) return;
      say(summary, words.record.summary(record));
      say(counts, words.record.counts(record));
      update(record.latest, (one) => `${one.near_at ?? ''} ${one.near_at ? one.zone : one.seen_at}`);
    },
  };
}

function encounter() {
  const time = el('td'), predicted = el('td'), seen = el('td'), result = el('td');
  return {
    node: el('tr', {}, time, predicted, seen, result),
    update(one) {
      const at = Date.parse(one.near_at ?? one.seen_at);
      say(time, minuteOf(at));
      attribute(time, 'title', dateOf(at));
      say(predicted, words.record.predicted(one));
      say(seen, words.record.seen(one));
      say(result, words.record.result[one.result] ?? one.result);
    },
  };
}
