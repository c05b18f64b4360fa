// The plan: rooms with who is in them, receivers, where one beacon probably is, and marking where one stands.
import { attribute, el, empty, list, say, show } from './dom.js';
import { words } from './words.js';
import { percent } from './figures.js';
import { Problem, address, api, part } from './api.js';
import { nameOf, store } from './store.js';
import { planCanvas } from './plan-canvas.js';

export function planView() {
  const text = words.plan;
  const canvas = el('canvas', { role: 'img', 'aria-label': text.drawing() }), drawing = planCanvas(canvas);
  const choice = el('select', { id: 'plan-beacon', onchange: () => choose(choice.value) });
  const floors = el('div.tabs', { role: 'group', 'aria-label': text.floor }), updateFloors = list(floors, floorTab);
  const none = empty(text.none), rooms = el('ul.shares'), updateRooms = list(rooms, share), where = el('p.status'), unplaced = el('p.note'), problem = el('p.problem', { role: 'alert', hidden: true });
  const mark = el('button', { type: 'button', 'aria-pressed': 'false', text: text.mark, onclick: () => toggle() });
  const how = el('p.note', { text: `${text.marking} ${text.cross}`, hidden: true }), kept = el('p.status', { role: 'status' });
  const marks = el('a', { href: address('./api/v1/marks'), download: 'marks.csv', text: text.marks, hidden: true });
  const roomMarks = el('div.row', { hidden: true });
  const body = el('div.plan-body', {}, el('section.sheet.drawing', { 'aria-label': text.title }, canvas, how),
    el('aside', { 'aria-label': text.beacon }, el('label', { for: 'plan-beacon', text: text.beacon }), choice, where, rooms, unplaced, mark, roomMarks, kept, marks));
  let plan = null, beacon = null, timer = null, isEnded = false, track = [], known = '';

  async function load() {
    try {
      plan = await api('plan');
      const outlined = plan.rooms.filter((room) => room.outline?.length > 2);
      show(none, outlined.length === 0);
      show(body, outlined.length > 0);
      drawing.plan({ ...plan, rooms: outlined });
      drawing.floor(plan.floors[0]?.floor ?? null);
      updateFloors(plan.floors.length > 1 ? plan.floors : [], (one) => String(one.floor));
      show(floors, plan.floors.length > 1);
      const lost = plan.receivers.filter((one) => !one.position).map((one) => one.receiver);
      show(unplaced, lost.length > 0);
      if (lost.length) say(unplaced, text.unplaced(lost));
      roomMarks.replaceChildren(...outlined.map(({ room }) => {
        const node = el('button', { type: 'button', onclick: () => keep({ room }) });
        say(node, room);
        attribute(node, 'aria-label', text.markRoom(room));
        return node;
      }));
      update(store);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      show(body, false);
      show(none, error.status === 404);
      say(problem, words.failed(error));
      show(problem, error.status !== 404);
    }
  }

  function floorTab({ floor }) {
    const node = el('button', { type: 'button', onclick: () => { drawing.shown.follows = false; drawing.floor(floor); updateFloors(plan.floors, (one) => String(one.floor)); } });
    say(node, floor ?? text.ground);
    return { node, update: () => attribute(node, 'aria-pressed', drawing.shown.floor === floor) };
  }

  function choose(name) {
    beacon = name || null;
    track = [];
    drawing.shown.follows = true;
    drawing.cloud(null);
    clearTimeout(timer);
    ask();
  }

  async function ask() {
    clearTimeout(timer);
    if (isEnded || !beacon) return;
    const mine = beacon;
    try {
      const cloud = await api(`beacons/${part(mine)}/cloud`);
      if (isEnded || mine !== beacon) return;
      const { position } = cloud;
      if (cloud.track) track = cloud.track;
      else if (position) track = [...track, [Date.now(), position.x, position.y]].slice(-300);
      const floor = position && plan ? drawing.floorOf(cloud) : null, isElsewhere = position && drawing.shown.follows && drawing.shown.floor !== floor;
      if (isElsewhere && plan.floors.some((one) => one.floor === floor)) { drawing.floor(floor); updateFloors(plan.floors, (one) => String(one.floor)); }
      drawing.cloud({ ...cloud, track });
      say(where, position ? text.position(position) : text.nowhere);
      updateRooms([...cloud.rooms].filter((one) => one.probability >= 0.005).sort((a, b) => b.probability - a.probability).slice(0, 6), (one) => one.room);
      show(problem, false);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (isEnded || mine !== beacon) return;
      drawing.cloud(null);
      say(where, store.connection === 'live' ? words.failed(error) : '');
      updateRooms([], (one) => one.room);
    }
    timer = setTimeout(ask, document.hidden ? 5000 : 700);
  }

  function toggle() {
    const isMarking = mark.getAttribute('aria-pressed') !== 'true';
    attribute(mark, 'aria-pressed', isMarking);
    say(mark, isMarking ? text.stop : text.mark);
    for (const node of [how, roomMarks]) show(node, isMarking);
    attribute(canvas, 'tabindex', isMarking ? 0 : null);
    attribute(canvas, 'role', isMarking ? 'application' : 'img');
    drawing.marking(isMarking ? (x, y, floor) => keep(floor == null ? { x, y } : { x, y, floor }) : null);
    if (isMarking) canvas.focus({ preventScroll: true });
  }

  async function keep(body) {
    try {
      const reply = await api('marks', { method: 'POST', body });
      say(kept, text.marked(reply.marks));
      show(marks, true);
    } catch (error) { say(kept, words.failed(error)); }
  }

  function update({ overview }) {
    const able = overview.beacons.filter((one) => one.room !== undefined).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
    const wanted = able.map((one) => one.beacon + nameOf(one)).join('\n');
    if (wanted !== known) {
      known = wanted;
      choice.replaceChildren(...able.map((one) => { const node = el('option', { value: one.beacon }); say(node, nameOf(one)); return node; }));
      if (!able.some((one) => one.beacon === beacon)) choose(able[0]?.beacon); else choice.value = beacon;
    }
    show(choice, able.length > 0);
    if (!able.length) say(where, text.noBeacon);
    show(mark, overview.rights.write === true);
    const name = able.find((one) => one.beacon === beacon);
    attribute(canvas, 'aria-label', text.drawing(name ? nameOf(name) : null));
    drawing.overview(overview);
  }
  load();
  return {
    title: text.title,
    node: el('div.plan', {}, el('div.head', {}, el('h1', { text: text.title }), floors), problem, none, body),
    update,
    end() { isEnded = true; clearTimeout(timer); drawing.stop(); },
  };
}

function share({ room }) {
  const name = el('span'), amount = el('span.amount'), fill = el('span.fill');
  say(name, room);
  return {
    node: el('li', {}, el('div.row', {}, name, amount), el('span.window', { 'aria-hidden': 'true' }, fill)),
    update({ probability }) { say(amount, percent(probability)); fill.style.transform = `scaleX(${probability.toFixed(3)})`; },
  };
}
