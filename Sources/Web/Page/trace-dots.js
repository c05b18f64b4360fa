// The sightings in the chart. Each receiver has its colour and its shape. If there are many, they are drawn once, onto an image that
// then moves with time, because drawing costs a browser most.
import { dot } from './trace-paint.js';

/** With more sightings than this, the image is worthwhile. */
const many = 1500;

export function drawDots(chart, frame) {
  const { t } = chart.trace.sightings, first = t.find(frame.from), last = t.find(frame.end + 1);
  if (last - first > many) drawMany(chart, frame); else drawEach(chart.context, chart, frame, first, last);
}

const size = ({ rem }) => Math.max(2, Math.min(4, rem / 5));

function drawEach(context, { trace, series }, { x, strengths, space }, first, last) {
  const { t, receiver, rssi } = trace.sightings, paths = trace.receivers.map(() => null);
  for (let i = first; i < last; i += 1) {
    const who = receiver.at(i);
    dot(paths[who] ??= new Path2D(), who % 4, x(t.at(i)), strengths.y(rssi.at(i)), size(space));
  }
  context.globalAlpha = 0.8;
  paint(context, paths, series, 1.4);
  context.globalAlpha = 1;
}

function paint(context, paths, series, width) {
  context.lineWidth = width;
  paths.forEach((path, who) => {
    if (!path) return;
    context.fillStyle = context.strokeStyle = series[who % series.length];
    if (who % 4 === 2) context.stroke(path); else context.fill(path);
  });
}

function drawMany(chart, frame) {
  const { context, canvas, trace } = chart, { space, strengths, from } = frame, ratio = canvas.width / chart.width;
  const across = Math.round((space.right - space.left) * ratio), down = Math.round((strengths.bottom - strengths.top) * ratio);
  const scale = across / chart.view.span, key = [across, down, scale, strengths.least, strengths.most, chart.palette.card, chart.series.join()].join();
  let layer = chart.dots;
  const isOther = !layer || layer.key !== key || layer.table !== trace.sightings || layer.count > trace.sightings.t.length || from < layer.from;
  if (isOther) layer = chart.dots = begin(key, trace.sightings, from, Math.round(across * 1.5), down, layer);
  const ahead = Math.round((from - layer.from) * scale);
  if (ahead + across > layer.canvas.width) move(layer, ahead, scale);
  extend(layer, chart, frame, scale, ratio);
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.imageSmoothingEnabled = false;
  context.globalAlpha = 0.6;
  context.drawImage(layer.canvas, Math.round((from - layer.from) * scale), 0, across, down, Math.round(space.left * ratio), Math.round(strengths.top * ratio), across, down);
  context.restore();
}

/** An empty image for the time from `from` on. */
function begin(key, table, from, width, height, old) {
  const canvas = old?.canvas ?? document.createElement('canvas');
  canvas.width = width;
  canvas.height = height;
  return { canvas, pen: canvas.getContext('2d'), key, table, from, count: table.t.find(from), taken: new Uint8Array(width * height) };
}

/** Drops the pixels at the left. */
function move(layer, by, scale) {
  const { canvas, pen, taken } = layer, { width } = canvas;
  pen.globalCompositeOperation = 'copy';
  pen.drawImage(canvas, -by, 0);
  pen.globalCompositeOperation = 'source-over';
  layer.from += by / scale;
  // All rows at once; the pixels that appear at the right edge are cleared.
  taken.copyWithin(0, by);
  for (let end = width; end <= taken.length; end += width) taken.fill(0, Math.max(0, end - by), end);
}

/** Adds new sightings, one for each pixel. */
function extend(layer, { trace, series }, { strengths, space }, scale, ratio) {
  const { t, receiver, rssi } = trace.sightings, { canvas: { width, height }, taken } = layer, paths = trace.receivers.map(() => null);
  const perLevel = height / (strengths.most - strengths.least);
  for (let i = layer.count; i < t.length; i += 1) {
    const px = (t.at(i) - layer.from) * scale, py = height - (rssi.at(i) - strengths.least) * perLevel;
    if (px >= width) break;
    layer.count = i + 1;
    const who = receiver.at(i), cell = (py | 0) * width + (px | 0), bit = 1 << (who & 7);
    if (!(py >= 0 && py < height) || taken[cell] & bit) continue;
    taken[cell] |= bit;
    dot(paths[who] ??= new Path2D(), who % 4, px, py, size(space) * ratio);
  }
  paint(layer.pen, paths, series, 1.4 * ratio);
}
