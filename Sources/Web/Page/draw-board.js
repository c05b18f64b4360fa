// The board on which the plan is drawn: rooms, doors, receivers and their handles, by mouse, touch and keyboard.
import { attribute, list, say, svg, visible } from './dom.js';
import { cut } from './plan-labels.js';
import { words } from './draw-words.js';
import { metres as lengthOf, ruler as ruled } from './figures.js';
import { addDoor, addRoom, area, bounds, centimetres, crosses, doorIn, floorOf, middle, moveCorner, moveRoom, moveWall, nearestWall, place, removeRoom, snapped } from './draw-plan.js';

/** px: what is nearer than this is meant; how far a finger may slip in a click. */
const near = 10, slip = 6;
const arrows = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

/** The desk has what is drawn (steps), the tool, the floor, what is selected, and is told what happens. */
export function drawBoard(desk) {
  const group = (name) => svg('g', { class: name });
  const photo = svg('image', { preserveAspectRatio: 'none', opacity: 0.6 }), cell = svg('path', { class: 'grid-line' }), pattern = svg('pattern', { id: 'board-grid', patternUnits: 'userSpaceOnUse' }, cell), paper = svg('rect', { width: '100%', height: '100%', fill: 'url(#board-grid)' });
  const layers = Object.fromEntries(['rooms', 'doors', 'receivers', 'handles'].map((name) => [name, group(name)])), sketch = group('sketch'), outline = svg('path'), size = svg('text'), ruler = svg('path', { class: 'ruler' }), metre = svg('text', { class: 'ruler', x: 12 });
  sketch.append(outline, size);
  const root = svg('svg', { class: 'board', tabindex: 0, role: 'application', 'aria-label': words.board }, svg('defs', {}, pattern), photo, paper, ...Object.values(layers), sketch, ruler, metre);
  const update = Object.fromEntries([['rooms', roomNode], ['doors', doorNode], ['receivers', receiverNode], ['handles', handleNode]].map(([name, make]) => [name, list(layers[name], make)]));
  let view = null, width = 0, height = 0, waiting = 0, act = null, corners = [], hover = null;
  const pointers = new Map();

  const px = ([x, y]) => [(x - view.west) * view.scale, (view.north - y) * view.scale];
  const metres = ([x, y]) => [view.west + x / view.scale, view.north - y / view.scale];
  const path = (points) => points.map((one, i) => `${i ? 'L' : 'M'}${px(one).map((v) => v.toFixed(1)).join(' ')}`).join('');
  const local = (event) => { const box = root.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };
  const rooms = () => desk.steps.now.rooms.filter((one) => one.floor === desk.floor && one.outline.length > 2);
  const receivers = () => Object.entries(desk.steps.now.places).filter(([name, at]) => at && floorOf(desk.steps.now, name, desk.floors) === desk.floor);
  const roomOf = (id, now = desk.steps.now) => now.rooms.find((one) => one.id === id);
  const doorOf = (id, now = desk.steps.now) => now.doors.find((one) => one.id === id);

  // -- Drawing.

  function draw() { waiting ||= requestAnimationFrame(() => { waiting = 0; paint(); }); }

  function paint() {
    if (!width) return;
    view ??= fitted();
    const { scale } = view, [x0, y0] = px([0, 0]), selected = desk.selection?.kind === 'room' ? roomOf(desk.selection.id) : null, door = desk.selection?.kind === 'door' ? doorOf(desk.selection.id) : null, step = scale < 12 ? 5 : 1;
    for (const [name, value] of [['width', scale * step], ['height', scale * step], ['x', x0], ['y', y0]]) attribute(pattern, name, value);
    attribute(cell, 'd', `M0 0H${scale * step}M0 0V${scale * step}`);
    const picture = desk.picture;
    attribute(photo, 'href', picture?.data ?? null);
    if (picture) { const [x, y] = px([picture.x, picture.y]); for (const [name, value] of Object.entries({ x, y, width: picture.wide * scale, height: picture.wide * picture.ratio * scale })) attribute(photo, name, value); }
    attribute(root, 'data-tool', desk.tool);
    attribute(root, 'data-picture', picture !== null);
    update.rooms(rooms(), (one) => one.id);
    update.doors(desk.steps.now.doors.filter((one) => one.floor === desk.floor), (one) => one.id);
    update.receivers(receivers().map(([name, at]) => ({ name, at })), (one) => one.name);
    const handles = [];
    if (selected && desk.tool === 'move') {
      selected.outline.forEach((at, i, all) => {
        const next = all[(i + 1) % all.length], [ax, ay] = px(at), [bx, by] = px(next);
        if (Math.hypot(ax - bx, ay - by) > 64) handles.push({ kind: 'wall', i, at: [(at[0] + next[0]) / 2, (at[1] + next[1]) / 2], label: words.wall(i + 1, selected.name), angle: Math.atan2(by - ay, bx - ax) * 180 / Math.PI });
        handles.push({ kind: 'corner', i, at, label: words.corner(i + 1, selected.name, at) });
      });
    }
    if (door && desk.tool === 'move') door.line.forEach((at, i) => handles.push({ kind: 'end', i, at, label: words.doorEnd(i + 1, at) }));
    update.handles(handles, (one) => one.kind + one.i);
    paintSketch();
    const length = ruled((m) => m * scale > 60);
    attribute(ruler, 'd', `M12 ${height - 18}v6h${length * scale}v-6`);
    attribute(metre, 'y', height - 24);
    say(metre, lengthOf(length));
  }

  function paintSketch() {
    const points = act?.sketch ?? (corners.length ? [...corners, ...hover ? [hover] : []] : []);
    attribute(outline, 'd', points.length ? path(points) + (act?.sketch?.length === 4 ? 'Z' : '') : '');
    const at = points.length > 1 ? act?.sketch?.length === 4 ? points[2] : points.at(-1) : null, from = at && (act?.sketch?.length === 4 ? points[0] : points.at(-2));
    say(size, !at ? '' : act?.sketch?.length === 4 ? words.size(Math.abs(at[0] - from[0]), Math.abs(at[1] - from[1])) : words.length(Math.hypot(at[0] - from[0], at[1] - from[1])));
    if (at) { const [x, y] = px(at); attribute(size, 'x', Math.min(width - 50, Math.max(50, x))); attribute(size, 'y', Math.max(16, y - 12)); }
  }

  const thing = (kind, id, ...children) => svg('g', { 'data-kind': kind, 'data-id': id, tabindex: 0, role: 'button', class: kind }, ...children);
  const hit = (r = 14) => svg('circle', { class: 'hit', r });
  const put = (node, at, angle = 0) => attribute(node, 'transform', `translate(${px(at).map((v) => v.toFixed(1)).join(' ')})${angle ? ` rotate(${angle.toFixed(1)})` : ''}`);
  const isSelected = (kind, key, value) => desk.selection?.kind === kind && desk.selection[key] === value;

  function roomNode({ id }) {
    const shape = svg('path'), name = svg('text', { class: 'name' }), about = svg('text', { class: 'about', dy: '1.25em' }), node = thing('room', id, shape, name, about);
    return { node, update(room) {
      const { west, east } = bounds(room.outline), wide = (east - west) * view.scale, isWrong = crosses(room.outline), spot = px(middle(room.outline));
      attribute(shape, 'd', `${path(room.outline)}Z`);
      attribute(node, 'data-selected', isSelected('room', 'id', id));
      attribute(node, 'aria-pressed', isSelected('room', 'id', id));
      attribute(node, 'data-wrong', isWrong);
      attribute(node, 'aria-label', words.room(room, area(room.outline), isWrong));
      say(name, wide < 30 ? '' : cut(visible(room.name), Math.max(3, Math.floor(wide / 9))));
      say(about, wide < 64 ? '' : isWrong ? words.wrong : words.area(area(room.outline)));
      for (const one of [name, about]) { attribute(one, 'x', spot[0]); attribute(one, 'y', spot[1]); }
    } };
  }

  function doorNode({ id }) {
    const gap = svg('path', { class: 'gap' }), edge = svg('path', { class: 'edge' }), wide = svg('path', { class: 'hit' }), node = thing('door', id, wide, gap, edge);
    return { node, update(door) {
      for (const one of [gap, edge, wide]) attribute(one, 'd', path(door.line));
      attribute(node, 'data-selected', isSelected('door', 'id', id));
      attribute(node, 'aria-pressed', isSelected('door', 'id', id));
      attribute(node, 'aria-label', words.door(door.line));
    } };
  }

  function receiverNode({ name }) {
    const title = svg('text', { y: 5 }), node = thing('receiver', name, hit(), svg('path', { d: 'M0 -9L9 7H-9Z' }), title);
    return { node, update({ at }) {
      const isRight = px(at)[0] > width - 110;
      put(node, at);
      attribute(title, 'x', isRight ? -14 : 14);
      attribute(title, 'text-anchor', isRight ? 'end' : 'start');
      say(title, cut(visible(name), 18));
      attribute(node, 'data-selected', isSelected('receiver', 'name', name));
      attribute(node, 'aria-pressed', isSelected('receiver', 'name', name));
      attribute(node, 'aria-label', words.receiver(name, at));
    } };
  }

  function handleNode({ kind, i }) {
    const node = thing(kind, i, hit(kind === 'wall' ? 12 : 14), kind === 'wall' ? svg('rect', { class: 'knob', x: -9, y: -3.5, width: 18, height: 7, rx: 3.5 }) : svg('circle', { class: 'knob', r: 7 }));
    return { node, update({ at, label, angle }) {
      put(node, at, angle);
      attribute(node, 'data-selected', desk.selection?.[kind] === i);
      attribute(node, 'aria-pressed', desk.selection?.[kind] === i);
      attribute(node, 'aria-label', label);
    } };
  }

  // -- Where things go.

  /** On the corners of others if they are near, otherwise on the grid; at a right angle to where it comes from. */
  function snap([x, y], from = null, except = null) {
    const others = [...rooms().filter((one) => one.id !== except).flatMap((one) => one.outline), ...corners], reach = near / view.scale;
    const at = [x, y].map((v, i) => others.reduce((found, one) => Math.abs(one[i] - v) < Math.min(reach, found === null ? Infinity : Math.abs(found - v)) ? one[i] : found, null) ?? snapped(v));
    if (from && desk.isRight) { const i = Math.abs(x - from[0]) < Math.abs(y - from[1]) ? 0 : 1; at[i] = from[i]; }
    return at;
  }

  /** How far a room moves so that one of its corners comes to lie on the grid, or beside one of another room. */
  function shift(room, dx, dy) {
    return [dx, dy].map((d, i) => {
      const others = rooms().filter((one) => one.id !== room.id).flatMap((one) => one.outline.map((at) => at[i]));
      let best = null;
      for (const own of room.outline) for (const other of others) { const gap = other - own[i] - d; if (Math.abs(gap) < near / view.scale && Math.abs(gap) < Math.abs(best ?? Infinity)) best = gap; }
      return centimetres(best === null ? snapped(room.outline[0][i] + d) - room.outline[0][i] : d + best);
    });
  }

  function made(outline) {
    corners = [];
    hover = null;
    desk.make(outline);
  }

  const square = ([ax, ay], [bx, by]) => [[ax, ay], [bx, ay], [bx, by], [ax, by]];

  /** A click with the tool for rooms: one corner after another, and the first again. */
  function corner(at) {
    const first = corners[0];
    if (corners.length > 2 && Math.hypot(...px(first).map((v, i) => v - at[i])) < near + 6) { close(); return; }
    const point = snap(metres(at), corners.at(-1));
    if (String(point) !== String(corners.at(-1))) corners.push(point);
    desk.tell(corners.length > 1 ? words.cornersSoFar(corners.length) : words.firstCorner);
    draw();
  }

  function close() {
    const first = corners[0], end = corners.at(-1), before = corners.at(-2);
    if (desk.isRight && end[0] !== first[0] && end[1] !== first[1]) corners.push(before[1] === end[1] ? [end[0], first[1]] : [first[0], end[1]]);
    made(corners);
  }

  // -- Pointers. An act is what happens from pressing to releasing.

  const pan = (start) => { const was = { ...view }; return { move([x, y]) { view = { ...was, west: was.west - (x - start[0]) / was.scale, north: was.north + (y - start[1]) / was.scale }; draw(); } }; };

  function pinch() {
    const [a, b] = [...pointers.values()], was = { ...view }, centre = metres([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]), apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
    return { move() {
      const [c, d] = [...pointers.values()], scale = clamp(was.scale * Math.hypot(c[0] - d[0], c[1] - d[1]) / Math.max(1, apart));
      view = { scale, west: centre[0] - (c[0] + d[0]) / 2 / scale, north: centre[1] + (c[1] + d[1]) / 2 / scale };
      draw();
    } };
  }

  /** Shows where something comes to lie, and makes it one step at the end. */
  const drag = (edit) => ({ move: (at) => desk.steps.attempt((now) => edit(now, metres(at))), end: () => desk.steps.keep(), cancel: () => desk.steps.drop() });

  function begin(node, at) {
    const start = metres(at), kind = node?.dataset.kind, id = node?.dataset.id, i = Number(id), selected = desk.selection;
    if (desk.tool === 'picture') return desk.measure(start, metres, at);
    if (desk.tool === 'room') {
      const from = snap(start);
      return {
        move(now) { if (!corners.length) { this.sketch = square(from, snap(metres(now))); draw(); } },
        end(now) {
          const [a, , c] = this.sketch ?? [];
          if (corners.length) corner(now);
          else if (a && Math.min(Math.abs(a[0] - c[0]), Math.abs(a[1] - c[1])) >= 0.25) made(this.sketch);
          else if (a) desk.tell(words.small);
        },
        click: corner,
      };
    }
    if (desk.tool === 'door') return { ...pan(at), click: () => addDoorAt(start) };
    if (kind === 'corner') return { ...drag((now, point) => moveCorner(roomOf(selected.id, now).outline, i, snap(point, null, selected.id), desk.isRight)), click: () => desk.select({ ...selected, corner: i, wall: undefined }) };
    if (kind === 'wall') {
      const room = roomOf(selected.id), [ox, oy] = room.outline[i];
      return { ...drag((now, point) => { const [x, y] = snap([ox + point[0] - start[0], oy + point[1] - start[1]], null, selected.id); moveWall(roomOf(selected.id, now).outline, i, x - ox, y - oy); }), click: () => desk.select({ ...selected, wall: i, corner: undefined }) };
    }
    if (kind === 'end') return drag((now, point) => moveEnd(doorOf(selected.id, now), i, point));
    if (kind === 'receiver') {
      let isPossible = true;
      desk.select({ kind, name: id });
      return { ...drag((now, point) => { isPossible = place(now, id, point.map(snapped), desk.floor, desk.floors); }), end() { if (isPossible) desk.steps.keep(); else { desk.steps.drop(); desk.tell(words.upstairs); } } };
    }
    if (kind === 'door') {
      desk.select({ kind, id });
      return drag((now, point) => moveDoor(doorOf(id, now), point));
    }
    if (kind === 'room' && isSelected('room', 'id', id)) {
      const room = roomOf(id);
      return { ...drag((now, point) => moveRoom(now, id, ...shift(room, point[0] - start[0], point[1] - start[1]))), click: () => desk.select({ kind, id }) };
    }
    // Another room is only selected, so that a finger which moves the plan moves no room.
    return { ...pan(at), click: () => desk.select(kind === 'room' ? { kind, id } : null) };
  }

  function addDoorAt(point) {
    const wall = nearestWall(rooms(), point);
    if (!wall || wall.gap * view.scale > 24) { desk.tell(words.noWall); return; }
    let id = null;
    desk.steps.change((now) => { id = addDoor(now, desk.floor, doorIn(wall)); });
    desk.select({ kind: 'door', id });
  }
  function moveDoor(door, point) {
    const wall = nearestWall(rooms(), point), [a, b] = door.line;
    if (wall) door.line = doorIn(wall, Math.hypot(a[0] - b[0], a[1] - b[1]));
  }
  function moveEnd(door, i, point) {
    const wall = nearestWall(rooms(), point);
    if (!wall) return;
    const end = wall.at(Math.min(wall.length, snapped(wall.along))), other = door.line[1 - i];
    if (Math.hypot(end[0] - other[0], end[1] - other[1]) >= 0.3) door.line[i] = end;
  }

  root.addEventListener('pointerdown', (event) => {
    if (event.button > 1) return;
    root.setPointerCapture(event.pointerId);
    const at = local(event);
    pointers.set(event.pointerId, at);
    if (pointers.size > 1) { act?.cancel?.(); act = pinch(); draw(); return; }
    act = { ...event.button === 1 ? pan(at) : begin(event.target.closest('[data-kind]'), at), start: at };
  });
  root.addEventListener('pointermove', (event) => {
    const at = local(event);
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, at);
    if (act && pointers.size) {
      if (!act.isMoved && act.start && Math.hypot(at[0] - act.start[0], at[1] - act.start[1]) < slip) return;
      act.isMoved = true;
      act.move(at);
    } else if (corners.length) { hover = snap(metres(at), corners.at(-1)); draw(); }
  });
  const release = (event) => {
    if (!pointers.delete(event.pointerId) || pointers.size) return;
    const done = act, at = local(event);
    act = null;
    if (event.type === 'pointercancel') done?.cancel?.();
    else if (done?.isMoved) done.end?.(at);
    else done?.click?.(at);
    draw();
  };
  for (const name of ['pointerup', 'pointercancel']) root.addEventListener(name, release);
  root.addEventListener('wheel', (event) => { event.preventDefault(); zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), local(event)); }, { passive: false });

  const clamp = (scale) => Math.max(2, Math.min(400, scale));
  function zoom(factor, at = [width / 2, height / 2]) {
    const fixed = metres(at), scale = clamp(view.scale * factor);
    view = { scale, west: fixed[0] - at[0] / scale, north: fixed[1] + at[1] / scale };
    draw();
  }

  function fitted() {
    const points = [...rooms().flatMap((one) => one.outline), ...receivers().map(([, at]) => at)], picture = desk.picture;
    if (picture) points.push([picture.x, picture.y], [picture.x + picture.wide, picture.y - picture.wide * picture.ratio]);
    const { west, east, south, north } = points.length ? bounds(points) : { west: 0, east: 12, south: 0, north: 8 }, margin = Math.min(70, width / 9);
    const scale = Math.max(2, Math.min(120, (width - 2 * margin) / Math.max(3, east - west), (height - 2 * margin) / Math.max(3, north - south)));
    return { scale, west: (west + east) / 2 - width / 2 / scale, north: (south + north) / 2 + height / 2 / scale };
  }

  // -- Keys.

  root.addEventListener('keydown', (event) => {
    const node = event.target.closest('[data-kind]'), kind = node?.dataset.kind, id = node?.dataset.id, by = arrows[event.key]?.map((v) => v * (event.shiftKey ? 1 : 0.1));
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Escape' && (corners.length || act)) { act?.cancel?.(); act = null; corners = []; hover = null; }
    else if (event.key === 'Escape') desk.escape();
    else if (event.key === 'Backspace' && corners.length) corners.pop();
    else if (event.key === 'Enter' && corners.length > 2) close();
    else if (event.key === 'Enter' && !node && desk.tool === 'room') { const [x, y] = metres([width / 2, height / 2]).map(snapped); made(square([x - 1.5, y - 1.5], [x + 1.5, y + 1.5])); }
    else if ((event.key === 'Enter' || event.key === ' ') && node) choose(kind, id);
    else if ((event.key === 'Delete' || event.key === 'Backspace') && node) { if (kind !== 'wall') { choose(kind, id); desk.remove(); } }
    else if (by && node) nudge(kind, id, by);
    else if (by) view = { ...view, west: view.west + by[0] * 10 * 40 / view.scale, north: view.north + by[1] * 10 * 40 / view.scale };
    else if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 1.25 : 0.8);
    else return;
    event.preventDefault();
    draw();
  });

  function choose(kind, id) {
    if (kind === 'receiver') desk.select({ kind, name: id });
    else if (kind === 'corner' || kind === 'wall') desk.select({ kind: 'room', id: desk.selection.id, [kind]: Number(id) });
    else if (kind !== 'end') desk.select({ kind, id });
  }

  function nudge(kind, id, [dx, dy]) {
    const i = Number(id), owner = desk.selection?.id, moved = ([x, y]) => [centimetres(x + dx), centimetres(y + dy)];
    let isPossible = true;
    desk.steps.attempt((now) => {
      if (kind === 'corner') { const { outline } = roomOf(owner, now); moveCorner(outline, i, moved(outline[i]), desk.isRight); }
      if (kind === 'wall') moveWall(roomOf(owner, now).outline, i, dx, dy);
      if (kind === 'room') moveRoom(now, id, dx, dy);
      if (kind === 'receiver') isPossible = place(now, id, moved(now.places[id]), desk.floor, desk.floors);
      if (kind === 'door') { const { line: [a, b] } = doorOf(id, now); moveDoor(doorOf(id, now), moved([(a[0] + b[0]) / 2, (a[1] + b[1]) / 2])); }
      if (kind === 'end') moveEnd(doorOf(owner, now), i, moved(doorOf(owner, now).line[i]));
    });
    if (isPossible) desk.steps.keep(); else { desk.steps.drop(); desk.tell(words.upstairs); return; }
    paint();
    const node = layerOf(kind).querySelector(`[data-kind="${kind}"][data-id="${CSS.escape(id)}"]`);
    desk.tell(node?.getAttribute('aria-label') ?? '');
  }
  const layerOf = (kind) => layers[{ room: 'rooms', door: 'doors', receiver: 'receivers' }[kind] ?? 'handles'];

  const observer = new ResizeObserver(() => { ({ width, height } = root.getBoundingClientRect()); draw(); });
  observer.observe(root);
  return {
    node: root, draw, zoom,
    fit() { view = fitted(); draw(); },
    /** Metres there, if it is on the board. */
    at(event) { const [x, y] = local(event); return x >= 0 && y >= 0 && x <= width && y <= height ? metres([x, y]) : null; },
    centre: () => metres([width / 2, height / 2]),
    /** A line that is measured. */
    sketch(points) { corners = points; hover = null; draw(); },
    drop() { corners = []; hover = null; draw(); },
    focus(kind, id) { paint(); layerOf(kind).querySelector(`[data-id="${CSS.escape(String(id))}"]`)?.focus({ preventScroll: true }); },
    stop() { observer.disconnect(); cancelAnimationFrame(waiting); },
  };
}
