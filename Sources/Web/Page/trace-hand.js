// Moves the chart and shows values: wheel, pinch and buttons zoom, dragging pans, hovering and arrow keys show values.
import { el, show } from './dom.js';
import { words } from './words.js';
import { deviation, distance, level, timeOf } from './figures.js';
import { evidence } from './feed.js';

const least = 5000, most = 3_600_000;

export function traceHand(chart, box, spoken) {
  const { canvas, trace, view } = chart;
  const card = el('div.readout', { hidden: true, 'aria-hidden': 'true' });
  box.append(card);

  const touched = () => { chart.redraw(); chart.onmove?.(); };
  /** Zooms around the given time; a view that follows the present keeps following it. */
  function zoom(factor, time = null) {
    const end = chart.end(), span = Math.min(most, Math.max(least, view.span * factor));
    if (view.end !== null && time !== null) view.end = end + (time - end) * (1 - span / view.span);
    view.span = span;
    settle();
    touched();
  }
  function pan(ms) {
    view.end = chart.end() + ms;
    settle();
    touched();
  }
  function settle() {
    if (view.end === null) return;
    if (view.end >= trace.to) { if (!chart.isPaused) view.end = null; else view.end = Math.min(view.end, trace.to); }
    else view.end = Math.max(view.end, trace.to - most + Math.min(view.span, most));
  }
  function pause(isPaused) {
    chart.isPaused = isPaused;
    view.end = isPaused ? chart.end() : null;
    touched();
  }
  function live() { chart.isPaused = false; view.end = null; touched(); }

  const local = (event) => { const r = canvas.getBoundingClientRect(); return [event.clientX - r.left, event.clientY - r.top]; };
  canvas.addEventListener('wheel', (event) => {
    event.preventDefault();
    if (!chart.frame) return;
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) return pan(event.deltaX / chart.width * view.span);
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 250), chart.frame.time(local(event)[0]));
  }, { passive: false });

  const pointers = new Map();
  canvas.addEventListener('pointerdown', (event) => {
    if (event.button) return;
    pointers.set(event.pointerId, local(event));
    try { canvas.setPointerCapture(event.pointerId); } catch { /* an invented pointer */ }
  });
  canvas.addEventListener('pointermove', (event) => {
    const at = local(event), before = pointers.get(event.pointerId);
    if (before && chart.frame) {
      const perPixel = view.span / (chart.frame.space.right - chart.frame.space.left);
      if (pointers.size === 2) {
        const [other] = [...pointers].filter(([id]) => id !== event.pointerId).map(([, point]) => point);
        const was = Math.max(20, Math.abs(before[0] - other[0])), is = Math.max(20, Math.abs(at[0] - other[0]));
        zoom(was / is, chart.frame.time((at[0] + other[0]) / 2));
      } else if (at[0] !== before[0]) pan((before[0] - at[0]) * perPixel);
      pointers.set(event.pointerId, at);
    }
    if (!before || event.pointerType === 'mouse') read(chart.frame?.time(at[0]), at[1]);
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => {
    if (pointers.delete(event.pointerId) && event.pointerType !== 'mouse') read(chart.frame?.time(local(event)[0]));
  });
  canvas.addEventListener('pointerleave', () => { if (document.activeElement !== canvas) read(null); });
  canvas.addEventListener('blur', () => read(null));

  canvas.addEventListener('keydown', (event) => {
    const step = view.span / 60, { key } = event;
    const by = { ArrowLeft: -1, ArrowRight: 1 }[key];
    if (by && event.shiftKey) pan(by * view.span / 4);
    else if (by) { read(Math.min(chart.end(), Math.max(chart.end() - view.span, (chart.cursor ?? chart.end()) + by * step))); spoken(card.textContent); }
    else if (key === 'PageUp' || key === 'PageDown') hop(key === 'PageUp' ? -1 : 1);
    else if (key === '+' || key === '=') zoom(0.7);
    else if (key === '-') zoom(1.4);
    else if (key === '0' || key === 'Home') live();
    else if (key === ' ') pause(!chart.isPaused);
    else if (key === 'Escape') read(null);
    else return;
    event.preventDefault();
  });

  /** Moves to the decision before or after the cursor. */
  function hop(by) {
    const own = trace.transitions.filter((one) => one.zone === chart.zoneName), from = chart.cursor ?? chart.end();
    const next = by < 0 ? own.findLast((one) => one.at < from - 1) : own.find((one) => one.at > from + 1);
    if (!next) return;
    if (next.at < chart.end() - view.span || next.at > chart.end()) { view.end = next.at + view.span / 2; settle(); }
    read(next.at);
    spoken(card.textContent);
    touched();
  }

  function read(time) {
    chart.cursor = time ?? null;
    chart.redraw();
    if (time == null || !chart.frame) { show(card, false); return; }
    fill(time);
  }

  function fill(time) {
    const { x, space, marks = [], estimates } = chart.frame, perPixel = view.span / (space.right - space.left);
    const mark = marks.filter((one) => Math.abs(one.transition.at - time) < perPixel * 9)
      .sort((a, b) => Math.abs(a.transition.at - time) - Math.abs(b.transition.at - time))[0];
    const rows = [el('strong', { text: timeOf(time) })];
    const near = nearest(trace.sightings.t, time, Math.max(1500, perPixel * 4));
    if (near >= 0) rows.push(el('span', { text: `${level(trace.sightings.rssi.at(near))} ${trace.receivers[trace.sightings.receiver.at(near)] ?? ''}` }));
    if (estimates && !mark) {
      const i = nearest(estimates.t, time, chart.quietAfter);
      if (i >= 0 && !Number.isNaN(estimates.distance.at(i))) rows.push(el('span', { text: `${distance(estimates.distance.at(i))} ${deviation(estimates.sd.at(i))}` }));
    }
    if (mark) rows.push(el('span.what', { 'data-event': mark.transition.event, text: `${words.feed.event[mark.transition.event]} ${timeOf(mark.transition.at)}` }), el('span', { text: evidence(mark.transition) }));
    card.replaceChildren(...rows.flatMap((row, i) => i ? [' ', row] : [row]));
    show(card, true);
    const at = x(mark?.transition.at ?? time), isRight = at > (space.left + space.right) / 2;
    card.style.transform = `translate(${Math.round(at + (isRight ? -12 : 12))}px, ${Math.round(space.top.top + 6)}px) ${isRight ? 'translateX(-100%)' : ''}`;
  }

  /** Updates the shown values while the chart moves. */
  const refresh = () => { if (chart.cursor !== null && !card.hidden) fill(chart.cursor); };
  return { zoom, pause, live, refresh, read };
}

function nearest(column, time, within) {
  const after = column.find(time);
  let best = -1;
  for (const i of [after - 1, after]) {
    if (i < 0 || i >= column.length || Math.abs(column.at(i) - time) > within) continue;
    if (best < 0 || Math.abs(column.at(i) - time) < Math.abs(column.at(best) - time)) best = i;
  }
  return best;
}
