// The moving picture: raw signal, estimate with its band, thresholds, presence, decisions. Draws what the trace holds for the
// time that the view shows; trace-hand.js moves the view.
import { fromLength } from './figures.js';
import { axis, roundUp } from './trace-axes.js';
import { calm, colours, onTheme, series } from './theme.js';
import { beyond, presence } from './trace-data.js';
import { drawBand, drawFrame, drawLine, drawLines, drawReach, drawTime, thresholds } from './trace-paint.js';
import { drawDots } from './trace-dots.js';
import { drawMarks, drawNow, drawPresence } from './trace-decisions.js';

const names = ['card', 'sunk', 'line', 'edge', 'ink', 'ink-2', 'ink-3', 'sea', 'sea-fill', 'sea-soft', 'lamp', 'lamp-fill', 'lamp-soft', 'fog', 'link', 'red'];

export function traceCanvas(canvas, trace) {
  const context = canvas.getContext('2d');
  const chart = {
    canvas, context, trace,
    /** The time shown: span and end in ms; end null: follows the present. */
    view: { span: 60_000, end: null },
    scale: 'log', zone: null, zoneName: null, isTrying: false,
    /** Configured and tried numbers; tried is null if nothing is tried. */
    numbers: null, tried: null, wouldBe: null,
    cursor: null, isPaused: false, quietAfter: 5000,
    palette: null, series: null, frame: null, onframe: () => {},
  };
  let isDirty = true, hasNews = false, drawnEnd = 0, most = 0, request = 0, timer = 0, last = 0, isEnded = false;
  /** The gateway's time that is being shown at the right edge. */
  let arrival = performance.now();

  const paint = () => { chart.palette = colours(names); chart.series = series(); chart.redraw(); };
  const stopTheme = onTheme(paint);
  const observer = new ResizeObserver(() => {
    const ratio = Math.min(2, devicePixelRatio || 1), { width, height } = canvas.getBoundingClientRect();
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    chart.rem = parseFloat(getComputedStyle(document.documentElement).fontSize);
    chart.width = width;
    chart.height = height;
    chart.redraw();
  });

  chart.redraw = () => { isDirty = true; request ||= requestAnimationFrame(look); };
  chart.arrived = () => { arrival = performance.now(); hasNews = true; if (!request && !timer) again(0); };
  /** Continues between two messages, slightly late, so that new points slide in. */
  chart.present = () => trace.to + Math.min(400, performance.now() - arrival) - 150;
  chart.end = () => chart.view.end ?? chart.present();
  chart.rescale = () => { most = 0; chart.redraw(); };
  chart.stop = () => { isEnded = true; cancelAnimationFrame(request); clearTimeout(timer); observer.disconnect(); stopTheme(); };

  function layout() {
    const { rem } = chart, left = 2.6 * rem, gutter = chart.numbers && thresholds(chart.numbers).length || chart.wouldBe ? (chart.width < 520 ? 5 : 7.2) : 1.2, right = chart.width - gutter * rem, bottom = chart.height - 1.5 * rem;
    const ribbons = (chart.wouldBe ? 2 : 1) * 0.9 * rem + 0.3 * rem, isSignal = chart.unit === 'dBm';
    const head = 1.5 * rem, body = bottom - head - ribbons - rem * 1.1, upper = body * (isSignal ? 0.4 : 0.64);
    const top = { top: head, bottom: head + upper }, ribbon = { top: head + upper + 0.3 * rem, height: 0.9 * rem };
    return { rem, left, right, bottom, top, ribbon, low: { top: top.bottom + ribbons + rem * 1.1, bottom } };
  }

  function range(estimates, from, to) {
    let far = 0;
    if (estimates) sample(estimates.t, from, to, (i) => { far = Math.max(far, estimates.distance.at(i) || 0); });
    const numbers = chart.tried ?? chart.numbers;
    if (chart.unit !== 'dBm') for (const value of [numbers?.exit?.threshold, numbers?.enter?.threshold, numbers?.near?.rearm, numbers?.near?.threshold]) far = Math.max(far, (value ?? 0) * 1.25);
    most = Math.max(most, roundUp(Math.max(5, far)));
    return most;
  }

  /** Some two thousand of the values are enough to choose an axis. */
  function sample(t, from, to, visit) {
    const first = t.find(from), last = t.find(to + 1), step = Math.max(1, Math.floor((last - first) / 2000));
    for (let i = first; i < last; i += step) visit(i);
  }

  function signals(from, to) {
    let low = -90, high = -50;
    const { t, rssi } = trace.sightings;
    sample(t, from, to, (i) => {
      const level = rssi.at(i);
      if (level < low) low = level; else if (level > high) high = level;
    });
    return [Math.floor((low - 2) / 10) * 10, Math.ceil((high + 2) / 10) * 10];
  }

  function draw() {
    const began = performance.now(), end = chart.end(), from = end - chart.view.span, space = layout();
    const estimates = trace.estimates.get(chart.estimating) ?? trace.estimates.values().next().value;
    const distances = axis(chart.scale, chart.scale === 'log' ? 0.3 : 0, range(estimates, from, end), space.top.top, space.top.bottom, fromLength(1));
    const strengths = axis('linear', ...signals(from, end), space.low.top, space.low.bottom);
    const x = (time) => space.left + (time - from) / chart.view.span * (space.right - space.left);
    const lineAxis = chart.unit === 'dBm' ? strengths : distances;
    const frame = { from, end, space, distances, strengths, lineAxis, x, estimates, time: (at) => from + (at - space.left) / (space.right - space.left) * chart.view.span };
    chart.frame = frame;
    context.clearRect(0, 0, chart.width, chart.height);
    drawReach(chart, frame);
    drawFrame(chart, frame);
    drawTime(chart, frame);
    within(strengths, space, () => {
      drawDots(chart, frame);
      if (estimates) drawLine(chart, frame, estimates, 'rssi', strengths, chart.palette.ink, 1.5);
    });
    within(distances, space, () => {
      if (estimates) {
        drawBand(chart, frame, estimates);
        drawLine(chart, frame, estimates, 'distance', distances, chart.palette['sea-fill'], 2);
      }
      if (chart.triedEstimates) drawLine(chart, frame, chart.triedEstimates, 'distance', distances, chart.palette.lamp, 1.5, [5, 4]);
    });
    drawLines(chart, frame);
    const live = trace.live(chart.zoneName), own = trace.transitions.filter((one) => one.zone === chart.zoneName);
    const rearmed = (numbers, columns) => (since, until) => beyond(columns, numbers?.near, since, until);
    drawPresence(chart, frame, presence(own, live ?? {}, trace, rearmed(chart.numbers, estimates)), 0, trace.unknown.get(chart.zoneName));
    if (chart.wouldBe) drawPresence(chart, frame, presence(chart.wouldBe.transitions, {}, chart.wouldBe, rearmed(chart.tried, chart.triedEstimates ?? estimates)), 1);
    drawMarks(chart, frame, own);
    if (chart.view.end === null && estimates) drawNow(chart, frame, estimates, live);
    publish(frame, began);
    chart.onframe(frame);
  }

  function within({ top, bottom }, { left, right }, body) {
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    body();
    context.restore();
  }

  // For tests: where things are drawn, in CSS pixels of the canvas.
  let frames = 0, cost = 0, published = 0, isUnpublished = false;
  function publish(frame, began) {
    frames += 1;
    cost += (performance.now() - began - cost) / Math.min(frames, 30);
    if (began - published < 100) { isUnpublished = true; return; }
    published = began;
    isUnpublished = false;
    const { distances, strengths, space } = frame, round = (v) => Math.round(v * 100) / 100;
    const plain = ({ kind, least, most: top, ...where }) => ({ kind, least, most: top, top: round(where.top), bottom: round(where.bottom) });
    Object.assign(canvas.dataset, {
      unknown: JSON.stringify(trace.unknown.get(chart.zoneName) ?? []),
      frames, frameMs: cost.toFixed(2), from: Math.round(frame.from), to: Math.round(frame.end), left: round(space.left), right: round(space.right),
      distance: JSON.stringify(plain(distances)), signal: JSON.stringify(plain(strengths)),
      lines: JSON.stringify((chart.lines ?? []).map(({ line, value, y }) => ({ line, value, y: round(y) }))),
    });
  }

  /** Checks whether there is something to draw, and when to check again: an idle page requests no frames. */
  function look(now) {
    request = 0;
    if (isEnded) return;
    const isMoving = chart.view.end === null && !chart.isPaused && performance.now() - arrival < 1000, pixel = chart.view.span / canvas.width;
    if (isUnpublished && now - published > 100 && chart.frame) isDirty = true;
    // Time moves by whole pixels. New points wait for the next pixel, but not for long.
    const isDue = isDirty || isMoving && Math.abs(chart.end() - drawnEnd) >= pixel || hasNews && now - last > 90;
    // 30 frames a second are smooth at this speed; users who prefer reduced motion get four.
    const least = calm.matches ? 250 : 30;
    if (isDue && now - last >= least && chart.width && chart.palette) {
      last = now;
      isDirty = hasNews = false;
      draw();
      drawnEnd = chart.frame.end;
    }
    if (isDirty) again(least - (now - last));
    else if (isMoving || isUnpublished || hasNews) again(Math.max(least, Math.min(90, pixel)) - 8);
  }
  function again(pause) {
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; request ||= requestAnimationFrame(look); }, Math.max(0, pause));
  }

  observer.observe(canvas);
  paint();
  return chart;
}
