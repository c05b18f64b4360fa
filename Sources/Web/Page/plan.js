// The plan: rooms with their members, receivers, the probable place of one beacon, and calibration by tapping one's own place.
import { attribute, el, empty, list, say, show, visible } from './dom.js';
import { words } from './words.js';
import { percent } from './figures.js';
import { Problem, api, part } from './api.js';
import { nameOf, store } from './store.js';
import { planCanvas } from './plan-canvas.js';
import { calibratePanel } from './calibrate.js';
import { planRooms } from './plan-rooms.js';
import { overviewAt, planTime } from './plan-time.js';
import { stay } from './route.js';
import { summary } from './now.js';

export function planView(chosen = null) {
  const text = words.plan;
  const canvas = el('canvas', { role: 'img', 'aria-label': text.drawing() }), people = planRooms(), drawing = planCanvas(canvas, people.layer, (boxes) => people.place(boxes));
  // A field with proposals, because nobody finds a name among two hundred in a menu.
  const proposals = el('datalist', { id: 'plan-beacons' }), choice = el('input', { id: 'plan-beacon', type: 'search', list: 'plan-beacons', placeholder: text.search, autocomplete: 'off', oninput: found, onchange: found, onfocus: () => choice.select(), onblur: () => setTimeout(tell) });
  const floors = el('div.tabs', { role: 'group', 'aria-label': text.floor }), updateFloors = list(floors, floorTab);
  const none = empty(text.none), rooms = el('ul.shares'), updateRooms = list(rooms, share), where = el('p.status'), unplaced = el('p.note'), problem = el('p.problem', { role: 'alert', hidden: true });
  const how = el('p.note', { text: text.cross, hidden: true });
  const calibrating = calibratePanel({ onMarks: (points) => drawing.points(points), onWalk: mark });
  const sheet = el('section.sheet.drawing', { 'aria-label': text.title }, el('div.canvas-box', {}, canvas, people.layer, drawing.zooms), how);
  const aside = el('aside', { 'aria-label': text.beacon }, el('label', { for: 'plan-beacon', text: text.beacon }), choice, proposals, where, rooms, unplaced, calibrating.node);
  const draw = el('a.as-button', { href: '#/draw', text: text.draw }), headline = el('p.headline'), trouble = el('p.trouble', { role: 'status' });
  const time = planTime((people) => { past = people; attribute(node, 'data-past', past !== null); drawing.cloud(null); show(aside, past === null && plan?.rooms.length > 0); update(store); ask(); });
  const body = el('div.plan-body', {}, el('div.plan-places', {}, time.node, sheet, people.tiles, people.all),
    aside);
  let plan = null, revision = '', again = null, beacon = chosen || null, isChosen = beacon !== null, timer = null, isEnded = false, track = [], known = '', outlined = new Set(), hasOutlines = false, past = null, byName = new Map();

  /** Asked for again when the configuration changes, and until the gateway answers. */
  async function load() {
    clearTimeout(again);
    const mine = revision = store.overview.configuration_revision, floor = drawing.shown.floor;
    try {
      const reply = await api('plan');
      if (isEnded || mine !== revision) return;
      const isKept = plan !== null && reply.floors.some((one) => one.floor === floor);
      plan = reply;
      show(problem, false);
      const rooms = plan.rooms.filter((room) => room.outline?.length > 2);
      outlined = new Set(rooms.map((room) => room.room));
      hasOutlines = rooms.length > 0;
      show(none, !hasOutlines);
      show(sheet, hasOutlines);
      show(body, true);
      show(aside, past === null && plan.rooms.length > 0);
      drawing.plan({ ...plan, rooms });
      if (!isKept) drawing.floor(plan.floors[0]?.floor ?? null);
      updateFloors(plan.floors.length > 1 ? plan.floors : [], (one) => String(one.floor));
      show(floors, plan.floors.length > 1);
      const lost = plan.receivers.filter((one) => !one.position).map((one) => one.receiver);
      show(unplaced, hasOutlines && lost.length > 0);
      if (lost.length) say(unplaced, text.unplaced(lost));
      update(store);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (isEnded || mine !== revision) return;
      const isNone = error.status === 404;
      if (isNone) plan = null; else again = setTimeout(load, 3000);
      show(body, plan !== null);
      show(none, isNone);
      say(problem, words.failed(error));
      show(problem, !isNone);
    }
  }

  const isUnknown = () => store.overview?.rooms.length > 0 && store.overview.rooms.every((room) => room.state === 'unknown');

  /** A floor says how many are there, because its people are only seen while it is shown. */
  function floorTab({ floor }) {
    const node = el('button', { type: 'button', onclick: () => { drawing.shown.follows = false; drawing.floor(floor); updateFloors(plan.floors, (one) => String(one.floor)); } });
    const count = el('span.count');
    node.append(el('span'), count);
    say(node.firstChild, floor ?? text.ground);
    return {
      node,
      update() {
        attribute(node, 'aria-pressed', drawing.shown.floor === floor);
        const there = (past ? overviewAt(past, store.overview) : store.overview).rooms?.reduce((sum, room) => sum + ((room.floor ?? null) === floor ? room.count : 0), 0);
        say(count, there || '');
      },
    };
  }

  /** What was typed is a name, or what the gateway calls it. */
  function found() {
    const wanted = byName.get(choice.value) ?? [...byName.values()].find((one) => one === choice.value);
    if (!wanted || wanted === beacon) return;
    isChosen = true;
    stay('plan', wanted);
    choose(wanted);
  }
  function tell() { if (choice !== document.activeElement) choice.value = [...byName].find(([, one]) => one === beacon)?.[0] ?? visible(beacon ?? ''); }

  function choose(name) {
    beacon = name || null;
    tell();
    track = [];
    drawing.shown.follows = true;
    drawing.cloud(null);
    clearTimeout(timer);
    update(store);
    ask();
  }

  /** In no room, but perhaps in a zone. */
  function placesOf(name) {
    const zones = (store.overview?.zones ?? []).filter((zone) => zone.beacons.some((one) => one.beacon === name));
    return zones.length ? text.within(zones.map((one) => one.zone).join(', ')) : text.nowhere;
  }

  const isHeard = () => [...byName.values()].includes(beacon);

  async function ask() {
    clearTimeout(timer);
    if (isEnded || !isHeard() || past) { timer = null; return; }
    const mine = beacon;
    try {
      const cloud = await api(`beacons/${part(mine)}/cloud`);
      if (isEnded || past || mine !== beacon) return;
      const { position } = cloud;
      if (cloud.track) track = cloud.track;
      else if (position) track = [...track, [Date.now(), position.x, position.y]].slice(-300);
      const floor = position && plan ? drawing.floorOf(cloud) : null, isElsewhere = position && drawing.shown.follows && drawing.shown.floor !== floor;
      if (isElsewhere && plan.floors.some((one) => one.floor === floor)) { drawing.floor(floor); updateFloors(plan.floors, (one) => String(one.floor)); }
      drawing.cloud({ ...cloud, track });
      say(where, position ? text.position(position) : isUnknown() ? text.unknown : placesOf(mine));
      show(where, position != null || !cloud.rooms.some((one) => one.probability >= 0.005));
      updateRooms([...cloud.rooms].filter((one) => one.probability >= 0.005).sort((a, b) => b.probability - a.probability).slice(0, 6), (one) => one.room);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (isEnded || mine !== beacon) return;
      drawing.cloud(null);
      say(where, store.connection === 'live' ? words.failed(error) : '');
      updateRooms([], (one) => one.room);
    }
    timer = document.hidden ? null : setTimeout(ask, 1000);
  }

  /** During a walk, the plan reacts to taps and keys. */
  let tap = null;
  function mark(act) {
    if ((act === null) === (tap === null)) { tap = act; return; }
    tap = act;
    show(how, act !== null);
    attribute(canvas, 'tabindex', act ? 0 : null);
    attribute(canvas, 'role', act ? 'application' : 'img');
    drawing.shown.follows = act === null;
    attribute(people.layer, 'data-passive', act !== null);
    drawing.marking(act && ((...place) => tap?.(...place)));
  }

  function update({ overview }) {
    if (revision !== overview.configuration_revision) load();
    const able = overview.beacons.filter((one) => one.room !== undefined).sort((a, b) => nameOf(a).localeCompare(nameOf(b)));
    const wanted = able.map((one) => one.beacon + nameOf(one)).join('\n');
    if (wanted !== known) {
      known = wanted;
      // Two with the same name are told apart by what the gateway calls them.
      byName = new Map();
      for (const one of able) byName.set(byName.has(visible(nameOf(one))) ? `${visible(nameOf(one))} (${visible(one.beacon)})` : visible(nameOf(one)), one.beacon);
      proposals.replaceChildren(...[...byName.keys()].map((name) => el('option', { value: name })));
      if (!isHeard()) {
        if (!isChosen) return choose(able[0]?.beacon);
        drawing.cloud(null);
        updateRooms([], (one) => one.room);
      }
      tell();
      if (timer === null) ask();
    }
    summary(headline, trouble, overview);
    show(draw, overview.configuration_revision != null && (overview.rights.write || overview.passwords === true));
    const then = past ? overviewAt(past, overview) : overview;
    if (plan) people.update(then, outlined, beacon);
    show(choice, able.length > 0);
    if (!isHeard()) { say(where, beacon ? words.beacon.missing(beacon) : text.noBeacon); show(where, true); }
    calibrating.update(overview, isHeard() ? beacon : null, hasOutlines);
    const name = able.find((one) => one.beacon === beacon);
    attribute(canvas, 'aria-label', text.drawing(name ? nameOf(name) : null));
    if (plan?.floors.length > 1) updateFloors(plan.floors, (one) => String(one.floor));
    drawing.overview(then);
  }
  const node = el('div.plan', {}, el('div.head', {}, el('h1.unseen', { text: text.title }), headline, trouble, floors, draw), problem, body, none);
  show(body, false);
  const woken = () => { if (!document.hidden) ask(); };
  document.addEventListener('visibilitychange', woken);
  return {
    title: text.title,
    node,
    update,
    end() { isEnded = true; document.removeEventListener('visibilitychange', woken); clearTimeout(timer); clearTimeout(again); drawing.stop(); people.end(); calibrating.end(); time.end(); },
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
