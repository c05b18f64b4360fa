// The drawing of the plan: the board with its tools, what is selected, the draft that this browser keeps, and the review of what the file
// would say. It saves only over the revision that was drawn over.
import { attribute, el, link, list, say, show, visible } from './dom.js';
import { words as page } from './words.js';
import { words } from './draw-words.js';
import { Problem, address, api, patiently } from './api.js';
import { changeLines } from './change-lines.js';
import { copyButton } from './copy.js';
import { loginRoute } from './login.js';
import { fromField, momentOf, toField } from './figures.js';
import { lengthUnit } from './language.js';
import { store } from './store.js';
import { drawBoard } from './draw-board.js';
import { addDoor, addFloor, addRoom, adopt, bounds, centimetres, doorIn, fromFile, homeOf, merged, middle, namesOf, nearestWall, place, removeFloor, removeRoom, renameFloor, request, steps } from './draw-plan.js';
import { keepPicture, keptPicture, readPicture } from './draw-picture.js';

const style = document.head.appendChild(el('link', { rel: 'stylesheet', href: address('./assets/draw.css') }));
const styled = new Promise((done) => { style.onload = style.onerror = done; });
/** Of this gateway: another one may have the same address. */
const draftKey = () => `draft ${location.pathname} ${store.overview?.gateway ?? ''}`;
const button = (text, onclick, more = {}) => el('button', { type: 'button', text, onclick, ...more });

