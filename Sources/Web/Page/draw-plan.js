// What is drawn: the rooms, doors and receivers of all floors, as plain values; steps that can be taken back; what differs from the file.
// Places are metres east and north.

const alike = (a, b) => JSON.stringify(a) === JSON.stringify(b);
let last = 0;
const fresh = () => `${Date.now().toString(36)}${last += 1}`;

/** A room keeps its id whatever it is called; `formers` has the names in the file by id. */
export function fromFile(plan) {
  const now = {
    floors: plan.floors.map((one) => ({ id: fresh(), name: one.floor ?? null, height: one.height ?? 0 })),
    rooms: plan.rooms.map((one) => ({ id: fresh(), name: one.room, floor: one.floor ?? null, outline: one.outline ?? [], receivers: one.receivers ?? [] })),
    doors: plan.doors.map((one) => ({ id: fresh(), floor: one.floor ?? null, line: one.line })),
    places: Object.fromEntries(plan.receivers.map((one) => [one.receiver, one.position])),
    // The floors of receivers that stand in no room yet: only rooms say in the file on which floor somebody is.
    stand: {},
  };
  return { now, formers: namesOf(now) };
}
export const namesOf = ({ rooms, floors }) => Object.fromEntries([...floors, ...rooms].filter((one) => one.name !== null).map((one) => [one.id, one.name]));

/** What the gateway is asked to write. */
export function request(now, base, formers) {
  return {
    ...alike(now.floors, base.floors) ? {} : { floors: now.floors.map(({ id, name, height }) => ({ floor: name.trim(), former: formers[id] ?? null, height })) },
    rooms: now.rooms.map(({ id, name, floor, outline, receivers }) => ({ room: name.trim(), former: formers[id] ?? null, floor, outline, receivers })),
    doors: now.doors.map(({ floor, line }) => ({ floor, line })),
    receivers: Object.entries(now.places).filter(([name, place]) => !alike(place, base.places[name] ?? null) && !Object.hasOwn(now.stand, name)).map(([receiver, position]) => ({ receiver, position })),
  };
}

/** Mine over theirs, where the file has changed since mine began. Tells the rooms that both have changed. */
export function merged(mine, base, formers, theirs) {
  const now = structuredClone(theirs.now), both = [], what = ({ id, ...rest }) => rest;
  for (const room of base.rooms) {
    const my = mine.rooms.find((one) => one.id === room.id), place = now.rooms.findIndex((one) => theirs.formers[one.id] === formers[room.id]);
    if (my && alike(my, room)) continue;
    if (place >= 0 && my && alike(what(now.rooms[place]), what(my))) continue;
    if (place < 0 ? my : !alike(what(now.rooms[place]), what(room))) both.push(room.name);
    if (place < 0) { if (my) now.rooms.push({ ...my, id: fresh() }); }
    else if (my) now.rooms[place] = { ...my, id: now.rooms[place].id };
    else now.rooms.splice(place, 1);
  }
  for (const my of mine.rooms) {
    if (base.rooms.some((one) => one.id === my.id)) continue;
    // The same name is the same room: perhaps it was saved, and the answer was lost.
    const place = now.rooms.findIndex((one) => one.name === my.name.trim());
    if (place < 0) { now.rooms.push({ ...my, id: fresh() }); continue; }
    if (!alike(what(now.rooms[place]), what(my))) both.push(my.name);
    now.rooms[place] = { ...my, id: now.rooms[place].id };
  }
  const has = (doors, door) => doors.some((one) => alike(what(one), what(door)));
  now.doors = [...now.doors.filter((one) => has(mine.doors, one) || !has(base.doors, one)), ...mine.doors.filter((one) => !has(base.doors, one) && !has(now.doors, one))];
  for (const [name, place] of Object.entries(mine.places)) {
    if (alike(place, base.places[name] ?? null) || alike(place, now.places[name] ?? null)) continue;
    if (!alike(now.places[name] ?? null, base.places[name] ?? null)) both.push(name);
    now.places[name] = place;
  }
  for (const floor of base.floors) {
    const my = mine.floors.find((one) => one.id === floor.id), their = now.floors.find((one) => one.name === floor.name);
    if (!their || my && alike(my, floor)) continue;
    if (!my) {
      if (![...now.rooms, ...now.doors].some((one) => one.floor === floor.name)) now.floors.splice(now.floors.indexOf(their), 1);
      continue;
    }
    their.height = my.height;
    renameFloor(now, their.id, my.name);
  }
  const isWanted = (my) => !base.floors.some((one) => one.id === my.id) || now.rooms.some((one) => one.floor === my.name);
  now.floors.push(...mine.floors.filter((my) => isWanted(my) && !now.floors.some((one) => one.name === my.name)).map((one) => ({ ...one, id: fresh() })));
  now.stand = { ...mine.stand };
  // A receiver is in one room: mine.
  for (const room of now.rooms) room.receivers = room.receivers.filter((one) => { const home = homeOf(mine, one); return !home || !now.rooms.some((other) => other !== room && other.name === home.name.trim() && other.receivers.includes(one)); });
  return { now, both };
}

