// Everybody on the plan, a named dot each: the chosen beacon where it probably is, others somewhere in their room, because only
// their room is known. More than there is room for are counted, and nobody is painted over.
import { attribute, el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { iconOf, nameOf } from './store.js';
import { corner, overlaps, places } from './plan-labels.js';
import { whoCard } from './plan-card.js';
import { thingIcon } from './thing-icon.js';

const order = new Intl.Collator();

/** `onMore(room)`: somebody wants to see all. */
export function planPeople(onMore) {
  const titles = el('div.plan-titles'), dots = el('div.plan-people'), layer = el('div.plan-rooms', {}, titles, dots), card = whoCard(layer, (beacon) => known.get(beacon));
  const updateTitles = list(titles, ({ room }) => title(room, () => onMore(room))), updateDots = list(dots, dot);
  /** The place of each beacon in its room, by number, so that it stays there while others come and go. */
  const taken = new Map();
  let space = null, rooms = [], known = new Map(), chosen = null, drawn = '', due = null, drawnAt = 0;

  /** They only change with what is drawn. */
  const arranged = new Map();
  function seatsOf(room, box, count) {
    const sign = [space.key, count, ...box.taken.map((one) => `${one.x} ${one.y} ${one.width}`)].join();
    if (arranged.get(room)?.sign !== sign) arranged.set(room, { sign, ...places(box, count) });
    return arranged.get(room);
  }

  /** People move once a second, at most. */
  function soon() { due ??= setTimeout(draw, Math.max(0, drawnAt + 1000 - performance.now())); }

  function draw() {
    clearTimeout(due);
    due = null;
    drawnAt = performance.now();
    if (!space) return;
    const here = [], head = [], isStill = space.key === drawn;
    drawn = space.key;
    known = new Map();
    for (const room of rooms) for (const one of room.beacons) known.set(one.beacon, { ...one, place: room.room });
    const own = chosen && space.spot ? { beacon: chosen, ...known.get(chosen) } : null;
    const label = own && labelOf(own, space);
    if (own) here.push({ ...own, ...space.spot, side: label.side, width: label.wide, isChosen: true, isStill });
    for (const room of rooms) {
      const box = space.rooms.get(room.room);
      if (!box) { taken.delete(room.room); continue; }
      const people = room.beacons.filter((one) => one.beacon !== own?.beacon), { seats, names } = seatsOf(room.room, box, people.length);
      const isFree = (at) => !label || !overlaps(seats[at], label), free = [...seats.keys()].filter(isFree);
      // The number comes after the names, or in place of one.
      const number = free.filter((at) => at < names).length < people.length ? free.find((at) => at >= names) ?? free.at(-1) : undefined;
      const was = taken.get(room.room) ?? new Map(), now = new Map(), left = [], empty = new Set(free.filter((at) => at < names && at !== number));
      for (const one of people) {
        const at = was.get(one.beacon);
        if (empty.delete(at)) now.set(one.beacon, at); else left.push(one);
      }
      // Who is searched for has a name, even if nobody knows more than the room.
      left.sort((a, b) => (b.beacon === chosen) - (a.beacon === chosen));
      for (const one of left) { const [at] = empty; if (at === undefined) break; empty.delete(at); now.set(one.beacon, at); }
      taken.set(room.room, now);
      for (const one of people) if (now.has(one.beacon)) here.push({ ...one, ...seated(seats[now.get(one.beacon)], space.line), place: room.room, isChosen: one.beacon === chosen, isStill });
      head.push({ room: room.room, state: room.state, box, rest: people.length - now.size, all: room.beacons.length, isAlone: now.size === 0 && own?.place !== room.room, number: seats[number] ?? (label && corner(box, label)) });
    }
    updateTitles(head, (one) => one.room);
    // By name, and not by room: an element that stays where it is among its kind moves on the screen.
    updateDots(here.sort((a, b) => order.compare(nameOf(a), nameOf(b))), (one) => one.beacon);
    card.update();
  }

  return {
    layer,
    /** Where rooms, and what is drawn, are on the screen. */
    place(now) {
      const isMoved = now.key !== space?.key;
      space = now;
      if (isMoved) draw(); else soon();
    },
    update(now, beacon) {
      const isOther = beacon !== chosen;
      rooms = now;
      chosen = beacon;
      if (isOther) draw(); else soon();
    },
    end() { clearTimeout(due); space = null; card.end(); },
  };
}

/** In the middle of its place, but all in a line. */
const seated = ({ x, y, width, height }, line) => ({ x: x + Math.max(0, width - 7 * line) / 2 + 0.4 * line, y: y + height / 2, width: Math.min(width, (width + 7 * line) / 2) - 0.8 * line });

/** The name of who is at a point: on the side where it hides the least. */
function labelOf(own, { spot, width, taken, rooms, line, measure }) {
  const isNarrow = width < 520, high = isNarrow ? 18 : line, wide = Math.min(measure(nameOf(own)) + line * (iconOf(own.beacon) && !isNarrow ? 1.2 : 0.5), (isNarrow ? 5 : 10) * line), y = spot.y - high / 2;
  const sides = [['right', { x: spot.x + line * 0.4, y }], ['left', { x: spot.x - line * 0.4 - wide, y }], ['below', { x: spot.x - wide / 2, y: spot.y + line * 0.35 }], ['above', { x: spot.x - wide / 2, y: spot.y - line * 0.35 - high }]];
  const rated = sides.map(([side, at]) => {
    const box = { ...at, width: wide, height: high };
    return { side, box, cost: (box.x < 0 || box.x + wide > width ? 100 : 0) + taken.filter((one) => overlaps(one, box)).length + [...rooms.values()].filter((one) => overlaps(one, box)).length / 4 };
  });
  const best = rated.reduce((a, b) => b.cost < a.cost ? b : a), left = Math.min(best.box.x, spot.x - line / 2), right = Math.max(best.box.x + wide, spot.x + line / 2), top = Math.min(best.box.y, y);
  return { side: best.side, wide, x: left, y: top, width: right - left, height: Math.max(best.box.y, y) + high - top };
}

function title(room, onMore) {
  const name = el('span.room-name'), state = el('span.fog', { text: words.state.unknown }), more = el('button.more', { type: 'button', onclick: onMore });
  const node = el('div.tile', { 'data-room': room }, name, state, more);
  say(name, room);
  return {
    node,
    update({ state: now, box: { x, y, width, height, title }, rest, all, isAlone, number }) {
      attribute(node, 'data-state', now);
      put(node, x, y, width, height);
      // A cupboard has no room for its name beside the number of what is in it.
      show(name, title.height < height - 26 || !rest);
      put(name, title.x - x, title.y - y, title.width, title.height);
      show(state, now === 'unknown' && all === 0);
      put(state, title.x - x, title.y + title.height - y, title.width, title.height);
      show(more, rest > 0);
      if (!rest) return;
      say(more, isAlone ? String(rest) : `+${rest}`);
      attribute(more, 'aria-label', words.now.all(all, rest, room));
      const at = number ?? { x, y: y + Math.max(0, height - 24) / 2, width, height: 24 };
      put(more, at.x - x + at.width / 2, at.y - y + at.height / 2);
    },
  };
}

function dot({ beacon }) {
  const icon = thingIcon(), text = document.createTextNode(''), name = el('span', {}, icon.node, text), node = link(['beacon', beacon], name);
  attribute(node, 'data-beacon', beacon);
  return {
    node,
    update(one) {
      icon.update(beacon);
      say(text, nameOf(one));
      attribute(node, 'aria-label', one.place ? words.plan.in(nameOf(one), one.place) : null);
      attribute(node, 'data-in', one.place);
      attribute(node, 'data-near', one.near === true);
      attribute(node, 'data-chosen', one.isChosen);
      attribute(node, 'data-side', one.side ?? 'right');
      // It moves through the room, but at once with the plan.
      node.style.transition = one.isStill ? '' : 'none';
      const wide = `${Math.round(one.width)}px`;
      if (name.style.maxWidth !== wide) name.style.maxWidth = wide;
      put(node, one.x, one.y);
    },
  };
}

function put(node, x, y, width, height) {
  const wanted = `translate(${x.toFixed(1)}px, ${y.toFixed(1)}px)`;
  if (node.style.transform !== wanted) node.style.transform = wanted;
  if (width === undefined) return;
  for (const [key, value] of [['width', width], ['height', height]]) { const text = `${Math.round(value)}px`; if (node.style[key] !== text) node.style[key] = text; }
}
