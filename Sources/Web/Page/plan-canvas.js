// Draws the plan: north is up, one scale for both directions, probability as a cloud of lamplight.
import { colours, onTheme } from './theme.js';
import { words } from './words.js';
import { metres as lengthOf, ruler as ruled, typeface } from './figures.js';
import { attribute, visible } from './dom.js';
import { blindStates } from './receivers.js';
import { cut, floorOfReceiver, gaps, overlaps, widest } from './plan-labels.js';
import { planZoom } from './plan-zoom.js';

const names = ['card', 'paper', 'sunk', 'line', 'edge', 'ink', 'ink-2', 'ink-3', 'sea', 'sea-fill', 'sea-soft', 'lamp', 'lamp-fill', 'lamp-soft', 'red', 'fog'];

export function planCanvas(canvas, layer, onplace) {
  const context = canvas.getContext('2d'), shown = { floor: null, follows: true };
  let points = [], plan = null, cloud = null, overview = null, mark = null, cross = null, palette = {}, width = 0, height = 0, request = 0;
  const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);
  const redraw = () => { request ||= requestAnimationFrame(() => { request = 0; draw(); }); };
  const paint = () => { palette = colours(names); redraw(); };
  const stopTheme = onTheme(paint);
  const observer = new ResizeObserver(() => {
    const ratio = Math.min(2, devicePixelRatio || 1), box = canvas.getBoundingClientRect();
    ({ width, height } = box);
    canvas.width = Math.max(1, Math.round(width * ratio));
    canvas.height = Math.max(1, Math.round(height * ratio));
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    redraw();
  });
  observer.observe(canvas);
  paint();

  const isHere = (floor) => (floor ?? null) === shown.floor;
  /** The floor of a cloud: the reported one, or that of its most probable cell. */
  const floorOf = ({ floor, cells }) => {
    if (floor !== undefined) return floor;
    const best = cells.reduce((most, cell) => cell[2] > (most?.[2] ?? 0) ? cell : most, null);
    return best?.[3] == null ? null : plan.floors[best[3]]?.floor ?? null;
  };
  const rooms = () => plan.rooms.filter((room) => isHere(room.floor));

  const frame = () => zoom.frame(whole(), width, height);
  const zoom = planZoom(canvas, layer, () => plan && width ? frame() : null, redraw);
  /** The scale that shows all rooms of the floor. */
  function whole() {
    let west = Infinity, south = Infinity, east = -Infinity, north = -Infinity;
    for (const { outline } of rooms()) for (const [x, y] of outline) { west = Math.min(west, x); east = Math.max(east, x); south = Math.min(south, y); north = Math.max(north, y); }
    if (west > east) return null;
    const margin = rem() * (width < 520 ? 0.6 : 1.8), scale = Math.min((width - 2 * margin) / Math.max(0.1, east - west), (height - 2 * margin - rem()) / Math.max(0.1, north - south));
    const left = (width - (east - west) * scale) / 2, low = height - rem() - (height - rem() - (north - south) * scale) / 2;
    return { scale, east, west, south, north, x: (x) => left + (x - west) * scale, y: (y) => low - (y - south) * scale, back: (px, py) => [(px - left) / scale + west, (low - py) / scale + south] };
  }

  function path(points, { x, y }) {
    context.beginPath();
    points.forEach(([px, py], i) => i ? context.lineTo(x(px), y(py)) : context.moveTo(x(px), y(py)));
  }

  function draw() {
    context.clearRect(0, 0, width, height);
    const space = plan && width ? frame() : null;
    if (!space) return;
    const { x, y, scale } = space, size = rem();
    const people = new Map((overview?.rooms ?? []).map((room) => [room.room, room]));
    for (const { room, outline } of rooms()) {
      path(outline, space);
      context.closePath();
      context.fillStyle = people.get(room)?.state === 'occupied' ? palette['sea-soft'] : palette.sunk;
      context.globalAlpha = 0.7;
      context.fill();
      context.globalAlpha = 1;
    }
    if (cloud) drawCloud(space);
    context.lineWidth = Math.max(2, size / 5);
    context.lineJoin = 'miter';
    context.strokeStyle = palette['ink-3'];
    for (const { outline } of rooms()) { path(outline, space); context.closePath(); context.stroke(); }
    context.strokeStyle = palette.card;
    context.lineWidth += 2;
    for (const door of plan.doors ?? []) { if (isHere(door.floor)) { path(door.line ?? door, space); context.stroke(); } }
    const hasPlace = cloud && isHere(floorOf(cloud));
    if (hasPlace) drawTrack(space);
    // On a phone names go before receivers, which are small there.
    const ears = receivers(space, size), taken = (width < 520 ? [] : ears).map(({ x, y, r }) => ({ x: x - r - 2, y: y - r - 2, width: 2 * r + 4, height: 1.8 * r + 4 }));
    taken.push(ruler(space, size, scale), { x: width - zoom.buttons.offsetWidth - 4, y: height - zoom.buttons.offsetHeight - 4, width, height });
    const found = boxes(space, size, taken);
    const { position } = hasPlace ? cloud : {}, spot = position ? { x: x(position.x), y: y(position.y) } : null;
    const around = spot ? [{ x: spot.x - 8, y: spot.y - 8, width: 16, height: 16 }] : [];
    attribute(canvas, 'data-receivers', JSON.stringify(ears.map((ear) => earName(ear, size, taken, around, found)).filter(Boolean)));
    for (const one of found.values()) one.taken = [...edges(), ...taken].filter((each) => overlaps(one, each));
    onplace({ rooms: found, taken, width, line: lineOf(size), measure: (name) => measured(name, size * 0.8125), spot, key: [width, height, scale, x(0), y(0), shown.floor].join(' ') });
    for (const point of points) if (isHere(point.floor)) drawPoint(space, point, size * 0.28);
    if (mark && cross) drawCross(space, cross, palette.red, size);
  }

  function drawCloud({ x, y, scale }) {
    const cells = cloud.cells.filter(([, , , floor]) => floor == null || isHere(plan.floors[floor]?.floor));
    if (!cells.length) return;
    // One pixel a cell, then enlarged smoothly.
    let west = Infinity, east = -Infinity, south = Infinity, north = -Infinity, most = 1e-9;
    for (const [cx, cy, p] of cells) {
      west = Math.min(west, cx); east = Math.max(east, cx); south = Math.min(south, cy); north = Math.max(north, cy); most = Math.max(most, p);
    }
    const cell = cloud.cell_m, across = Math.round((east - west) / cell) + 3, up = Math.round((north - south) / cell) + 3;
    if (!(across > 0 && up > 0 && across * up < 250_000)) return;
    const small = document.createElement('canvas'), pen = small.getContext('2d');
    small.width = across;
    small.height = up;
    pen.fillStyle = palette['lamp-fill'];
    for (const [cx, cy, p] of cells) {
      pen.globalAlpha = 0.9 * Math.sqrt(p / most);
      pen.fillRect(Math.round((cx - west) / cell) + 1, Math.round((north - cy) / cell) + 1, 1, 1);
    }
    context.imageSmoothingQuality = 'high';
    context.drawImage(small, x(west - 1.5 * cell), y(north + 1.5 * cell), across * cell * scale, up * cell * scale);
  }

  function drawTrack({ x, y, scale }) {
    const { track = [], position } = cloud;
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.lineCap = 'round';
    for (let i = 1; i < track.length; i += 1) {
      context.globalAlpha = 0.08 + 0.55 * i / track.length;
      context.beginPath();
      context.moveTo(x(track[i - 1][1]), y(track[i - 1][2]));
      context.lineTo(x(track[i][1]), y(track[i][2]));
      context.stroke();
    }
    context.globalAlpha = 1;
    if (!position) return;
    context.setLineDash([4, 4]);
    context.beginPath();
    context.arc(x(position.x), y(position.y), Math.max(4, position.sd * scale), 0, 7);
    context.stroke();
    context.setLineDash([]);
  }

  function text(content, px, py, size, colour, weight = 400, align = 'center') {
    context.font = `${weight} ${size.toFixed(1)}px ${typeface}`;
    context.textAlign = align;
    context.textBaseline = 'middle';
    context.lineWidth = 4;
    context.lineJoin = 'round';
    context.strokeStyle = palette.card;
    context.globalAlpha = 0.75;
    context.strokeText(content, px, py);
    context.globalAlpha = 1;
    context.fillStyle = colour;
    context.fillText(content, px, py);
  }

  const lineOf = (size) => Math.max(24, size * 1.2);
  const widths = new Map();
  function measured(content, size, weight = 600) {
    const key = `${weight} ${size.toFixed(1)} ${content}`;
    if (!widths.has(key)) {
      if (widths.size > 500) widths.clear();
      context.font = `${weight} ${size.toFixed(1)}px ${typeface}`;
      widths.set(key, context.measureText(content).width);
    }
    return widths.get(key);
  }

  /** What lies beside the drawing. */
  const edges = () => [{ x: -1e6, y: -1e6, width: 1e6, height: 2e6 }, { x: width, y: -1e6, width: 1e6, height: 2e6 }];
  /** Where each room is on the screen, with the place of its name, at its top, and where there is room for people. What is taken grows. */
  function boxes({ x, y }, size, taken) {
    const found = new Map(), line = lineOf(size), high = width < 520 ? 20 : line;
    for (const { room, outline } of rooms()) {
      const points = outline.map(([px, py]) => [x(px), y(py)]), xs = points.map(([px]) => px), ys = points.map(([, py]) => py);
      const left = Math.max(0, Math.min(...xs)), right = Math.min(width, Math.max(...xs)), top = Math.max(0, Math.min(...ys)), bottom = Math.min(height, Math.max(...ys));
      if (right - left < 8 || bottom - top < 8) continue;
      const begin = top + Math.min(size * (width < 520 ? 0.15 : 0.3), (bottom - top) / 4), end = Math.min(begin + high, bottom), on = [...edges(), ...taken];
      const wanted = measured(visible(room), size * (width < 520 ? 0.8125 : 0.9375), 650) + 2, [from, to] = widest(gaps(points, begin, end, on, 3)) ?? widest(gaps(points, begin, end, edges(), 1)) ?? [left, right];
      const title = { x: from + Math.max(0, to - from - wanted) / 2 - 1, y: begin, width: Math.min(wanted, to - from) + 2, height: high };
      found.set(room, { x: left, y: top, width: right - left, height: bottom - top, title, outline: points, top: begin + high, bottom: bottom - 3, line, rem: size, least: (width < 520 ? 3.5 : 8) * size });
    }
    for (const one of found.values()) taken.push(one.title);
    return found;
  }

  /** Receivers have their places, and their names are written beside them later. */
  function receivers({ x, y }, size) {
    const states = new Map((overview?.health.receivers ?? []).map((one) => [one.name, one.state])), found = [];
    for (const one of plan.receivers) {
      const { receiver, position } = one;
      if (!position || !isHere(floorOfReceiver(plan, one))) continue;
      const isBlind = blindStates.has(states.get(receiver)), px = x(position[0]), py = y(position[1]), r = size * (width < 520 ? 0.28 : 0.4);
      context.fillStyle = isBlind ? palette.red : palette['ink-2'];
      context.strokeStyle = palette.card;
      context.lineWidth = 2;
      context.beginPath();
      context.moveTo(px, py - r);
      context.lineTo(px + r, py + r * 0.8);
      context.lineTo(px - r, py + r * 0.8);
      context.closePath();
      context.stroke();
      context.fill();
      found.push({ name: visible(receiver), isBlind, x: px, y: py, r });
    }
    return found;
  }

  /** Where nothing is hidden by it. On a phone there is no room beside people's names; a blind one is told all the same. */
  function earName({ name, isBlind, x, y, r }, size, taken, around, found) {
    if (width < 520 && !isBlind) return null;
    const high = size * 0.9, room = [...found.values()].find((one) => x > one.x && x < one.x + one.width && y > one.y && y < one.y + one.height);
    for (const [most, isInside, mayHide = false] of [[18, true], [18, false], [8, false], ...isBlind ? [[18, false, true]] : []]) {
      const told = cut(name, most) + (isBlind ? `: ${words.now.blindWord}` : ''), wide = measured(told, size * 0.75, isBlind ? 650 : 400) + 4;
      const sides = [[x + r + 4, y - high / 2], [x - r - 4 - wide, y - high / 2], [x - wide / 2, y + r + 4], [x - wide / 2, y - r - 4 - high]];
      const at = sides.find(([left, top]) => { const box = { x: left, y: top, width: wide, height: high }; return left >= 0 && left + wide <= width && !(isInside && room && (left < room.x || left + wide > room.x + room.width)) && (mayHide || ![...taken, ...around].some((one) => overlaps(one, box))) && taken.push(box); });
      if (at) { text(told, at[0] + 2, at[1] + high / 2, size * 0.75, isBlind ? palette.red : palette['ink-2'], isBlind ? 650 : 400, 'left'); return [name, ...at.map(Math.round), Math.round(wide), Math.round(high)]; }
    }
    return null;
  }

  function ruler({ x, west }, size, scale) {
    // When the plan is zoomed, its western edge may be anywhere.
    const metres = ruled((m) => m * scale > size * 3), left = Math.min(Math.max(size, x(west)), width / 4), py = height - size * 0.7;
    context.strokeStyle = palette['ink-3'];
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(left, py - 4);
    context.lineTo(left, py);
    context.lineTo(left + metres * scale, py);
    context.lineTo(left + metres * scale, py - 4);
    context.stroke();
    text(lengthOf(metres), left + metres * scale + size * 0.5, py - 2, size * 0.75, palette['ink-3'], 400, 'left');
    return { x: left - 4, y: py - size * 0.7, width: metres * scale + size * 3.5, height: size * 1.4 };
  }

  function drawCross({ x, y }, point, colour, size) {
    context.strokeStyle = colour;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x(point.x) - size, y(point.y));
    context.lineTo(x(point.x) + size, y(point.y));
    context.moveTo(x(point.x), y(point.y) - size);
    context.lineTo(x(point.x), y(point.y) + size);
    context.stroke();
  }

  function drawPoint({ x, y }, point, size) {
    context.beginPath();
    context.arc(x(point.x), y(point.y), size, 0, 7);
    context.fillStyle = palette.sea;
    context.strokeStyle = palette.card;
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
  }

  function put(point) {
    mark(Math.round(point.x * 100) / 100, Math.round(point.y * 100) / 100, shown.floor);
    redraw();
  }
  canvas.addEventListener('click', (event) => {
    const space = mark && plan ? frame() : null;
    if (!space) return;
    const box = canvas.getBoundingClientRect(), [px, py] = space.back(event.clientX - box.left, event.clientY - box.top);
    cross = { x: px, y: py };
    put(cross);
  });
  canvas.addEventListener('keydown', (event) => {
    if (!mark || !cross) return;
    const step = event.shiftKey ? 1 : 0.25, [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (event.key === 'Enter') put(cross);
    else if (!dx && !dy) return;
    event.preventDefault();
    cross = { x: cross.x + dx * step, y: cross.y + dy * step };
    redraw();
  });

  return {
    shown,
    floorOf,
    zooms: zoom.buttons,
    plan(now) { plan = now; redraw(); },
    floor(floor) { if (shown.floor !== (floor ?? null)) zoom.reset(); shown.floor = floor ?? null; redraw(); },
    points(now) { points = now; redraw(); },
    cloud(now) { cloud = now; redraw(); },
    overview(now) { overview = now; redraw(); },
    marking(act) {
      mark = act;
      const space = act && plan ? frame() : null;
      cross = space ? { x: (space.west + space.east) / 2, y: (space.south + space.north) / 2 } : null;
      canvas.classList.toggle('taps', act !== null);
      redraw();
    },
    stop() { observer.disconnect(); stopTheme(); zoom.stop(); cancelAnimationFrame(request); },
  };
}