/** Steps without end, back and forth. While something is dragged, `attempt` shows it; `keep` makes it one step. */
export function steps(first, onchange) {
  let past = [], future = [], now = first, shown = first;
  const go = (next) => { now = shown = next; onchange(); };
  return {
    get now() { return shown; },
    get kept() { return now; },
    get canUndo() { return past.length > 0; },
    get canRedo() { return future.length > 0; },
    attempt(edit) { shown = structuredClone(now); edit(shown); onchange(); },
    keep() {
      if (alike(shown, now)) { go(now); return; }
      past.push(now);
      future = [];
      go(shown);
    },
    drop() { if (shown !== now) go(now); },
    change(edit) { this.attempt(edit); this.keep(); },
    undo() { if (past.length) { future.push(now); go(past.pop()); } },
    redo() { if (future.length) { past.push(now); go(future.pop()); } },
    start(next) { past = []; future = []; go(next); },
  };
}

// -- Geometry.

export const centimetres = (m) => Math.round(m * 100) / 100 + 0;
/** The grid on which things are drawn: 10 cm. */
export const snapped = (m) => Math.round(m * 10) / 10 + 0;

export const bounds = (points) => {
  const [x, y] = [0, 1].map((i) => points.map((one) => one[i]));
  return { west: Math.min(...x), east: Math.max(...x), south: Math.min(...y), north: Math.max(...y) };
};
export const area = (outline) => Math.abs(outline.reduce((sum, [x, y], i) => { const [nx, ny] = outline[(i + 1) % outline.length]; return sum + x * ny - nx * y; }, 0)) / 2;

export function contains(outline, [px, py]) {
  let isIn = false;
  outline.forEach(([ax, ay], i) => {
    const [bx, by] = outline[(i + 1) % outline.length];
    if ((ay > py) !== (by > py) && px < ax + (py - ay) / (by - ay) * (bx - ax)) isIn = !isIn;
  });
  return isIn;
}

/** A point within, for a label: the middle, or else the middle of the widest part at some height. */
export function middle(outline) {
  const { west, east, south, north } = bounds(outline), centre = [(west + east) / 2, (south + north) / 2];
  if (contains(outline, centre)) return centre;
  for (const part of [0.5, 0.25, 0.75, 0.1, 0.9]) {
    const y = south + part * (north - south) + 0.001, cuts = outline.flatMap(([ax, ay], i) => { const [bx, by] = outline[(i + 1) % outline.length]; return (ay > y) === (by > y) ? [] : [ax + (y - ay) / (by - ay) * (bx - ax)]; }).sort((a, b) => a - b);
    if (cuts.length > 1) return [(cuts[0] + cuts[1]) / 2, y];
  }
  return centre;
}

