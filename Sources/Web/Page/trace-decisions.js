// Draws decisions: when the beacon was inside, the marks of its transitions, and the dwell time of the next one.
import { font } from './trace-paint.js';
import { words } from './words.js';

/** A ribbon: when it was inside, near, or unknown. */
export function drawPresence({ context, palette, wouldBe }, frame, spans, row, unknown = []) {
  const { space, x, from, end } = frame, y = space.ribbon.top + row * space.ribbon.height, height = space.ribbon.height - 2;
  context.fillStyle = palette.sunk;
  context.fillRect(space.left, y, space.right - space.left, height);
  for (const [start, stop, near] of spans) {
    const left = Math.max(space.left, x(Math.max(start, from))), right = Math.min(space.right, x(Math.min(stop, end)));
    if (right <= left) continue;
    context.fillStyle = near ? palette['lamp-fill'] : palette['sea-fill'];
    context.globalAlpha = row ? 0.75 : 1;
    context.fillRect(left, y, right - left, height);
    context.globalAlpha = 1;
  }
  for (const [start, stop] of unknown) hatch(context, palette, Math.max(space.left, x(Math.max(start, from))), Math.min(space.right, x(Math.min(stop ?? end, end))), y, height);
  if (!wouldBe) return;
  context.font = font(frame, 0.6875);
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillStyle = palette['ink-2'];
  context.fillText(row ? words.beacon.wouldBe : words.beacon.actual, space.right + 6, y + height / 2);
}

/** Hatched, like the card of an unknown zone. */
function hatch(context, palette, left, right, y, height) {
  if (right <= left) return;
  context.save();
  context.beginPath();
  context.rect(left, y, right - left, height);
  context.clip();
  context.fillStyle = palette.card;
  context.fillRect(left, y, right - left, height);
  context.strokeStyle = palette.fog;
  context.lineWidth = 2;
  context.beginPath();
  for (let at = left - height; at < right; at += 6) { context.moveTo(at, y + height); context.lineTo(at + height, y); }
  context.stroke();
  context.restore();
}

const marks = { enter: [0, 'sea'], near: [1, 'lamp'], exit: [2, 'ink-2'] };

/** Decisions on the axis of time. */
export function drawMarks({ context, palette, cursor }, frame, transitions) {
  const { space, x, from, end } = frame, y = space.ribbon.top + space.ribbon.height / 2 - 1, size = space.rem * 0.42;
  frame.marks = [];
  for (const one of transitions) {
    if (one.at < from || one.at > end || !marks[one.event]) continue;
    const [shape, colour] = marks[one.event], at = x(one.at);
    frame.marks.push({ x: at, transition: one });
    context.strokeStyle = palette[colour];
    context.globalAlpha = 0.55;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(at, space.top.top);
    context.lineTo(at, y - size);
    context.stroke();
    context.globalAlpha = 1;
    context.beginPath();
    if (shape === 0) { context.moveTo(at - size * 0.7, y - size); context.lineTo(at + size, y); context.lineTo(at - size * 0.7, y + size); }
    else if (shape === 1) { context.moveTo(at, y - size * 1.1); context.lineTo(at + size * 1.1, y); context.lineTo(at, y + size * 1.1); context.lineTo(at - size * 1.1, y); }
    else { context.moveTo(at + size * 0.7, y - size); context.lineTo(at - size, y); context.lineTo(at + size * 0.7, y + size); }
    context.closePath();
    context.fillStyle = palette[colour];
    context.strokeStyle = palette.card;
    context.lineWidth = 2;
    context.stroke();
    context.fill();
  }
  if (cursor === null) return;
  const at = x(cursor);
  if (at < space.left || at > space.right) return;
  context.strokeStyle = palette.ink;
  context.lineWidth = 1;
  context.setLineDash([2, 2]);
  context.beginPath();
  context.moveTo(at, space.top.top);
  context.lineTo(at, space.bottom);
  context.stroke();
  context.setLineDash([]);
}

/** The newest estimate, with the dwell time as a ring around it. */
export function drawNow(chart, frame, estimates, live) {
  const { context, palette, trace } = chart, { x, distances, strengths, space, end } = frame, last = estimates.t.length - 1;
  if (last < 0 || end - estimates.t.at(last) > chart.quietAfter * 2) return;
  const isSignal = chart.unit === 'dBm';
  const value = isSignal ? estimates.rssi.at(last) : estimates.distance.at(last);
  if (Number.isNaN(value)) return;
  const px = Math.min(space.right, x(estimates.t.at(last))), py = (isSignal ? strengths : distances).y(value);
  context.fillStyle = live?.near ? palette['lamp-fill'] : live?.inside ? palette['sea-fill'] : palette['ink-3'];
  context.strokeStyle = palette.card;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(px, py, space.rem * 0.3, 0, 7);
  context.fill();
  context.stroke();
  const dwell = trace.pending(chart.zoneName);
  if (!dwell) return;
  const share = Math.min(1, Math.max(0, (Math.min(trace.to + 400, end + 150) - dwell.since) / (dwell.due - dwell.since)));
  context.lineWidth = space.rem * 0.22;
  context.strokeStyle = palette.line;
  context.beginPath();
  context.arc(px, py, space.rem * 0.65, 0, 7);
  context.stroke();
  context.strokeStyle = dwell.event === 'near' ? palette['lamp-fill'] : dwell.event === 'enter' ? palette['sea-fill'] : palette['ink-2'];
  context.beginPath();
  context.arc(px, py, space.rem * 0.65, -Math.PI / 2, -Math.PI / 2 + share * 2 * Math.PI);
  context.stroke();
}
