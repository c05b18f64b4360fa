// The decisions about one beacon, newest first; each leads to its place in the chart.
import { el, list, say, show } from './dom.js';
import { words } from './words.js';
import { timeOf } from './figures.js';
import { evidence } from './feed.js';

export function decisionList(goTo) {
  const rows = el('ol.decisions'), none = el('p.note', { text: words.beacon.noDecisions });
  const update = list(rows, (one) => {
    const place = el('span.at'), why = el('span.why');
    say(place, one.zone ?? one.room ?? '');
    say(why, evidence(one));
    const node = el('li', {}, el('button.quiet', { type: 'button', onclick: () => goTo(one.at) },
      el('time', { text: timeOf(one.at) }), el('span.what', { 'data-event': one.event, text: words.feed.event[one.event] ?? one.event }), place, why));
    return { node, update() {} };
  });
  return {
    node: el('div', {}, none, rows),
    update(transitions) {
      show(none, transitions.length === 0);
      update(transitions.slice(-40).reverse(), (one) => one.id ?? `${one.time}${one.event}${one.zone}`);
    },
  };
}
