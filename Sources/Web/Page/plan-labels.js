// What is where on the plan, and where there is room for a name beside it.

/** A receiver is on the floor of the room that lists it. */
export const floorOfReceiver = (plan, one) => one.floor !== undefined ? one.floor : plan.rooms.find((room) => room.receivers?.includes(one.receiver))?.floor ?? plan.floors[0]?.floor;

export const cut = (content, most) => content.length > most ? `${content.slice(0, most - 1)}…` : content;

export const overlaps = (a, b) => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

/** The pieces of a strip from `top` to `bottom` that lie inside an outline and beside what is taken: [left, right] of each, px. */
export function gaps(outline, top, bottom, taken, pad) {
  let found = spans(outline, top + 0.5);
  for (const y of [(top + bottom) / 2, bottom - 0.5]) {
    const others = spans(outline, y);
    found = found.flatMap(([a, b]) => others.map(([c, d]) => [Math.max(a, c), Math.min(b, d)]));
  }
  for (const { x, y, width, height } of taken) {
    if (y < bottom && y + height > top) found = found.flatMap(([a, b]) => x >= b || x + width <= a ? [[a, b]] : [[a, x], [x + width, b]]);
  }
  return found.map(([a, b]) => [a + pad, b - pad]).filter(([a, b]) => b > a);
}

/** Where a horizontal line is inside an outline. */
function spans(outline, y) {
  const at = [], found = [];
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if ((ay > y) !== (by > y)) at.push(ax + (y - ay) / (by - ay) * (bx - ax));
  });
  at.sort((a, b) => a - b);
  for (let i = 0; i + 1 < at.length; i += 2) found.push([at[i], at[i + 1]]);
  return found;
}

export const widest = (pieces) => pieces.reduce((best, one) => one[1] - one[0] > (best ? best[1] - best[0] : 0) ? one : best, null);

/** A place for a number where there is no room for names. */
export function corner({ outline, top, bottom, taken }, label) {
  for (const others of [[...taken, label], [label]]) {
    for (let y = top; y + 24 <= bottom + 3; y += 2) {
      const [left, right] = widest(gaps(outline, y, y + 24, others, 1)) ?? [0, 0];
      if (right - left >= 40) return { x: left, y, width: right - left, height: 24 };
    }
  }
  return undefined;
}

/** The most people of a room that have names on the plan; who else is there is counted. */
const most = 6;

/**
 * Places for the names of so many people in a room: first those for names, then those for the number of people without one.
 *
 * One below the other, and side by side only where there is room for whole names. The rows do not depend on who is there, so that
 * nobody moves because somebody else came.
 */
export function places({ outline, top, bottom, line, rem, least, taken }, count) {
  const wanted = count > most ? most + 1 : count, pitch = Math.min(1.5 * line, Math.max(line, (bottom - top) / (most + 1)));
  let best = [];
  for (const columns of [1, 2, 3]) {
    const found = [], narrowest = columns > 1 ? 9 * rem : least;
    for (let y = top; y + line <= bottom;) {
      const pieces = gaps(outline, y, y + line, taken, 3), was = found.length;
      for (const [left, right] of columns > 1 ? pieces : [widest(pieces) ?? [0, 0]]) {
        const n = Math.min(columns, Math.floor((right - left) / narrowest)), width = (right - left) / n;
        for (let i = 0; i < n; i += 1) found.push({ x: left + i * width, y, width: width - 2, height: line });
      }
      y += found.length > was ? pitch : 4;
    }
    if (found.length > best.length) best = found;
    if (best.length >= wanted) break;
  }
  return { seats: best, names: best.length < wanted ? best.length - 1 : Math.min(count, most) };
}
