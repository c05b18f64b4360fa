// Zooms all drawings together, shows the values of an instant and filters the cards. Without it the page shows the same drawings.
(() => {
'use strict';
const data = JSON.parse(document.getElementById('data').textContent);
const words = data.words;
const last = Math.max(1, data.end);
// Browsers cannot lay out elements that are wider than some million pixels.
const shortest = Math.min(last, Math.max(500, last / 20000));
// `at`: the instant whose values are shown; `charts`: one for each card, filled below.
const view = { from: 0, to: last, at: 0, active: null, charts: [] };
const drawings = document.querySelector('.cards').style;
const controls = document.getElementById('controls');
const choices = [...controls.querySelectorAll('select')];

const number = (value, decimals) => String(+value.toFixed(decimals));
const metres = (value) => number(value, value < 10 ? 1 : 0) + '\u00a0m';

// As in the rest of the page: no more precise than useful.
function clock(time) {
  const seconds = time / 1000;
  if (Math.abs(seconds) < 600) return number(seconds, 1) + '\u00a0s';
  const minutes = Math.trunc(time / 60000), rest = Math.trunc(time / 1000) % 60;
  if (minutes < 120) return minutes + '\u00a0min' + (rest > 0 ? '\u00a0' + rest + '\u00a0s' : '');
  return Math.trunc(minutes / 60) + '\u00a0h' + (minutes % 60 > 0 ? '\u00a0' + minutes % 60 + '\u00a0min' : '');
}

const timeSteps = [10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 30000, 60000, 120000, 300000, 600000,
  1200000, 1800000, 3600000, 7200000, 14400000, 21600000, 43200000, 86400000, 172800000, 604800000];
const stepFor = (wanted) => timeSteps.find((step) => step >= wanted) || wanted;

// The last entry that began by then; entries are in order.
function before(entries, time) {
  let low = 0, high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (entries[middle][0] <= time) low = middle + 1; else high = middle;
  }
  return low - 1;
}

function setView(from, to) {
  const span = Math.min(last, Math.max(shortest, to - from));
  view.from = Math.min(Math.max(0, from), last - span);
  view.to = view.from + span;
  drawings.setProperty('--from', view.from / last);
  drawings.setProperty('--share', span / last);
  writeTicks();
  for (const { box } of view.charts) {
    box.dataset.from = Math.round(view.from);
    box.dataset.to = Math.round(view.to);
  }
  document.getElementById('range').textContent = clock(Math.round(view.from)) + ' – ' + clock(Math.round(view.to));
}

function zoom(factor, around) {
  const span = (view.to - view.from) * factor;
  const share = (around - view.from) / (view.to - view.from);
  const kept = Math.min(last, Math.max(shortest, span));
  setView(around - share * kept, around + (1 - share) * kept);
}

const pan = (share) => setView(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

function writeTicks() {
  const unit = last > 7200000 ? 3600000 : last > 600000 ? 60000 : 1000, step = stepFor((view.to - view.from) / 5);
  const decimals = Math.min(3, Math.max(0, Math.ceil(-Math.log10(step / unit) - 1e-9)));
  let text = '';
  for (let i = Math.ceil(view.from / step); i * step <= view.to; i += 1) {
    const place = (i * step - view.from) / (view.to - view.from) * 100;
    text += `<span style="left:${place.toFixed(3)}%">${number(i * step / unit, decimals)}</span>`;
  }
  for (const { ticks } of view.charts) ticks.innerHTML = text;
}

function setInstant(time, chart) {
  view.at = Math.round(Math.min(Math.max(0, time), last));
  if (chart) view.active = chart;
  const half = (view.to - view.from) / 2;
  if (view.at < view.from || view.at > view.to) setView(view.at - half, view.at + half);
  drawings.setProperty('--at', view.at / last);
  for (const { box } of view.charts) {
    box.setAttribute('aria-valuenow', view.at);
    box.setAttribute('aria-valuetext', clock(view.at));
  }
  soon();
  speak();
}

function distanceAt(card, curve, time) {
  if (time > card.known) return 'not known';
  const i = before(curve, time);
  if (i < 0 || curve[i][1] === null) return 'out of range';
  const [from, metresThen] = curve[i], next = curve[i + 1];
  if (!next || next[1] === null || next[0] <= from) return metres(metresThen);
  return metres(metresThen + (next[1] - metresThen) * (time - from) / (next[0] - from));
}

const holding = (lane, time) => lane.r.reduce((found, row) => {
  const i = before(row, time);
  return i >= 0 && time < row[i][1] ? found.concat([row[i]]) : found;
}, []);

function findings(card, time) {
  if (time > card.end) return [['State', 'not followed further']];
  if (time > card.until) return [['State', 'too much for this page: see --json']];
  // One of each beacon.
  const found = card.d.map(([name, curve]) => [name < 0 ? 'Distance' : words[name], distanceAt(card, curve, time)]);
  const window = card.w[before(card.w, time)];
  if (window) {
    found.push(['State', data.states[window[1]][2] + (window[3] < 0 ? '' : '. ' + words[window[3]])]);
    if (card.counts) {
      const left = window[1] > 2 ? 0 : window[2] < 0 ? Infinity : Math.max(0, window[2] - time);
      found.push(['Time left', left === Infinity ? 'unlimited' : clock(left)]);
    }
  }
  for (const lane of card.lanes) {
    const spans = lane.r.length ? holding(lane, time) : null, kind = words[lane.k];
    if (kind === 'tasks') found.push(['Tasks held', String(spans ? spans.length : 0)]);
    else if (kind === 'location') found.push(['Location', spans && spans.length ? 'on' : 'off']);
    else if (spans && spans.length) found.push([words[lane.n], spans.map((span) => words[span[2]]).join(', ')]);
  }
  const i = before(card.f, time), facts = card.f.slice(Math.max(0, i - 1), i + 1).reverse();
  if (facts.length) found.push(['Last', facts.map((fact) => words[fact[1]] + ' at ' + clock(fact[0])).join('; ')]);
  return found;
}

function readOut(chart) {
  const lines = [['At', clock(view.at)]].concat(findings(chart.card, view.at));
  chart.out.replaceChildren(...lines.map(([name, value]) => {
    const item = document.createElement('div'), term = document.createElement('dt'), told = document.createElement('dd');
    term.textContent = name;
    told.textContent = value;
    if (name === 'State' || name === 'Last') item.className = 'long';
    item.append(term, told);
    return item;
  }));
}

// Draws what is visible, or soon will be, at most once a frame. A hidden page has no frames, so a timer does it there.
let timer = 0;
function soon() {
  if (timer) return;
  const run = () => {
    if (!timer) return;
    clearTimeout(timer);
    timer = 0;
    for (const chart of view.charts) {
      const { top, bottom, width } = chart.box.getBoundingClientRect();
      if (width > 0 && bottom > -600 && top < innerHeight + 600) readOut(chart);
    }
  };
  timer = setTimeout(run, 120);
  requestAnimationFrame(run);
}

// Announced only once the pointer rests, because a screen reader cannot follow every pixel.
let pause = 0;
function speak() {
  clearTimeout(pause);
  if (!view.active) return;
  pause = setTimeout(() => {
    document.getElementById('say').textContent = clock(view.at) + '. '
      + findings(view.active.card, view.at).map(([name, value]) => name + ': ' + value).join('. ') + '.';
  }, 350);
}

// Mouse, fingers and keys on a drawing.
function listen(chart) {
  const { box } = chart, fingers = new Map(), strip = box.querySelector('.plot .strip');
  const timeAt = (x) => {
    const { left, width } = strip.getBoundingClientRect();
    return view.from + (x - left) / width * (view.to - view.from);
  };
  let drag = null;

  box.addEventListener('pointerdown', (event) => {
    fingers.set(event.pointerId, event.clientX);
    drag = { x: event.clientX, from: view.from, to: view.to, moved: false, gap: 0 };
    if (fingers.size === 2) {
      const [a, b] = [...fingers.values()];
      drag.gap = Math.max(10, Math.abs(a - b));
      drag.around = timeAt((a + b) / 2);
    }
  });
  box.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) {
      if (event.pointerType !== 'touch') setInstant(timeAt(event.clientX), chart);
      return;
    }
    fingers.set(event.pointerId, event.clientX);
    if (fingers.size === 2 && drag.gap) {
      const [a, b] = [...fingers.values()];
      const scale = drag.gap / Math.max(10, Math.abs(a - b)), share = (drag.around - drag.from) / (drag.to - drag.from);
      const span = (drag.to - drag.from) * scale;
      drag.moved = true;
      return setView(drag.around - share * span, drag.around + (1 - share) * span);
    }
    if (!drag.moved && Math.abs(event.clientX - drag.x) < 5) return;
    if (!drag.moved && box.setPointerCapture) try { box.setPointerCapture(event.pointerId); } catch { /* gone already */ }
    drag.moved = true;
    const shift = (drag.x - event.clientX) / strip.clientWidth * (drag.to - drag.from);
    setView(drag.from + shift, drag.to + shift);
  });
  const lift = (event) => {
    if (fingers.delete(event.pointerId) && drag && !drag.moved && event.type === 'pointerup') {
      setInstant(timeAt(event.clientX), chart);
    }
    if (fingers.size === 0) drag = null;
  };
  box.addEventListener('pointerup', lift);
  box.addEventListener('pointercancel', lift);

  // The wheel alone scrolls the page, as everywhere else.
  box.addEventListener('wheel', (event) => {
    if (event.ctrlKey || event.metaKey) {
      event.preventDefault();
      zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120), timeAt(event.clientX));
    } else if (event.shiftKey || Math.abs(event.deltaX) > 2 * Math.abs(event.deltaY)) {
      event.preventDefault();
      pan((event.deltaX || event.deltaY) / 800);
    }
  }, { passive: false });

  box.addEventListener('focus', () => { view.active = chart; });
  box.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !press(event.key, event.shiftKey, chart)) return;
    event.preventDefault();
  });
}

