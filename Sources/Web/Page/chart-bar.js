// The buttons above the chart, and the legend below it.
import { attribute, el, list, say, svg } from './dom.js';
import { words } from './words.js';
import { onTheme, series } from './theme.js';

const shapes = ['M2 2h8v8H2z', 'M6 0l6 6-6 6-6-6z', 'M2 2l8 8M10 2L2 10', 'M6 1l5.5 9.5H.5z'];

export function chartBar(chart, hand, { onTry }) {
  const text = words.beacon;
  const button = (label, act, shown = label) => el('button', { type: 'button', 'aria-label': label, title: label, onclick: act, text: shown });
  const pause = button(text.pause, () => hand.pause(!chart.isPaused)), live = button(text.live, () => hand.live());
  const scale = el('button', { type: 'button', onclick: () => { chart.scale = chart.scale === 'log' ? 'linear' : 'log'; chart.rescale(); update(); } });
  const tryButton = el('button', { type: 'button', onclick: onTry, id: 'try-button' });
  const node = el('div.chart-bar', {}, scale, el('span.group', {}, button(text.zoomOut, () => hand.zoom(1.4), '−'), button(text.zoomIn, () => hand.zoom(0.7), '+')), pause, live, tryButton);
  const entries = el('span.legend-entries'), estimate = entry('distance', text.estimate), legend = el('p.legend', {}, estimate, entry('band', text.band), entry('smooth', text.smooth), entries);
  const updateEntries = list(entries, receiver);
  const paint = () => { const all = series(); for (const mark of entries.querySelectorAll('[data-index]')) mark.style.color = all[mark.dataset.index % all.length]; };
  const stop = onTheme(paint);

  function receiver({ name, index }) {
    const mark = svg('svg', { viewBox: '0 0 12 12', class: 'mark', 'aria-hidden': 'true' }, svg('path', { d: shapes[index % 4] })), label = el('span');
    mark.dataset.index = index;
    if (index % 4 === 2) mark.classList.add('open');
    say(label, name);
    queueMicrotask(paint);
    return { node: el('span.entry', {}, mark, label), update() {} };
  }

  function update(trace) {
    say(pause, chart.isPaused ? text.resume : text.pause);
    attribute(pause, 'aria-label', chart.isPaused ? text.resume : text.pause);
    attribute(pause, 'title', chart.isPaused ? text.resume : text.pause);
    attribute(live, 'aria-pressed', chart.view.end === null && !chart.isPaused);
    say(scale, text[chart.scale]);
    attribute(scale, 'aria-label', `${text.scale}: ${text[chart.scale]}`);
    say(tryButton, chart.isTrying ? text.tryOff : text.tryOn);
    attribute(tryButton, 'aria-pressed', chart.isTrying);
    if (!trace) return;
    // A zone of rooms has no distance.
    const zone = trace.estimates.has(chart.estimating) ? chart.estimating : [...trace.estimates.keys()][0] ?? chart.zoneName;
    say(estimate.lastChild, zone === chart.zoneName ? text.estimate : text.estimateIn(zone));
    updateEntries(trace.receivers.map((name, index) => ({ name, index })).filter((one) => trace.hearers.has(one.index)), (one) => one.name);
  }
  update();
  return { node, legend, update, tryButton, stop };
}

const entry = (kind, text) => el('span.entry', {}, el(`span.swatch.${kind}`, { 'aria-hidden': 'true' }), el('span', { text }));
