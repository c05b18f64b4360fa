// The receivers: their states, rates and faults.
import { attribute, el, empty, list, say, show } from './dom.js';
import { words } from './words.js';
import { duration, number } from './figures.js';
import { gatewayTime } from './store.js';
import { sparkline } from './sparkline.js';

export const blindStates = new Set(['deaf', 'empty', 'blind', 'gone', 'missing']);
/** Whether any receiver works. */
export const hears = ({ health }) => health.receivers.some((one) => !blindStates.has(one.state));

export function receivers() {
  const rows = el('ul.rows'), none = empty(words.now.noReceiver);
  const update = list(rows, receiver);
  return {
    node: el('div', {}, none, rows),
    update({ health }) {
      show(none, health.receivers.length === 0);
      update(health.receivers, (one) => one.name);
    },
  };
}

function receiver({ name }) {
  const title = el('strong'), state = el('span.badge'), rate = el('span.amount'), why = el('p.note'), line = sparkline(0, null);
  const rates = [];
  say(title, name);
  const node = el('li', { 'data-receiver': name }, el('div.row', {}, title, state, line.node, rate), why);
  return {
    node,
    update(one) {
      const isBlind = blindStates.has(one.state);
      attribute(node, 'data-blind', isBlind);
      attribute(state, 'data-kind', isBlind ? 'bad' : ['lossy', 'doubted'].includes(one.state) ? 'warn' : 'good');
      say(state, (isBlind && one.state !== 'blind' ? `${words.now.blindWord}: ` : '') + (words.receiver[one.state] ?? one.state));
      // Of one that reports advertisements without data the rate tells something.
      say(rate, isBlind && one.state !== 'empty' ? '' : words.now.rate(number(one.advertisements_per_s, one.advertisements_per_s < 100 ? 1 : 0)));
      rates.push(one.advertisements_per_s);
      if (rates.length > 60) rates.shift();
      line.update(rates);
      const parts = [];
      if (one.reason) parts.push(one.reason);
      if (isBlind) parts.push(one.last_heard ? words.now.ago(duration(gatewayTime() - Date.parse(one.last_heard))) : words.now.notSinceStart);
      if (one.lost) parts.push(words.now.lost(one.lost));
      if (one.recoveries) parts.push(words.now.recoveries(one.recoveries));
      if (Math.abs(one.gain_db) >= 1) parts.push(words.now.gain(one.gain_db));
      say(why, parts.join(' · '));
      show(why, parts.length > 0);
    },
  };
}