// Returns whether the key was used.
function press(key, isShifted, chart) {
  const step = stepFor((view.to - view.from) / 100);
  const forward = key === 'ArrowRight' || key === 'ArrowUp' ? 1 : key === 'ArrowLeft' || key === 'ArrowDown' ? -1 : 0;
  if (forward && isShifted) pan(forward / 8);
  else if (forward) setInstant(Math.round(view.at / step + forward) * step, chart);
  else if (key === '+' || key === '=') zoom(0.5, view.at);
  else if (key === '-' || key === '_') zoom(2, view.at);
  else if (key === '0') setView(0, last);
  else if (key === 'Home') setInstant(0, chart);
  else if (key === 'End') setInstant(last, chart);
  else return false;
  return true;
}

function filter() {
  const [system, strategy, outcome] = choices.map((choice) => choice.value);
  let shown = 0;
  for (const chart of view.charts) {
    const { systems, strategy: own, outcome: result } = chart.article.dataset;
    const isMeant = (!system || systems.split(' ').includes(system)) && (!strategy || own === strategy)
      && (!outcome || result === outcome);
    chart.article.hidden = !isMeant;
    shown += isMeant ? 1 : 0;
  }
  document.getElementById('count').textContent = shown + ' of ' + view.charts.length
    + (view.charts.length === 1 ? ' card' : ' cards') + (shown ? '' : ': choose less');
  soon();
}

