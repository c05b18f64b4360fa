// The distances of a zone as rings around its receivers on the plan. They can be dragged, as the lines of the chart.
import { attribute, el, show, svg, visible } from './dom.js';
import { words } from './words.js';
import { metres } from './figures.js';
import { api } from './api.js';
import { floorOfReceiver } from './plan-labels.js';
import { withinLimits } from './line-handles.js';
import { thresholds } from './trace-paint.js';

/** `move` takes a line's name and its new distance. */
export function tryRings(move) {
  const picture = svg('svg', { role: 'img' }), node = el('figure.rings', { hidden: true }, picture, el('figcaption.note', { text: words.try.rings }));
  let plan = null, zone = null, lines = [], width = 0, view = null, held = null;
  const centres = () => {
    const all = (plan?.receivers ?? []).filter((one) => one.position && (zone.receivers ?? [one.receiver]).includes(one.receiver));
    return all.filter((one) => floorOfReceiver(plan, one) === floorOfReceiver(plan, all[0]));
  };

  /** The scale that shows the floor and all rings; while one is dragged, it stays. */
  function frame(around) {
    const far = Math.max(...lines.map((one) => one.value)), floor = floorOfReceiver(plan, around[0]);
    const rooms = plan.rooms.filter((room) => room.outline?.length > 2 && (room.floor ?? null) === (floor ?? null));
    const points = [...rooms.flatMap((room) => room.outline), ...around.flatMap(({ position: [x, y] }) => [[x - far, y - far], [x + far, y + far]])];
    const low = (i) => Math.min(...points.map((one) => one[i])), high = (i) => Math.max(...points.map((one) => one[i]));
    const rem = parseFloat(getComputedStyle(node).fontSize), margin = 1.4 * rem;
    const scale = Math.min((width - 2 * margin) / (high(0) - low(0)), (26 * rem) / (high(1) - low(1))), left = (width - (high(0) - low(0)) * scale) / 2;
    return { rooms, scale, height: (high(1) - low(1)) * scale + 2 * margin, x: (x) => left + (x - low(0)) * scale, y: (y) => margin + (high(1) - y) * scale };
  }

  function draw() {
    const around = zone && lines.length ? centres() : [];
    show(node, around.length > 0);
    if (!around.length || !width) return;
    view = held ? view : frame(around);
    const { x, y, scale, rooms, height } = view;
    attribute(picture, 'viewBox', `0 0 ${width} ${Math.ceil(height)}`);
    attribute(picture, 'aria-label', words.try.ringsOf(visible(zone.zone), lines.map(({ line, value }) => `${words.beacon.lines[line]} ${metres(value)}`)));
    const ring = (kind) => ({ line, value }) => around.map(({ position }) => svg('circle', { class: kind, 'data-line': line, cx: x(position[0]), cy: y(position[1]), r: value * scale }));
    // Two rings may lie close together, and then their names below each other.
    let free = -Infinity;
    const names = [...lines].sort((a, b) => b.value - a.value).map(({ line, value }) => {
      free = Math.max(y(around[0].position[1]) - value * scale, free + 16);
      return svg('text', { 'data-line': line, x: x(around[0].position[0]), y: free }, `${words.beacon.lines[line]} ${metres(value)}`);
    });
    picture.replaceChildren(
      ...rooms.map(({ outline }) => svg('polygon', { points: outline.map(([px, py]) => `${x(px)},${y(py)}`).join(' ') })),
      ...lines.flatMap(ring('ring')), ...lines.flatMap(ring('grip')),
      ...around.map(({ position }) => svg('circle', { class: 'ear', cx: x(position[0]), cy: y(position[1]), r: 4 })), ...names);
  }

  /** How far a pointer is from the nearest receiver, in metres. */
  function reach({ clientX, clientY }) {
    const box = picture.getBoundingClientRect();
    return Math.min(...centres().map(({ position }) => Math.hypot(clientX - box.left - view.x(position[0]), clientY - box.top - view.y(position[1])))) / view.scale;
  }
  picture.addEventListener('pointerdown', (event) => {
    if (event.button || !event.target.dataset.line) return;
    event.preventDefault();
    const from = reach(event), { line, value } = [...lines].sort((a, b) => Math.abs(a.value - from) - Math.abs(b.value - from))[0];
    held = { line, apart: value - from };
    try { picture.setPointerCapture(event.pointerId); } catch { /* an invented pointer */ }
  });
  picture.addEventListener('pointermove', (event) => { if (held) move(held.line, withinLimits(reach(event) + held.apart, 'm')); });
  for (const name of ['pointerup', 'pointercancel']) picture.addEventListener(name, () => { held = null; draw(); });
  new ResizeObserver(([{ contentRect }]) => { if (contentRect.width !== width) { width = contentRect.width; draw(); } }).observe(node);

  return {
    node,
    /** Without numbers nothing is tried. */
    update(now, numbers) {
      // Its plan may have changed since the last time.
      if (numbers && !zone) api('plan').then((known) => { plan = known; draw(); }, () => {});
      zone = numbers && now;
      lines = thresholds(numbers).filter((one) => one.unit !== 'dBm' && one.value != null);
      draw();
    },
  };
}
