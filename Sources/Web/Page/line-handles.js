// The names of the thresholds beside the chart. While trying they are handles: dragged, or moved with the arrow keys.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';

export function lineHandles(chart, box, move) {
  const handles = new Map();
  const leaders = el('div.handles');
  box.append(leaders);

  function handle(line) {
    const name = el('span', { text: words.beacon.lines[line] }), amount = el('span.amount');
    const node = el('div.handle', { 'data-line': line }, name, ' ', amount);
    const one = { node, amount, value: null, unit: 'm', y: null };
    handles.set(line, one);
    leaders.append(node);
    node.addEventListener('keydown', (event) => {
      if (!chart.isTrying) return;
      const by = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (!by) return;
      event.preventDefault();
      const step = (one.unit === 'dBm' ? 1 : 0.1) * (event.shiftKey ? 10 : 1);
      move(line, withinLimits(one.value + by * step, one.unit));
    });
    grab(node, line);
    return one;
  }

  function grab(node, lineOf) {
    node.addEventListener('pointerdown', (event) => {
      const line = typeof lineOf === 'function' ? lineOf(event) : lineOf;
      if (!line || !chart.isTrying || event.button) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      handles.get(line)?.node.focus({ preventScroll: true });
      try { node.setPointerCapture(event.pointerId); } catch { /* an invented pointer */ }
      const shown = chart.lines.find((one) => one.line === line), start = event.clientY;
      const drag = (moved) => move(line, withinLimits(shown.axis.value(shown.y + moved.clientY - start), shown.unit));
      const drop = () => { node.removeEventListener('pointermove', drag); chart.rescale(); };
      node.addEventListener('pointermove', drag);
      node.addEventListener('pointerup', drop, { once: true });
      node.addEventListener('pointercancel', drop, { once: true });
    });
  }

  /** The lines themselves can be dragged, too. */
  const under = (event) => {
    if (!chart.isTrying || !chart.lines) return null;
    const y = event.clientY - chart.canvas.getBoundingClientRect().top;
    const near = chart.lines.map((one) => [Math.abs(one.y - y), one]).sort((a, b) => a[0] - b[0])[0];
    return near && near[0] < 7 ? near[1].line : null;
  };
  grab(chart.canvas, under);
  chart.canvas.addEventListener('pointermove', (event) => chart.canvas.classList.toggle('grab', under(event) !== null));

  return {
    place({ space }) {
      const lines = [...chart.lines ?? []].sort((a, b) => a.y - b.y), gap = space.rem * (chart.isTrying ? 1.6 : 1.3);
      let free = -Infinity;
      const spots = lines.map((one) => { free = Math.max(one.y, free + gap); return free; });
      // A name that was pushed below the chart pushes the others up.
      let floor = space.low.bottom;
      for (let i = spots.length - 1; i >= 0; i -= 1) { spots[i] = Math.min(spots[i], floor); floor = spots[i] - gap; }
      lines.forEach((one, i) => {
        const known = handles.get(one.line) ?? handle(one.line);
        known.value = one.value;
        known.unit = one.unit;
        say(known.amount, one.text);
        const y = Math.round(spots[i]);
        if (known.y !== y || known.x !== space.right) known.node.style.transform = `translate(${Math.round(space.right + space.rem * (chart.width < 520 ? 0.3 : 0.9))}px, calc(${y}px - 50%))`;
        known.y = y;
        known.x = space.right;
        attribute(known.node, 'role', chart.isTrying ? 'slider' : null);
        attribute(known.node, 'tabindex', chart.isTrying ? 0 : null);
        attribute(known.node, 'aria-label', chart.isTrying ? words.beacon.lineLabel(words.beacon.lines[one.line], chart.zoneName) : null);
        attribute(known.node, 'aria-orientation', chart.isTrying ? 'vertical' : null);
        attribute(known.node, 'aria-valuenow', chart.isTrying ? one.value : null);
        attribute(known.node, 'aria-valuemin', chart.isTrying ? (one.unit === 'dBm' ? -127 : 0.01) : null);
        attribute(known.node, 'aria-valuemax', chart.isTrying ? (one.unit === 'dBm' ? 20 : 1000) : null);
        attribute(known.node, 'aria-valuetext', chart.isTrying ? one.text : null);
      });
      for (const [line, known] of handles) show(known.node, lines.some((one) => one.line === line));
    },
  };
}

/** Within the limits of the configuration. */
export function withinLimits(value, unit) {
  if (unit === 'dBm') return Math.round(Math.min(20, Math.max(-127, value)));
  const metres = Math.min(1000, Math.max(0.01, value)), digits = metres < 1 ? 2 : metres < 20 ? 1 : 0;
  return Number(metres.toFixed(digits));
}
