// Phones: the state of their app, and the remaining window as a bar.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { countdown } from './figures.js';
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
    node: el('li', { 'data-phone': phone }, el('div.row', {}, title, carries, state, left), bar, why),
    update(one) {
      now = one;
      attribute(state, 'data-kind', { foreground: 'good', ranging: 'good', background: 'good' }[one.state] ?? 'fog');
      say(state, words.phone.state[one.state] ?? one.state);
      say(carries, words.phone.carries(nameOf(one)));
      say(why, [words.outcomes[one.why] ?? one.why, `${one.os}, ${one.strategy}`].filter(Boolean).join(' · '));
      count();
    },
  };
}
