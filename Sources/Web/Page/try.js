// Trying other numbers: requests their decisions, shows them beside the real ones, and saves the numbers if the page may write. It
// saves only over the revision that the form was filled from, and then shows the file's numbers.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, api, part, patiently } from './api.js';
import { numberForm } from './try-form.js';
import { comparison } from './try-comparison.js';
import { conflictTable, merged } from './try-conflict.js';
import { loginRoute } from './login.js';
import { keep, kept as remembered } from './route.js';
import { copyButton } from './copy.js';

const copyOf = (value) => JSON.parse(JSON.stringify(value ?? null));
const numbersOf = (zone) => ({ near: copyOf(zone.near), enter: copyOf(zone.enter), exit: copyOf(zone.exit) });

export function tryPanel({ beacon = null, lead = words.try.lead, onNumbers = () => {}, onReply = () => {} }) {
  const text = words.try;
  let zone = null, numbers = null, receivers = null, configuredReceivers = null, isOn = false, timer = null, asking = null, canWrite = false;
  // The revision of the file that the gateway uses, and the one from which the form was filled.
  let running = null, filled = null, filledWith = null;
  // The revision of the form's content; the revision that was saved and is not in use yet.
  let obstacle = null, isStale = false, renewing = null, decidedAt = 0, took = 0;
  let isWrong = false, hasConflict = false, isSaving = false, waiting = null;
  // The revisions that this tab has saved, the latest last: only its own changes are taken back here.
  const own = remembered('saved', []);
  const minutes = el('select', { 'aria-label': text.minutes, onchange: () => again() },
    ...[10, 30, 60].map((n) => el('option', { value: n, text: text.minute(n), selected: n === 60 })));
  const form = numberForm(() => edited()), around = el('div');
  // Not every visit tries something.
  let rings = null;
  const reset = el('button', { type: 'button', text: text.reset, onclick: () => begin() });
  const status = el('p.status', { role: 'status' }), span = el('p.note'), wrong = el('p.problem', { role: 'alert', hidden: true });
  const rows = comparison(), yaml = el('pre', { tabindex: 0, role: 'group', 'aria-label': text.yaml });
  const save = el('button.main', { type: 'button', text: text.save, onclick: () => write(text.saved, () => api(`zones/${part(zone.zone)}`, { method: 'PUT', body: wanted() })) });
  const undo = el('button', { type: 'button', text: text.undo, hidden: true, onclick: () => write(text.undone, () => api('undo', { method: 'POST', body: { revision: own.at(-1) } }), true) });
  const readOnly = el('p.note', {}, el('span', { text: text.readOnly })), login = el('a', { href: loginRoute(), text: text.login }), kept = el('p.status', { role: 'status' });
  const fileLines = el('pre.file-lines', { tabindex: 0, role: 'group', hidden: true, 'aria-label': text.fileSays });
  readOnly.append(' ', login);
  const conflict = conflictTable(), keepMine = el('button', { type: 'button', text: text.keepMine, hidden: true, onclick: () => mine() });
  const lines = el('div.yaml', {}, el('p', { text: text.yaml }), yaml, el('div.row', {}, copyButton(() => yaml.textContent), save, undo, keepMine, kept), conflict.node, fileLines, readOnly);
  const node = el('section.sheet.try', { 'aria-label': text.title },
    el('div.head', {}, el('h2', { text: text.title }), el('p.note', { text: lead }), el('span.spacer'), el('label', { text: text.minutes }), minutes, reset),
    el('div.try-body', {}, el('div', {}, form.node, wrong, around), el('div', { 'aria-live': 'off' }, status, rows.node, span, lines)));

  function begin() {
    if (!zone) return;
    filled = running;
    filledWith = numbersOf(zone);
    settled();
    numbers = copyOf(filledWith);
    receivers = copyOf(configuredReceivers);
    form.reset();
    changed();
  }

  /** Theirs, with what was changed here. */
  function mine() {
    numbers = copyOf(merged(filledWith, numbersOf(zone), numbers));
    (filled = running, filledWith = numbersOf(zone));
    settled();
    say(kept, text.kept);
    changed();
  }

  function settled() {
    hasConflict = false;
    conflict.hide();
    show(keepMine, false);
  }

  /** The user moved a line or a ring. */
  function moved(line, value) {
    if (!numbers) return;
    if (line === 'rearm') numbers.near.rearm = value; else numbers[line].threshold = value;
    edited();
  }

  function edited() {
    if (!waiting && !hasConflict && !obstacle) { say(kept, ''); show(fileLines, false); }
    changed();
  }

  function changed() {
    form.fill(numbers, receivers, zone.rooms != null);
    const fault = form.fault() ?? order(numbers);
    isWrong = fault !== null;
    say(wrong, fault ?? '');
    show(wrong, isWrong);
    onNumbers(numbers);
    rings?.update(zone, numbers);
    guard();
    if (!isWrong) { again(); return; }
    // The answer is for numbers that have changed since.
    rest();
    say(status, '');
    say(yaml, '');
    node.dataset.state = 'wrong';
  }

  const guard = () => attribute(save, 'disabled', isWrong || hasConflict || isSaving || obstacle !== null || waiting !== null || !zone || isConfigured());
  const rest = () => { clearTimeout(timer); clearTimeout(renewing); renewing = null; isStale = false; asking?.abort(); asking = null; };

  const isConfigured = () => zone && JSON.stringify(numbersOf(zone)) === JSON.stringify(numbers) && !changesReceivers();
  const changedReceivers = () => receivers.filter((one, i) => JSON.stringify(one) !== JSON.stringify(configuredReceivers[i]));
  const changesReceivers = () => configuredReceivers !== null && JSON.stringify(receivers) !== JSON.stringify(configuredReceivers);

  /** Sends a request once the user pauses; a newer request cancels an older one. */
  function again() {
    if (!isOn || !zone || !numbers || isWrong) return;
    clearTimeout(timer);
    // The gateway computes one answer at a time, and does not notice that nobody waits for it.
    if (asking) isStale = true; else timer = setTimeout(ask, 150);
    node.dataset.state = 'deciding';
    say(status, text.deciding);
  }

  async function ask() {
    const mine = asking = new AbortController(), asked = performance.now();
    const question = { beacon, minutes: Number(minutes.value), zones: [{ zone: zone.zone, ...numbers }] };
    if (changesReceivers()) question.receivers = changedReceivers();
    try {
      const reply = await api('try', { method: 'POST', body: question, signal: mine.signal, patience: 30_000 });
      for (const list of ['actual', 'transitions']) reply[list] = reply[list].filter((one) => one.zone === question.zones[0].zone && (!beacon || one.beacon === beacon));
      if (mine !== asking || isStale) return;
      if (!configuredReceivers && reply.receivers) {
        // Other receivers change nothing in a zone that names its own.
        const heard = reply.receivers.filter((one) => zone.receivers?.includes(one.receiver) ?? true);
        configuredReceivers = copyOf(heard);
        receivers = copyOf(heard);
        form.fill(numbers, receivers, zone.rooms != null);
      }
      const counts = rows.update(reply);
      const total = counts.same + counts.moved + counts.added + counts.removed;
      say(status, total ? (isConfigured() && !counts.moved && !counts.added && !counts.removed ? `${text.unchanged} ` : '') + text.summary(counts) : text.nothing);
      say(span, text.span(reply));
      say(yaml, reply.yaml);
      node.dataset.state = 'decided';
      decidedAt = performance.now();
      took = decidedAt - asked;
      onReply({ ...reply, changesReceivers: changesReceivers() });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      // Others are computing.
      if (error.status === 503) { isStale = true; return; }
      say(status, words.failed(error));
      node.dataset.state = 'failed';
    } finally {
      if (mine === asking) {
        asking = null;
        if (isStale) { isStale = false; clearTimeout(timer); if (isOn && !isWrong) timer = setTimeout(ask, 500); }
      }
    }
  }

  /** A transition came: the decisions are looked at again, but not at each, and the less often the longer the gateway needs. */
  function renew() {
    if (renewing || document.hidden) return;
    renewing = setTimeout(() => { renewing = null; again(); }, Math.max(0, decidedAt + Math.max(10_000, 50 * took) - performance.now()));
  }

  const wanted = () => ({ ...numbers, ...changesReceivers() ? { receivers: changedReceivers() } : {}, revision: filled });

  function offerUndo(revision) {
    show(undo, revision != null && own.at(-1) === revision);
  }

  /** Saves the file, and shows its new numbers, or the error. Another message follows once it is in use. */
  async function write(done, ask, isUndo = false) {
    isSaving = true;
    say(kept, text.saving);
    show(fileLines, false);
    guard();
    try {
      const reply = await patiently(ask);
      if (isUndo) own.pop(); else if (reply.revision !== filled) own.push(reply.revision);
      keep('saved', own.slice(-20));
      offerUndo(reply.undo === true ? reply.revision : null);
      say(fileLines, reply.yaml);
      show(fileLines, reply.yaml != null);
      if (reply.revision === filled) say(kept, text.alike); else wait({ revision: reply.revision, done });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      hasConflict = error.status === 409;
      say(kept, error.status === 0 ? text.unsure : words.failed(error));
    }
    isSaving = false;
    follow();
    guard();
  }

  function wait(next) {
    clearTimeout(waiting?.timer);
    waiting = next;
    if (!next) return;
    say(kept, text.loading);
    next.timer = setTimeout(() => say(kept, text.notLoaded), 15_000);
  }

  /** Another revision than that of the form is in use: our own, or another user's. */
  function follow() {
    if (!isOn || !zone || !numbers || isSaving || running === filled) return;
    if (waiting) {
      say(kept, running === waiting.revision ? waiting.done : text.overtaken);
      wait(null);
      configuredReceivers = null;
      begin();
      return;
    }
    const isAsFilled = JSON.stringify(numbersOf(zone)) === JSON.stringify(filledWith);
    const isTouched = isWrong || JSON.stringify(numbers) !== JSON.stringify(filledWith);
    if (changesReceivers() || (isTouched && !isAsFilled)) {
      hasConflict = true;
      say(kept, text.conflict);
      conflict.update(filledWith, numbersOf(zone), numbers);
      show(keepMine, !isWrong);
      return;
    }
    configuredReceivers = receivers = null;
    if (!isTouched) { begin(); return; }
    // The other change was about something else.
    filled = running;
    settled();
    again();
  }

  return {
    node,
    start() {
      isOn = true;
      begin();
      import('./try-rings.js').then(({ tryRings }) => {
        if (!rings) around.append((rings = tryRings(moved)).node);
        if (isOn) rings.update(zone, numbers);
      }, () => {});
      // What was saved before a reload can be taken back, too.
      if (canWrite) api('configuration').then((now) => { offerUndo(now.undo === true ? now.revision : null); obstacle = now.obstacle ?? null; if (obstacle) say(kept, text.obstacle(obstacle)); guard(); }, () => {});
    },
    stop() { isOn = false; rest(); wait(null); say(kept, ''); show(fileLines, false); numbers = null; rings?.update(zone, null); onNumbers(null); onReply(null); },
    again: renew,
    move: moved,
    update(overview, now) {
      if (now?.zone !== zone?.zone) configuredReceivers = receivers = null;
      zone = now;
      running = overview.configuration_revision ?? null;
      canWrite = overview.rights.write;
      show(save, canWrite);
      show(readOnly, !canWrite);
      show(login, overview.passwords === true);
      if (isOn && !numbers && zone) begin(); else follow();
      // Somebody else has saved since.
      if (!waiting && !isSaving && own.at(-1) !== running) show(undo, false);
      guard();
    },
  };
}

/** Contradictions: exit no farther than enter, re-arm no farther than near. */
function order({ near, enter, exit }) {
  const isWrong = (inner, outer, unit) => inner != null && outer != null && (unit === 'dBm' ? outer >= inner : outer <= inner);
  if (enter && exit && enter.unit === exit.unit && isWrong(enter.threshold, exit.threshold, enter.unit)) return words.try.wrong.order;
  if (near && isWrong(near.threshold, near.rearm, near.unit)) return words.try.wrong.rearm;
  return null;
}