/** Whether two sides cross or touch that should not. */
export function crosses(outline) {
  const n = outline.length, turn = ([ax, ay], [bx, by], [cx, cy]) => Math.sign(Math.round(((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) * 1e6));
  for (let i = 0; i < n; i += 1) {
    const a = outline[i], b = outline[(i + 1) % n];
    if (a[0] === b[0] && a[1] === b[1]) return true;
    for (let j = i + 1; j < n; j += 1) {
      const c = outline[j], d = outline[(j + 1) % n];
      const isNext = j === i + 1 || (i === 0 && j === n - 1);
      if (!isNext && turn(a, b, c) * turn(a, b, d) <= 0 && turn(c, d, a) * turn(c, d, b) <= 0 && overlap(a, b, c, d)) return true;
    }
  }
  return area(outline) < 0.1;
}
const overlap = (a, b, c, d) => [0, 1].every((i) => Math.max(Math.min(a[i], b[i]), Math.min(c[i], d[i])) <= Math.min(Math.max(a[i], b[i]), Math.max(c[i], d[i])));

/** Walls at right angles stay so: the corners beside it follow. */
export function moveCorner(outline, i, [x, y], isRight) {
  const n = outline.length, [ox, oy] = outline[i];
  if (isRight) {
    for (const one of [outline[(i + n - 1) % n], outline[(i + 1) % n]]) { if (one[0] === ox) one[0] = x; else if (one[1] === oy) one[1] = y; }
  }
  outline[i] = [x, y];
}
/** A wall moves across itself; one that is oblique moves freely. */
export function moveWall(outline, i, dx, dy) {
  const a = outline[i], b = outline[(i + 1) % outline.length], isUpright = a[0] === b[0], isLevel = a[1] === b[1];
  for (const one of [a, b]) { if (!isLevel) one[0] = centimetres(one[0] + dx); if (!isUpright) one[1] = centimetres(one[1] + dy); }
}

/** The point of a room's walls that is nearest, with the wall's ends. */
export function nearestWall(rooms, [x, y]) {
  let best = null;
  for (const { outline } of rooms) {
    outline.forEach((a, i) => {
      const b = outline[(i + 1) % outline.length], [dx, dy] = [b[0] - a[0], b[1] - a[1]], length = Math.hypot(dx, dy);
      if (!length) return;
      const along = Math.max(0, Math.min(length, ((x - a[0]) * dx + (y - a[1]) * dy) / length)), gap = Math.hypot(a[0] + dx / length * along - x, a[1] + dy / length * along - y);
      if (!best || gap < best.gap) best = { gap, along, length, at: (m) => [centimetres(a[0] + dx / length * m), centimetres(a[1] + dy / length * m)] };
    });
  }
  return best;
}
/** A door as wide as this in that wall. */
export function doorIn(wall, width = 0.9) {
  const wide = Math.min(width, wall.length), from = snapped(Math.max(0, Math.min(wall.length - wide, wall.along - wide / 2)));
  return [wall.at(from), wall.at(Math.min(wall.length, from + wide))];
}

// -- Receivers.

export const homeOf = (now, receiver) => now.rooms.find((one) => one.receivers.includes(receiver));
/** In the file, a receiver that no room lists is on the first floor. */
export const floorOf = (now, receiver, floors) => homeOf(now, receiver)?.floor ?? now.stand[receiver] ?? floors[0];

/** Puts a receiver there; the room around it lists it then. */
export function place(now, receiver, point, floor, floors) {
  const home = homeOf(now, receiver), [x, y] = point.map(centimetres), height = now.places[receiver]?.[2];
  const room = now.rooms.find((one) => one.floor === floor && one.outline.length > 2 && contains(one.outline, [x, y]));
  if (!room && home && home.floor !== floor && floor !== floors[0]) return false;
  if (room || home || floor === floors[0]) delete now.stand[receiver]; else now.stand[receiver] = floor;
  now.places[receiver] = height == null ? [x, y] : [x, y, height];
  if (room && room !== home) {
    if (home) home.receivers = home.receivers.filter((one) => one !== receiver);
    room.receivers.push(receiver);
  }
  return true;
}

export function addRoom(now, name, floor, outline) {
  const id = fresh();
  now.rooms.push({ id, name, floor, outline, receivers: [] });
  return id;
}
/** Receivers that stood there before the room was drawn are in it. */
export function adopt(now, room) {
  for (const [name, floor] of Object.entries(now.stand)) {
    if (floor !== room.floor || !now.places[name] || !contains(room.outline, now.places[name])) continue;
    room.receivers.push(name);
    delete now.stand[name];
  }
}

/** The first floor has no name as long as there is no other. A storey is 2.8 m high. */
export function addFloor(now, ground, name) {
  if (now.floors.length === 1 && now.floors[0].name === null) renameFloor(now, now.floors[0].id, ground);
  const id = fresh();
  now.floors.push({ id, name, height: centimetres(Math.max(...now.floors.map((one) => one.height)) + 2.8) });
  return id;
}
export function renameFloor(now, id, name) {
  const floor = now.floors.find((one) => one.id === id), former = floor.name;
  floor.name = name;
  for (const one of [...now.rooms, ...now.doors]) if (one.floor === former) one.floor = name;
  for (const key of Object.keys(now.stand)) if (now.stand[key] === former) now.stand[key] = name;
}
/** With all that is on it. */
export function removeFloor(now, id) {
  const { name } = now.floors.find((one) => one.id === id);
  for (const room of now.rooms.filter((one) => one.floor === name)) for (const one of room.receivers) now.places[one] = null;
  for (const key of Object.keys(now.stand)) if (now.stand[key] === name) { now.places[key] = null; delete now.stand[key]; }
  now.floors = now.floors.filter((one) => one.id !== id);
  for (const list of ['rooms', 'doors']) now[list] = now[list].filter((one) => one.floor !== name);
}
export function addDoor(now, floor, line) {
  const there = now.doors.find((one) => one.floor === floor && (alike(one.line, line) || alike([...one.line].reverse(), line)));
  if (there) return there.id;
  const id = fresh();
  now.doors.push({ id, floor, line });
  return id;
}
/** Its receivers lose their floor, too. */
export function removeRoom(now, id, floors) {
  const room = now.rooms.find((one) => one.id === id);
  if (room.floor !== floors[0]) for (const one of room.receivers) now.places[one] = null;
  now.rooms = now.rooms.filter((one) => one.id !== id);
}
/** With what stands in it. */
export function moveRoom(now, id, dx, dy) {
  const room = now.rooms.find((one) => one.id === id), moved = ([x, y, ...rest]) => [centimetres(x + dx), centimetres(y + dy), ...rest];
  const ends = now.doors.filter((one) => one.floor === room.floor && one.line.every((end) => isOn(room.outline, end)) && !now.rooms.some((other) => other !== room && other.floor === room.floor && one.line.every((end) => isOn(other.outline, end))));
  for (const door of ends) door.line = door.line.map(moved);
  for (const name of room.receivers) if (now.places[name]) now.places[name] = moved(now.places[name]);
  room.outline = room.outline.map(moved);
}
const isOn = (outline, point) => (nearestWall([{ outline }], point)?.gap ?? 1) < 0.05;
