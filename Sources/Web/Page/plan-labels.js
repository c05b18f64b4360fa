// What is where on the plan: receivers, and the names of rooms.

/** A receiver is on the floor of the room that lists it. */
export const floorOfReceiver = (plan, one) => one.floor !== undefined ? one.floor : plan.rooms.find((room) => room.receivers?.includes(one.receiver))?.floor ?? plan.floors[0]?.floor;

export const cut = (content, most) => content.length > most ? `${content.slice(0, most - 1)}…` : content;

/** The place of a room's name: at the top of the room, in the middle of its widest part there. */
export function labelPoint(outline) {
  const [west, east] = widest(outline);
  return [(west + east) / 2, Math.max(...outline.map(([, y]) => y))];
}
/** How wide the room is there. */
export function labelWidth(outline) {
  const [west, east] = widest(outline);
  return east - west;
}

function widest(outline) {
  const top = Math.max(...outline.map(([, y]) => y)), below = top - Math.min(0.6, (top - Math.min(...outline.map(([, y]) => y))) / 3), crossings = [];
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if ((ay > below) !== (by > below)) crossings.push(ax + (below - ay) / (by - ay) * (bx - ax));
  });
  crossings.sort((a, b) => a - b);
  let best = [outline[0][0], outline[0][0]];
  for (let i = 0; i + 1 < crossings.length; i += 2) if (crossings[i + 1] - crossings[i] > best[1] - best[0]) best = [crossings[i], crossings[i + 1]];
  return best;
}