export async function drawView() {
  await styled;
  let base = null, formers = {}, revision = null, isEnded = false, waiting = null, chosen = null, before = '';
  const tell = (text) => say(status, text);
  const status = el('p.unseen', { role: 'status' }), hint = el('p.draw-hint'), problem = el('p.problem', { role: 'alert', hidden: true }), news = el('p.status', { role: 'status' }), obstacle = el('p.problem', { role: 'alert', hidden: true });
  const history = steps({ floors: [{ id: '', name: null, height: 0 }], rooms: [], doors: [], places: {}, stand: {} }, () => { if (base) changed(); });
  const desk = {
    steps: history, tool: 'move', floor: null, floors: [null], floorAt: 0, selection: null, isRight: true, picture: null, tell(text) { tell(text); say(hint, text); },
    select(what) { desk.selection = what; changed(); },
    /** A room was drawn: a new one, or one that had no outline. */
    make(outline) {
      const isNew = chosen === null;
      let id = chosen;
      history.change((now) => {
        const room = now.rooms.find((one) => one.id === chosen);
        if (room) { room.outline = outline; room.floor = desk.floor; } else id = addRoom(now, freeName(now), desk.floor, outline);
        adopt(now, now.rooms.find((one) => one.id === id));
      });
      choose(null);
      tool('move');
      desk.select({ kind: 'room', id });
      const field = form.querySelector('[data-field=name]');
      if (isNew) { field?.focus({ preventScroll: true }); field?.select(); }
    },
    remove, escape() { if (desk.tool !== 'move') tool('move'); else desk.select(null); },
    measure,
  };
  const board = drawBoard(desk);

  // -- Tools.

  const tools = Object.fromEntries(['move', 'room', 'door'].map((name) => [name, button(words.tool[name], () => tool(name), { 'data-tool': name })]));
  const undo = button(words.undo, () => { history.undo(); tell(words.undone); }, { 'aria-keyshortcuts': 'Control+Z' }), redo = button(words.redo, () => { history.redo(); tell(words.redone); }, { 'aria-keyshortcuts': 'Control+Shift+Z' });
  const right = el('input', { type: 'checkbox', checked: true, onchange: () => { desk.isRight = right.checked; } });
  const review = el('button.main', { type: 'button', text: words.review, onclick: look });
  const floors = el('div.tabs', { role: 'group', 'aria-label': words.floors }), updateFloors = list(floors, ({ id }) => {
    const node = button('', () => { goTo(history.now.floors.findIndex((one) => one.id === id)); desk.select(desk.floors.length > 1 ? { kind: 'floor', id } : null); });
    return { node, update: ({ floor }) => { say(node, floor ?? page.plan.ground); attribute(node, 'aria-pressed', desk.floor === floor); } };
  });
  const another = button(words.addFloor, () => {
    let id = null, n = desk.floors.length + 1;
    while (desk.floors.includes(words.newFloor(n))) n += 1;
    history.change((now) => { id = addFloor(now, words.groundFloor, words.newFloor(n)); });
    goTo(history.now.floors.length - 1);
    desk.select({ kind: 'floor', id });
    const field = form.querySelector('[data-field=name]');
    field?.focus({ preventScroll: true });
    field?.select();
  });
  function goTo(at) {
    desk.floorAt = at;
    desk.selection = null;
    followFloors();
    desk.picture = keptPicture(desk.floor);
    board.drop();
    changed();
    board.fit();
  }
  /** A floor keeps its place among them, whatever it is called. */
  function followFloors() {
    desk.floors = history.now.floors.map((one) => one.name);
    desk.floorAt = Math.min(desk.floorAt, desk.floors.length - 1);
    desk.floor = desk.floors[desk.floorAt];
  }
  const bar = el('div.draw-tools', {}, el('div.group', { role: 'group', 'aria-label': words.tools }, ...Object.values(tools)), el('div.group', {}, undo, redo),
    el('label.check', {}, right, ' ', words.right), floors, another, el('span.spacer'), review);

  function tool(name) {
    desk.tool = name;
    for (const [key, node] of Object.entries(tools)) attribute(node, 'aria-pressed', key === name);
    attribute(adjust, 'aria-pressed', name === 'picture');
    say(hint, words.hint[name]);
    board.drop();
    if (name !== 'room') choose(null);
    show(scaling, false);
  }

  // -- What is selected.

  const form = el('div.fields'), selected = el('section', { 'aria-label': words.selection }, el('h2', { text: words.selection }), form);
  const names = el('datalist', { id: 'undrawn-rooms' });

  /** A field of the form. It takes effect with each change, in one step for as long as it has the focus. */
  function field(name, label, value, act, isNumber = true, faultOf = nameFault) {
    const input = el('input', isNumber ? { type: 'number', step: 0.1, inputmode: 'decimal', 'data-field': name, value: toField(value) } : { type: 'text', maxlength: 64, 'data-field': name, value, list: faultOf === nameFault && 'undrawn-rooms', autocomplete: 'off' });
    const wrong = el('span.note', { role: 'alert' });
    input.addEventListener('input', () => {
      const now = isNumber ? Number(input.value) : input.value, fault = isNumber ? (input.value === '' || !Number.isFinite(now) || Math.abs(now) > 5000 ? ' ' : null) : faultOf(now);
      say(wrong, fault);
      attribute(input, 'aria-invalid', fault !== null || null);
      if (fault === null) history.attempt((drawn) => act(drawn, isNumber ? centimetres(fromField(now)) : now));
    });
    input.addEventListener('change', () => { if (input.getAttribute('aria-invalid') !== null) history.drop(); else if (isNumber || !takeOver(input.value.trim())) history.keep(); if (desk.selection?.kind === 'floor' && desk.picture) keepPicture(desk.floor, desk.picture); fill(true); });
    input.addEventListener('keydown', (event) => { if (event.key === 'Enter') input.blur(); });
    return el(isNumber ? 'label.field' : 'label.field.name', {}, el('span', { text: label }), isNumber ? el('span', {}, input, ' ', el('span.unit', { text: lengthUnit })) : input, wrong);
  }

  const namesake = (name) => history.now.rooms.find((one) => one.name === name && one.id !== desk.selection?.id);
  const mayTakeOver = (room) => !formers[desk.selection.id] && withoutOutline().includes(room);
  function nameFault(name) {
    const other = namesake(name.trim());
    return !name.trim() ? words.nameless : other && !mayTakeOver(other) ? words.taken : null;
  }

  /** A new room with the name of one that has no outline yet becomes that room. */
  function takeOver(name) {
    const { id, kind } = desk.selection, other = kind === 'room' ? namesake(name) : null;
    if (!other || !mayTakeOver(other)) return false;
    history.change((now) => {
      const [room, taken] = [id, other.id].map((wanted) => now.rooms.find((one) => one.id === wanted));
      Object.assign(taken, { outline: room.outline, floor: room.floor, receivers: [...new Set([...taken.receivers, ...room.receivers])] });
      now.rooms = now.rooms.filter((one) => one !== room);
    });
    desk.select({ kind: 'room', id: other.id });
    return true;
  }

  function fill(isForced = false) {
    const { selection } = desk, now = history.now, key = JSON.stringify(selection);
    if (!isForced && key === before && form.contains(document.activeElement)) return;
    before = key;
    const room = selection?.kind === 'room' && now.rooms.find((one) => one.id === selection.id), door = selection?.kind === 'door' && now.doors.find((one) => one.id === selection.id), at = selection?.kind === 'receiver' && now.places[selection.name];
    const floor = selection?.kind === 'floor' && now.floors.find((one) => one.id === selection.id);
    const parts = [], find = (drawn) => drawn.rooms.find((one) => one.id === selection.id);
    if (room) {
      const box = bounds(room.outline), scale = (i, low, length) => (drawn, value) => { if (value >= 0.3) find(drawn).outline = room.outline.map((one) => one.map((v, j) => j === i ? centimetres(low + (v - low) * value / length) : v)); };
      parts.push(field('name', words.name, room.name, (drawn, name) => { find(drawn).name = name; }, false));
      if (selection.corner != null && room.outline[selection.corner]) {
        ['east', 'north'].forEach((name, i) => parts.push(field(name, words[name], room.outline[selection.corner][i], (drawn, value) => { find(drawn).outline[selection.corner][i] = value; })));
        parts.push(button(words.removeCorner, remove, { disabled: room.outline.length < 4 }));
      } else if (selection.wall != null && room.outline[selection.wall]) {
        const a = room.outline[selection.wall], b = room.outline[(selection.wall + 1) % room.outline.length], centre = [0, 1].map((i) => centimetres((a[i] + b[i]) / 2));
        parts.push(button(words.addCorner, () => { history.change((drawn) => find(drawn).outline.splice(selection.wall + 1, 0, centre)); desk.select({ kind: 'room', id: room.id, corner: selection.wall + 1 }); }));
        parts.push(button(words.addDoor, () => { let id = null; history.change((drawn) => { id = addDoor(drawn, desk.floor, doorIn(nearestWall([room], centre))); }); desk.select({ kind: 'door', id }); }));
      } else {
        parts.push(field('wide', words.wide, centimetres(box.east - box.west), scale(0, box.west, box.east - box.west)), field('deep', words.deep, centimetres(box.north - box.south), scale(1, box.south, box.north - box.south)));
      }
      parts.push(button(words.removeRoom, () => { desk.select({ kind: 'room', id: room.id }); remove(); }));
    } else if (door) {
      const [a, b] = door.line, wide = Math.hypot(b[0] - a[0], b[1] - a[1]);
      parts.push(field('door', words.doorWidth, centimetres(wide), (drawn, value) => { const wall = nearestWall(drawn.rooms.filter((one) => one.floor === door.floor && one.outline.length), [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]); if (wall && value >= 0.3) drawn.doors.find((one) => one.id === door.id).line = doorIn(wall, value); }), button(words.removeDoor, remove));
    } else if (floor) {
      const fault = (name) => !name.trim() ? words.floorNameless : now.floors.some((one) => one.id !== floor.id && one.name === name.trim()) ? words.floorTaken : null;
      parts.push(field('name', words.floorName, floor.name, (drawn, name) => renameFloor(drawn, floor.id, name.trim()), false, fault),
        field('height', words.floorHeight, floor.height, (drawn, value) => { drawn.floors.find((one) => one.id === floor.id).height = value; }));
      // In the file, what names no floor is on the first.
      if (!formers[floor.id] || floor !== now.floors[0]) parts.push(button(words.removeFloor, remove));
    } else if (at) {
      parts.push(el('p', { text: visible(selection.name) }));
      ['east', 'north', 'height'].forEach((name, i) => parts.push(field(name, words[name], at[i] ?? 1.2, (drawn, value) => { const spot = [...drawn.places[selection.name]]; if (i > 1) drawn.places[selection.name] = [spot[0], spot[1], value]; else { spot[i] = value; place(drawn, selection.name, spot, desk.floor, desk.floors); } })));
      parts.push(button(words.takeOff, remove));
    } else parts.push(el('p.note', { text: words.nothing }));
    form.replaceChildren(...parts);
  }

  function remove() {
    const { selection } = desk;
    if (!selection) return;
    const room = [...history.now.rooms, ...history.now.floors].find((one) => one.id === selection.id), isCorner = selection.corner != null;
    if (isCorner && room.outline.length < 4) return;
    history.change((now) => {
      if (selection.kind === 'receiver') { now.places[selection.name] = null; delete now.stand[selection.name]; }
      else if (selection.kind === 'floor') removeFloor(now, selection.id);
      else if (selection.kind === 'door') now.doors = now.doors.filter((one) => one.id !== selection.id);
      else if (isCorner) now.rooms.find((one) => one.id === selection.id).outline.splice(selection.corner, 1);
      else removeRoom(now, selection.id, desk.floors);
    });
    desk.select(isCorner ? { kind: 'room', id: selection.id } : null);
    desk.tell(words.removed(selection.kind === 'receiver' ? selection.name : selection.kind === 'door' ? words.thisDoor : room.name));
    if (!isCorner) board.node.focus({ preventScroll: true });
  }

  // -- What is not on the plan yet.

  const chips = el('div.chips'), updateChips = list(chips, receiverChip), allPlaced = el('p.note', { text: words.allPlaced }), noReceiver = el('p.note', {}, page.now.noReceivers, ' ', link(['setup'], page.setup.title)), placing = el('section', { 'aria-label': words.receivers }, el('h2', { text: words.receivers }), el('p.note', { text: words.placeLead }), chips, allPlaced, noReceiver);
  const undrawn = el('div.chips'), updateUndrawn = list(undrawn, roomChip), drawing = el('section', { 'aria-label': words.undrawn }, el('h2', { text: words.undrawn }), el('p.note', { text: words.undrawnLead }), undrawn);
  const ghost = el('div.ghost', { 'aria-hidden': 'true', hidden: true });

  /** By finger or mouse onto the board; by key, or a click, into the middle of its room or of the board. */
  function receiverChip({ name }) {
    const note = el('span.note'), node = el('button.chip', { type: 'button', 'data-receiver': name }, visible(name), note);
    let start = null, isDragged = false;
    const settle = (point) => {
      let isPossible = false;
      history.attempt((now) => { isPossible = place(now, name, point, desk.floor, desk.floors); });
      if (!isPossible) { history.drop(); desk.tell(words.upstairs); return; }
      history.keep();
      tool('move');
      desk.select({ kind: 'receiver', name });
      desk.tell(words.receiver(name, history.now.places[name]));
      board.focus('receiver', name);
    };
    node.addEventListener('pointerdown', (event) => { if (event.button) return; start = [event.clientX, event.clientY]; isDragged = false; node.setPointerCapture(event.pointerId); });
    node.addEventListener('pointermove', (event) => {
      if (!start) return;
      isDragged ||= Math.hypot(event.clientX - start[0], event.clientY - start[1]) > 6;
      show(ghost, isDragged);
      say(ghost, name);
      ghost.style.transform = `translate(${event.clientX + 8}px, ${event.clientY + 8}px)`;
    });
    const end = (event) => {
      show(ghost, false);
      const point = start && isDragged && event.type === 'pointerup' ? board.at(event) : null;
      start = null;
      if (point) settle(point.map((v) => Math.round(v * 10) / 10));
    };
    node.addEventListener('pointerup', end);
    node.addEventListener('pointercancel', end);
    node.addEventListener('click', () => {
      if (isDragged) { isDragged = false; return; }
      const home = homeOf(history.now, name);
      settle((home?.floor === desk.floor && home.outline.length ? middle(home.outline) : board.centre()).map((v) => Math.round(v * 10) / 10));
    });
    return { node, update({ about }) { say(note, about); show(note, Boolean(about)); } };
  }

  function roomChip({ id, name }) {
    const node = button(visible(name), () => { tool('room'); choose(chosen === id ? null : id); desk.tell(words.drawing(name)); });
    return { node, update: () => attribute(node, 'aria-pressed', chosen === id) };
  }
  function choose(id) { chosen = id; updateUndrawn(withoutOutline(), (one) => one.id); }
  const withoutOutline = () => history.now.rooms.filter((one) => !one.outline.length && (desk.floors.length < 2 || one.floor === desk.floor));
  const freeName = (now) => { let n = 1; while (now.rooms.some((one) => one.name === words.newRoom(n))) n += 1; return words.newRoom(n); };

  // -- The picture.

  const file = el('input', { type: 'file', accept: 'image/*', hidden: true, onchange: async () => {
    try { setPicture(await readPicture(file.files[0], board.centre())); tool('picture'); board.fit(); } catch { desk.tell(words.noPicture); }
    file.value = '';
  } });
  const adjust = button(words.adjust, () => tool(desk.tool === 'picture' ? 'move' : 'picture')), away = button(words.takeAway, () => { setPicture(null); tool('move'); });
  const measured = el('input', { type: 'number', step: 0.01, min: 0.1, inputmode: 'decimal' }), scaling = el('form.field', { hidden: true, onsubmit: (event) => { event.preventDefault(); scale(fromField(Number(measured.value))); } }, el('label', {}, `${words.measured} `, measured, ` ${lengthUnit} `), el('button', { type: 'submit', text: words.setScale }));
  const pictures = el('section', { 'aria-label': words.picture }, el('h2', { text: words.picture }), el('p.note', { text: words.pictureLead }), file, el('div.row', {}, button(words.choose, () => file.click()), adjust, away), scaling);
  let ends = [];

  function setPicture(picture) {
    desk.picture = picture;
    if (!keepPicture(desk.floor, picture)) desk.tell(words.notKept);
    changed();
  }
  /** The tool for the picture: a drag moves it, two clicks measure. */
  function measure(start, metres) {
    const was = desk.picture && { ...desk.picture };
    return {
      move(at) { if (was) { const [x, y] = metres(at); desk.picture = { ...was, x: was.x + x - start[0], y: was.y + y - start[1] }; } },
      end() { setPicture(desk.picture); },
      click() {
        ends = ends.length === 1 ? [...ends, start] : [start];
        board.sketch(ends);
        show(scaling, ends.length === 2);
        if (ends.length === 1) desk.tell(words.secondEnd); else { measured.value = toField(centimetres(Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]))); desk.tell(words.howLong); measured.focus(); measured.select(); }
      },
    };
  }
  function scale(length) {
    const is = Math.hypot(ends[0][0] - ends[1][0], ends[0][1] - ends[1][1]), factor = length / is, { picture } = desk;
    if (!picture || !Number.isFinite(factor) || factor <= 0) return;
    setPicture({ ...picture, wide: picture.wide * factor, x: ends[0][0] + (picture.x - ends[0][0]) * factor, y: ends[0][1] + (picture.y - ends[0][1]) * factor });
    ends = [];
    tool('move');
    board.fit();
    desk.tell(words.scaled);
  }

  // -- The draft.

  const draftText = el('span'), draft = el('div.draft', { role: 'status', hidden: true }, draftText, button(words.goOn, () => resume(true)), button(words.throwAway, () => resume(false)));
  let found = null, isOurs = false, kept = null;

  function keep() {
    if (body.inert || kept === history.kept) return;
    kept = history.kept;
    const isSame = JSON.stringify(request(history.kept, base.now, base.formers)) === base.request;
    attribute(review, 'disabled', isSame);
    try {
      // Another tab's draft is its own.
      if (!isSame) { localStorage.setItem(draftKey(), JSON.stringify({ at: Date.now(), base, formers, now: history.kept })); isOurs = true; } else if (isOurs) { localStorage.removeItem(draftKey()); isOurs = false; }
    } catch { say(news, words.unkept); }
  }

  function resume(isWanted) {
    show(draft, false);
    body.inert = false;
    bar.inert = false;
    isOurs = true;
    kept = null;
    if (isWanted) {
      if (found.base.request === base.request && JSON.stringify(found.base.now.places) === JSON.stringify(base.now.places)) { ({ base, formers } = found); history.start(found.now); } else join(found.now, found.base, found.formers);
    } else keep();
    found = null;
    tool(firstTool());
    board.fit();
    board.node.focus({ preventScroll: true });
  }
  const firstTool = () => history.now.rooms.some((one) => one.outline.length) ? 'move' : 'room';

  function draftHere() {
    try {
      const kept = JSON.parse(localStorage.getItem(draftKey()));
      // Drafts of earlier versions know no floors.
      if (!kept.now.floors) {
        for (const one of [kept.now, kept.base.now]) Object.assign(one, { floors: base.now.floors, stand: {} });
        kept.formers = { ...namesOf({ ...base.now, rooms: [] }), ...kept.formers };
      }
      return Number.isFinite(kept.at) && kept.now.rooms.length + kept.now.doors.length + kept.base.now.rooms.length >= 0 && kept.now.places && kept.base.request && kept.formers ? kept : null;
    } catch { return null; }
  }

  /** What was drawn over another file is drawn into this one. */
  function join(mine, from, names) {
    const { now, both } = merged(mine, from.now, names, base);
    formers = { ...base.formers };
    history.start(now);
    return both;
  }

  // -- The gateway.

  async function load() {
    const running = store.overview?.configuration_revision ?? null;
    const plan = await api('plan');
    if (isEnded) return;
    const { now, formers: names } = fromFile(plan);
    base = { now, formers: names, request: JSON.stringify(request(now, now, names)) };
    revision = running;
    desk.picture = keptPicture(plan.floors[Math.min(desk.floorAt, plan.floors.length - 1)].floor ?? null);
  }

  async function begin() {
    try {
      const configuration = await api('configuration');
      if (configuration.obstacle) { say(obstacle, words.obstacle(configuration.obstacle)); show(obstacle, true); show(save, false); }
      await load();
      formers = { ...base.formers };
      found = draftHere();
      body.inert = bar.inert = found !== null;
      history.start(base.now);
      if (found) say(draftText, words.draft(momentOf(found.at, Date.now())) + (found.base.request === base.request ? '' : ` ${words.draftOther}`));
      show(draft, found !== null);
      tool(firstTool());
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(problem, page.failed(error));
      show(problem, true);
    }
  }

  const diff = changeLines(words.changes, words.says, words.nothingChanged), said = el('p.status', { role: 'status' }), wrong = el('p.problem', { role: 'alert', hidden: true });
  const save = el('button.main', { type: 'button', text: words.save, onclick: write });
  const sheet = el('dialog.review', { 'aria-label': words.changes }, el('h2', { text: words.changes }), wrong, el('div.yaml', {}, diff.lines, el('div.row', {}, save, button(words.goBack, () => { if (!isWriting) sheet.close(); }), copyButton(() => diff.lines.textContent), said)), ...diff.notes);

  /** What is reviewed: exactly that is saved, whatever is drawn meanwhile. */
  let reviewed = null, isWriting = false;
  const ask = (isPreview) => patiently(() => api('plan', { method: 'PUT', body: { ...reviewed.body, preview: isPreview }, patience: 30_000 }));
  sheet.addEventListener('cancel', (event) => { if (isWriting) event.preventDefault(); });

  async function look() {
    board.drop();
    const loose = Object.keys(history.kept.stand);
    say(said, loose.length ? words.homeless(loose) : '');
    show(wrong, false);
    reviewed = { now: history.kept, body: { ...request(history.kept, base.now, formers), revision } };
    try {
      diff.tell(await ask(true));
      attribute(save, 'disabled', false);
    } catch (error) { if (!await refused(error)) return; }
    if (!isEnded && !sheet.open) sheet.showModal();
  }

  /** Whether there is something to show in the review. A conflict is drawn in instead. */
  async function refused(error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 409 && store.overview?.configuration_revision !== revision) {
      const [mine, from, names] = [history.kept, base, formers];
      try { await load(); } catch (problem) { return refused(problem); }
      const both = join(mine, from, names);
      sheet.close();
      say(news, both.length ? words.both(both) : words.theirs);
      return false;
    }
    diff.clear();
    attribute(save, 'disabled', true);
    say(wrong, error.status === 0 ? words.unsure : page.failed(error));
    show(wrong, true);
    return true;
  }

  async function write() {
    attribute(save, 'disabled', true);
    say(said, words.saving);
    isWriting = true;
    try {
      const { now } = reviewed, reply = await ask(false);
      formers = namesOf(now);
      base = { now, formers: { ...formers }, request: JSON.stringify(request(now, now, formers)) };
      kept = null;
      revision = reply.revision;
      sheet.close();
      say(news, words.loading);
      waiting = { revision, timer: setTimeout(() => say(news, words.notLoaded), 15_000) };
      changed();
    } catch (error) { say(said, ''); await refused(error); } finally { isWriting = false; }
  }

  // -- Together.

  function changed() {
    followFloors();
    const { selection } = desk, now = history.now;
    if (selection && !(selection.kind === 'receiver' ? now.places[selection.name] : [...now.rooms, ...now.doors, ...now.floors].some((one) => one.id === selection.id))) desk.selection = null;
    undo.disabled = !history.canUndo;
    redo.disabled = !history.canRedo;
    updateFloors(now.floors.length > 1 || now.floors[0].name !== null ? now.floors.map(({ id, name }) => ({ id, floor: name })) : [], (one) => one.id);
    const heard = (store.overview?.health?.receivers ?? []).map((one) => one.name), listed = now.rooms.flatMap((one) => one.receivers);
    const loose = [...new Set([...Object.keys(now.places), ...listed, ...heard])].filter((name) => !Object.hasOwn(now.places, name) || !now.places[name]);
    updateChips(loose.map((name) => ({ name, about: Object.hasOwn(base.now.places, name) || listed.includes(name) ? homeOf(now, name)?.name : words.unheard })), (one) => one.name);
    const isNone = loose.length === 0 && Object.keys(now.places).length === 0;
    show(noReceiver, isNone);
    show(allPlaced, loose.length === 0 && !isNone);
    show(drawing, withoutOutline().length > 0);
    updateUndrawn(withoutOutline(), (one) => one.id);
    names.replaceChildren(...withoutOutline().map((one) => el('option', { value: one.name })));
    for (const one of [adjust, away]) show(one, desk.picture !== null);
    fill();
    keep();
    board.draw();
  }

  const keys = (event) => {
    if (!(event.ctrlKey || event.metaKey) || !['z', 'y'].includes(event.key.toLowerCase()) || event.target.matches('input') || sheet.open || body.inert) return;
    event.preventDefault();
    if (event.shiftKey || event.key === 'y') { history.redo(); tell(words.redone); } else { history.undo(); tell(words.undone); }
  };
  document.addEventListener('keydown', keys);

  const zooms = el('div.group.zooms', {}, button('−', () => board.zoom(0.8), { 'aria-label': page.beacon.zoomOut }), button('+', () => board.zoom(1.25), { 'aria-label': page.beacon.zoomIn }), button(page.plan.all, () => board.fit()));
  const body = el('div.draw-body', {}, el('section.sheet', { 'aria-label': words.title }, board.node, zooms, hint), el('aside', {}, selected, names, placing, drawing, pictures));
  const refusal = el('p', { hidden: true }), whole = el('div', {}, obstacle, draft, bar, news, body);
  show(refusal, false);
  let isBegun = false;
  return {
    node: el('div.draw', {}, el('div.head', {}, link(['plan'], '← ', words.back), el('h1', { text: words.title })), problem, refusal, whole, status, ghost, sheet),
    update({ overview }) {
      const why = overview.source === 'recording' || overview.configuration_revision == null ? words.noFile : overview.rights.write ? null : words.mayNot;
      show(whole, why === null);
      show(refusal, why !== null);
      if (why) { refusal.replaceChildren(why, ' ', ...why === words.mayNot && overview.passwords ? [el('a', { href: loginRoute(), text: words.login })] : []); return; }
      if (!isBegun) { isBegun = true; begin(); }
      if (waiting && overview.configuration_revision === waiting.revision) { clearTimeout(waiting.timer); waiting = null; say(news, words.saved); }
      const loose = (overview.health?.receivers ?? []).map((one) => one.name).join('\n');
      if (base && loose !== this.heard) { this.heard = loose; changed(); }
    },
    end() { isEnded = true; clearTimeout(waiting?.timer); document.removeEventListener('keydown', keys); board.stop(); },
  };
}
