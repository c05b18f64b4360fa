// A small line of the last minute, hidden from screen readers; the number is beside it.
import { attribute, svg } from './dom.js';

export function sparkline(least, most, width = 64, height = 18) {
  const path = svg('path', {}), node = svg('svg', { class: 'spark', viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' }, path);
  return {
    node,
    update(values) {
      const top = most ?? Math.max(1, ...values);
      let d = '', isDrawing = false;
      values.forEach((value, i) => {
        if (value == null) { isDrawing = false; return; }
        const x = width - (values.length - 1 - i) * width / 60;
        const y = height - 1 - Math.min(1, Math.max(0, (value - least) / (top - least))) * (height - 2);
        d += `${isDrawing ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
        isDrawing = true;
      });
      attribute(path, 'd', d);
    },
  };
}
