// Draws the parts of the chart. Each function draws one part from the chart and its frame, which has the present coordinates.
import { timeTicks } from './trace-axes.js';
import { decisive, minuteOf, short, timeOf, toLength, typeface } from './figures.js';
import { lengthUnit } from './language.js';
import { words } from './words.js';

export const font = (frame, size = 0.75, weight = 400) => `${weight} ${(frame.space.rem * size).toFixed(1)}px ${typeface}`;

/** The areas of inside and near, in the background. */
export function drawReach({ context, palette, tried, numbers }, { space, lineAxis }) {
  const now = tried ?? numbers;
  if (!now) return;
  const isShown = (part) => part?.threshold != null && (part.unit === 'dBm') === (lineAxis.least < 0);
  const ground = (from, to, colour, alpha) => {
    const a = Math.max(lineAxis.top, Math.min(lineAxis.bottom, from)), b = Math.max(lineAxis.top, Math.min(lineAxis.bottom, to));
    context.globalAlpha = alpha;
    context.fillStyle = colour;
    context.fillRect(space.left, Math.min(a, b), space.right - space.left, Math.abs(b - a));
    context.globalAlpha = 1;
  };
  // Near is at the top of the signal axis, and at the bottom of the distance axis.
  const close = lineAxis.least < 0 ? lineAxis.top : lineAxis.bottom;
  if (isShown(now.exit) && isShown(now.enter)) ground(lineAxis.y(now.exit.threshold), lineAxis.y(now.enter.threshold), palette['sea-soft'], 0.3);
  if (isShown(now.enter)) ground(lineAxis.y(now.enter.threshold), close, palette['sea-soft'], 0.75);
  if (isShown(now.near)) ground(lineAxis.y(now.near.threshold), close, palette['lamp-soft'], 0.9);
}

export function drawFrame({ context, palette }, frame) {
  const { space, distances, strengths } = frame;
  context.font = font(frame);
  context.textBaseline = 'middle';
  for (const [axis, title, shown] of [[distances, `${words.beacon.distance} (${lengthUnit})`, toLength], [strengths, `${words.beacon.signal} (${words.beacon.signalUnit})`, (v) => v]]) {
    context.lineWidth = 1;
    context.textAlign = 'right';
    let free = Infinity;
    for (const tick of axis.ticks()) {
      const y = Math.round(axis.y(tick)) + 0.5;
      context.strokeStyle = palette.line;
      context.globalAlpha = 0.8;
      context.beginPath();
      context.moveTo(space.left, y);
      context.lineTo(space.right, y);
      context.stroke();
      context.globalAlpha = 1;
      if (y > free - space.rem * 0.8) continue;
      free = y;
      context.fillStyle = palette['ink-3'];
      context.fillText(short(shown(tick)), space.left - 6, y);
    }
    context.textAlign = 'left';
    context.fillStyle = palette['ink-2'];
    context.font = font(frame, 0.75, 600);
    context.fillText(title, space.left, axis.top - space.rem * 0.6);
    context.font = font(frame);
  }
}

export function drawTime({ context, palette }, frame) {
  const { space, from, end, x } = frame;
  const { ticks, step } = timeTicks(from, end, (space.right - space.left) / (space.rem * 5.5));
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.strokeStyle = palette.line;
  context.fillStyle = palette['ink-3'];
  context.globalAlpha = 0.8;
  context.beginPath();
  for (const tick of ticks) {
    const at = Math.round(x(tick)) + 0.5;
    context.moveTo(at, space.top.top);
    context.lineTo(at, space.bottom);
  }
  context.stroke();
  context.globalAlpha = 1;
  for (const tick of ticks) context.fillText(step < 60_000 ? timeOf(tick) : minuteOf(tick), Math.max(space.left + space.rem * 1.6, x(tick)), space.bottom + space.rem * 0.8);
}

export function dot(context, shape, x, y, size) {
  const half = size / 2;
  if (shape === 0) context.rect(x - half, y - half, size, size);
  else if (shape === 1) { context.moveTo(x, y - size * 0.8); context.lineTo(x + size * 0.8, y); context.lineTo(x, y + size * 0.8); context.lineTo(x - size * 0.8, y); }
  else if (shape === 2) { context.moveTo(x - half, y - half); context.lineTo(x + half, y + half); context.moveTo(x + half, y - half); context.lineTo(x - half, y + half); }
  else { context.moveTo(x, y - size * 0.8); context.lineTo(x + size * 0.8, y + half); context.lineTo(x - size * 0.8, y + half); }
}

