// The dwell time that is running: which decision comes next, and when.
import { attribute, el, say } from './dom.js';
import { words } from './words.js';

export function dwellBar() {
  const fill = el('span.fill'), label = el('span.amount');
  const bar = el('span.window', { role: 'progressbar', 'aria-valuemin': 0, 'aria-valuemax': 100 }, fill);
  const node = el('span.dwell', { 'data-idle': true }, label, bar);
  return {
    node,
    update(dwell, now) {
      attribute(node, 'data-idle', !dwell);
      attribute(node, 'data-event', dwell?.event);
      const whole = dwell ? dwell.due - dwell.since : 1, share = dwell ? Math.min(1, Math.max(0, (now - dwell.since) / Math.max(1, whole))) : 0;
      attribute(bar, 'aria-label', dwell ? words.beacon.dwellLabel(dwell.event) : words.beacon.dwellLabel('enter'));
      attribute(bar, 'aria-valuenow', Math.round(share * 100));
      fill.style.transform = `scaleX(${share.toFixed(3)})`;
      say(label, dwell ? words.beacon.dwell(dwell.event, Math.max(0, dwell.due - now) / 1000) : '');
    },
  };
}
