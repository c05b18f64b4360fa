// Axes of the chart: the place of a value, and the round values beside it.

const nice = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];

/** Maps values to pixels. kind: log or linear; unit: of the round values, in that of the values. */
export function axis(kind, least, most, top, bottom, unit = 1) {
  const f = kind === 'log' ? (v) => Math.log(Math.max(v, least * 0.5)) : (v) => v;
  const low = f(least), high = f(most), height = bottom - top;
  return {
    kind, least, most, top, bottom,
    y: (value) => bottom - (f(value) - low) / (high - low) * height,
    value: (y) => { const x = low + (bottom - y) / height * (high - low); return kind === 'log' ? Math.exp(x) : x; },
    ticks: () => kind === 'log' ? nice.map((v) => v * unit).filter((v) => v >= least && v <= most) : steps(least / unit, most / unit, Math.max(2, Math.floor(height / 38))).map((v) => v * unit),
  };
}

function steps(least, most, count) {
  const wanted = (most - least) / count, step = nice.find((v) => v >= wanted) ?? wanted, ticks = [];
  for (let v = Math.ceil(least / step) * step; v <= most + 1e-9; v += step) ticks.push(Math.round(v * 1e6) / 1e6);
  return ticks;
}

const spans = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600].map((s) => s * 1000);
export function timeTicks(from, to, count) {
  const step = spans.find((one) => one >= (to - from) / Math.max(1, count)) ?? 3_600_000, ticks = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) ticks.push(t);
  return { ticks, step };
}

/** The next larger round value, so that the axis does not change with every point. */
export const roundUp = (value) => [1.5, 2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 1000].find((v) => v >= value) ?? value;