/** Visits the visible estimates, at most one for each pixel, with a break where the beacon was silent. */
function walk(columns, { from, end, x, time }, silence, visit, lift) {
  const { t } = columns;
  let i = Math.max(0, t.find(from) - 1), before = -Infinity;
  const pixel = time(1) - time(0), isDense = (t.find(end) - i) * pixel > (end - from) * 3;
  while (i < t.length) {
    const at = t.at(i);
    if (at - before > silence && before > -Infinity) lift();
    before = at;
    visit(i, x(at));
    if (at > end) break;
    i = isDense ? Math.max(i + 1, t.find(at + pixel)) : i + 1;
  }
}

export function drawBand(chart, frame, estimates) {
  const { context, palette } = chart, { distances } = frame;
  const flush = () => {
    if (upper.length > 1) {
      context.beginPath();
      upper.forEach(([px, py], i) => i ? context.lineTo(px, py) : context.moveTo(px, py));
      for (let i = lower.length - 1; i >= 0; i -= 1) context.lineTo(lower[i][0], lower[i][1]);
      context.fill();
    }
    upper = [];
    lower = [];
  };
  let upper = [], lower = [];
  context.fillStyle = palette['sea-fill'];
  context.globalAlpha = 0.24;
  walk(estimates, frame, chart.quietAfter, (i, px) => {
    const d = estimates.distance.at(i), sd = estimates.sd.at(i);
    if (Number.isNaN(d)) return;
    upper.push([px, distances.y(d + sd)]);
    lower.push([px, distances.y(Math.max(distances.least * 0.6, d - sd))]);
  }, flush);
  flush();
  context.globalAlpha = 1;
}

export function drawLine(chart, frame, columns, name, axis, colour, width, dash = []) {
  const { context } = chart;
  let isDown = false;
  context.strokeStyle = colour;
  context.lineWidth = width * frame.space.rem / 16;
  context.lineJoin = 'round';
  context.setLineDash(dash);
  context.beginPath();
  walk(columns, frame, chart.quietAfter, (i, px) => {
    const value = columns[name].at(i);
    if (Number.isNaN(value)) { isDown = false; return; }
    if (isDown) context.lineTo(px, axis.y(value)); else context.moveTo(px, axis.y(value));
    isDown = true;
  }, () => { isDown = false; });
  context.stroke();
  context.setLineDash([]);
}

const lineColour = { near: 'lamp', rearm: 'lamp', enter: 'sea', exit: 'ink-2' };

/** Thresholds. While trying, the configured ones stay as faint lines. */
export function drawLines(chart, { space, distances, strengths }) {
  const { context, palette } = chart;
  const stroke = (y, colour, dash, alpha) => {
    context.strokeStyle = colour;
    context.globalAlpha = alpha;
    context.setLineDash(dash);
    context.lineWidth = 1.5 * space.rem / 16;
    context.beginPath();
    context.moveTo(space.left, y);
    context.lineTo(space.right, y);
    context.stroke();
  };
  const axisOf = (unit) => unit === 'dBm' ? strengths : distances;
  const now = thresholds(chart.tried ?? chart.numbers), configured = thresholds(chart.numbers);
  if (chart.tried) {
    for (const { line, value, unit } of configured) {
      if (now.some((one) => one.line === line && one.value === value)) continue;
      stroke(axisOf(unit).y(value), palette['ink-3'], [2, 4], 0.8);
    }
  }
  chart.lines = now.map((one) => ({ ...one, y: axisOf(one.unit).y(one.value), axis: axisOf(one.unit), text: decisive(one.value, one.unit) }));
  for (const { line, y, axis } of chart.lines) if (y >= axis.top - 1 && y <= axis.bottom + 1) stroke(y, palette[lineColour[line]], line === 'rearm' ? [3, 3] : line === 'exit' ? [8, 4] : [], 1);
  context.setLineDash([]);
  context.globalAlpha = 1;
}

export function thresholds(numbers) {
  const lines = [];
  if (numbers?.near) {
    const { threshold, rearm, unit } = numbers.near;
    lines.push({ line: 'near', value: threshold, unit });
    if (rearm != null) lines.push({ line: 'rearm', value: rearm, unit });
  }
  if (numbers?.enter?.threshold != null) lines.push({ line: 'enter', value: numbers.enter.threshold, unit: numbers.enter.unit });
  if (numbers?.exit?.threshold != null) lines.push({ line: 'exit', value: numbers.exit.threshold, unit: numbers.exit.unit });
  return lines;
}