function start(card) {
  const article = document.getElementById(card.id), box = article.querySelector('.timeline');
  const out = document.createElement('dl');
  out.className = 'readout';
  box.classList.add('live');
  box.tabIndex = 0;
  box.removeAttribute('aria-labelledby');
  for (const [name, value] of [
    ['role', 'slider'], ['aria-label', 'Instant in ' + article.querySelector('h3 .name').textContent],
    ['aria-valuemin', 0], ['aria-valuemax', last],
  ]) box.setAttribute(name, value);
  box.after(out);
  const chart = { card, article, box, out, ticks: box.querySelector('.ticks') };
  view.charts.push(chart);
  listen(chart);
  readOut(chart);
}

const first = data.cards.find((card) => card.near >= 0);
view.at = first ? first.near : 0;
data.cards.forEach(start);
controls.hidden = false;
addEventListener('scroll', soon, { passive: true });
addEventListener('resize', soon);
for (const choice of choices) choice.addEventListener('change', filter);
controls.addEventListener('click', (event) => {
  const what = event.target.dataset.do, middle = (view.from + view.to) / 2;
  const around = view.at >= view.from && view.at <= view.to ? view.at : middle;
  if (what === 'in') zoom(0.5, around);
  if (what === 'out') zoom(2, around);
  if (what === 'back') pan(-0.25);
  if (what === 'on') pan(0.25);
  if (what === 'reset') setView(0, last);
});
// A link to a hidden card shows all cards again.
document.addEventListener('click', (event) => {
  const link = event.target.closest('a[href^="#p"]'), card = link && document.getElementById(link.hash.slice(1));
  if (!card || !card.hidden) return;
  for (const choice of choices) choice.value = '';
  filter();
});
// A print shows everything, because it cannot be clicked.
let opened = [], shown = null;
addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details:not([open])')];
  for (const one of opened) one.open = true;
  shown = [view.from, view.to];
  setView(0, last);
});
addEventListener('afterprint', () => {
  for (const one of opened) one.open = false;
  if (shown) setView(...shown);
});

filter();
setView(0, last);
setInstant(view.at);
})();
