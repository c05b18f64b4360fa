// Calibration on the plan: the user walks with a beacon, taps where they are, sees the covered rooms, calibrates and saves.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { duration, level } from './figures.js';
import { address, api } from './api.js';
import { copyButton } from './copy.js';
import { loginRoute } from './login.js';
import { nameOf, store } from './store.js';
import { calibrationResult } from './calibrate-result.js';

/** onMarks: called with the marked points; onWalk: called with whether a walk is in progress, and the action of a tap on the plan. */
export function calibratePanel({ onMarks, onWalk }) {
  const text = words.calibrate;
  const lead = el('p.note', { text: text.lead }), login = el('a', { href: '#/login', text: text.login, hidden: true });
  const begin = el('button.main', { type: 'button', hidden: true, onclick: () => take('begin', { beacon }) });
  const heard = el('p.status', { role: 'status' }), how = el('p.note');
  const rooms = el('ul.coverage'), updateRooms = list(rooms, roomRow);
  const ears = el('ul.ears'), updateEars = list(ears, earRow), earTitle = el('h3', { text: text.receivers });
  const pause = button(text.pause, () => take('mark', { room: null })), unmark = button(text.unmark, () => take('unmark'));
  const learn = el('button.main', { type: 'button', text: text.fit, onclick: () => take('fit') }), giveUp = button(text.giveUp, () => take('end'));
  const bar = el('progress', { max: 1, 'aria-label': text.learning }), progress = el('div', { role: 'status' }, el('p.note', { text: text.learning }), bar);
  const result = calibrationResult();
  const save = el('button.main', { type: 'button', text: text.save, onclick: () => take('save') });
  const file = el('a', { href: address('./api/v1/calibration/file'), download: 'rooms.json', text: text.download }), marks = el('a', { href: address('./api/v1/marks'), download: 'marks.csv', text: text.marks });
  const saved = el('p.status', { role: 'status' }), line = el('pre', { tabindex: 0, 'aria-label': text.line }), missing = el('div.yaml', {}, el('p', { text: text.line }), line, el('div.row', {}, copyButton(() => line.textContent)));
  const undo = button(text.undo, () => take('undo')), problem = el('p.problem', { role: 'alert', hidden: true });
  const walking = el('div.walking', {}, heard, how, rooms, el('div.row', {}, learn, pause, unmark, giveUp), progress, result.node, el('div.row', {}, save, file, marks));
  const hearing = el('div', {}, earTitle, ears);
  let beacon = null, now = null, timer = null, isEnded = false, hasOutlines = false, mayWrite = false;

  function button(title, onclick) { return el('button', { type: 'button', text: title, onclick }); }

  async function take(step, body = {}) {
    try {
      now = await api(`calibration/${step}`, { method: 'POST', body });
      show(problem, false);
    } catch (error) {
      say(problem, words.failed(error));
      show(problem, true);
    }
    ask();
  }

  async function ask() {
    clearTimeout(timer);
    try { now = await api('calibration'); } catch { /* the banner tells */ }
    if (isEnded) return;
    draw();
    const isOn = now?.walk != null;
    timer = setTimeout(ask, document.hidden ? 5000 : now?.state === 'fitting' ? 300 : isOn ? 1000 : 5000);
  }

  function draw() {
    const walk = now?.walk, isFitting = now?.state === 'fitting', outcome = now?.result, possible = now?.possible === true;
    show(node, possible && (mayWrite || walk != null || store.overview?.passwords === true));
    show(lead, !walk);
    show(login, !walk && !mayWrite);
    show(begin, !walk && mayWrite);
    begin.disabled = !beacon;
    say(begin, text.begin(beacon ? nameOf({ beacon }) : null));
    for (const one of [walking, hearing]) show(one, walk != null);
    for (const one of [learn, pause, unmark, giveUp]) show(one, mayWrite && !isFitting);
    show(progress, isFitting);
    bar.value = now?.part ?? 0;
    if (now?.problem) { say(problem, text.failed(now.problem)); show(problem, true); }
    result.update(outcome);
    show(save, mayWrite && outcome?.usable === true && now.can_save && !now.saved);
    show(file, outcome?.usable === true);
    show(marks, walk?.marks > 0);
    show(saved, now?.saved != null);
    if (now?.saved) say(saved, text.saved(now.saved));
    show(missing, now?.saved?.missing != null);
    say(line, now?.saved?.missing);
    show(undo, now?.saved != null && mayWrite);
    onMarks(walk?.points ?? []);
    onWalk(walk && mayWrite && !isFitting ? (x, y, floor) => take('mark', floor == null ? { x, y } : { x, y, floor }) : null);
    if (!walk) return;
    const isHeard = walk.heard_s != null && walk.heard_s < 3;
    say(heard, walk.full ? text.full : isHeard ? text.heard(nameOf(walk)) : text.unheard(nameOf(walk), walk.heard_s != null && duration(1000 * walk.heard_s)));
    attribute(heard, 'data-kind', isHeard ? 'good' : 'bad');
    say(how, walk.room ? text.inRoom(walk.room) : hasOutlines ? text.tap : text.choose);
    updateRooms(walk.rooms.map((room) => ({ ...room, isHere: room.room === walk.room, mayMark: mayWrite && !isFitting })), (one) => one.room);
    pause.disabled = walk.room == null;
    unmark.disabled = walk.marks === 0;
    learn.disabled = walk.rooms.every((room) => room.seconds === 0);
    updateEars(walk.receivers, (one) => one.receiver);
  }

  function roomRow({ room }) {
    const name = el('span'), amount = el('span.amount'), fill = el('span.fill');
    say(name, room);
    const mark = el('button.room', { type: 'button', onclick: () => take('mark', { room }) }, name, amount, el('span.window', { 'aria-hidden': 'true' }, fill));
    return {
      node: el('li', {}, mark),
      update({ seconds, goal, isHere, mayMark }) {
        const share = Math.min(1, seconds / goal);
        attribute(mark, 'aria-pressed', isHere);
        attribute(mark, 'data-kind', share >= 1 ? 'good' : null);
        mark.disabled = !mayMark;
        say(amount, share >= 1 ? text.enough : seconds > 0 ? text.seconds(seconds, goal) : text.missing);
        fill.style.transform = `scaleX(${share.toFixed(3)})`;
      },
    };
  }

  function earRow({ receiver }) {
    const name = el('span'), amount = el('span.amount');
    say(name, receiver);
    return {
      node: el('li.row', {}, name, amount),
      update({ rssi_dbm, heard_s }) {
        say(amount, rssi_dbm == null ? text.silent : heard_s < 3 ? level(rssi_dbm) : words.now.ago(duration(1000 * heard_s)));
        attribute(amount, 'data-kind', rssi_dbm == null || heard_s >= 10 ? 'bad' : null);
      },
    };
  }

  const node = el('section.calibrate', { 'aria-label': text.title, hidden: true }, el('h2', { text: text.title }), lead, login, begin, walking, saved, missing, el('div.row', {}, undo), problem, hearing);
  ask();
  return {
    node,
    /** The beacon to carry, and the plan's abilities. */
    update(overview, chosen, outlined) {
      attribute(login, 'href', loginRoute());
      const isNew = beacon !== chosen || mayWrite !== overview.rights.write || hasOutlines !== outlined;
      [beacon, mayWrite, hasOutlines] = [chosen, overview.rights.write === true, outlined];
      if (isNew && now) draw();
    },
    end() { isEnded = true; clearTimeout(timer); },
  };
}
