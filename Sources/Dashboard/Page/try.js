// Trying other numbers: asks what would have been decided, shows that beside what was, and keeps it if the page may write.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, api, part } from './api.js';
import { numberForm } from './try-form.js';
import { comparison } from './try-comparison.js';
import { loginRoute } from './login.js';
import { copyButton } from './copy.js';

const copyOf = (value) => JSON.parse(JSON.stringify(value ?? null));
const numbersOf = (zone) => ({ near: copyOf(zone.near), enter: copyOf(zone.enter), exit: copyOf(zone.exit) });

export function tryPanel({ beacon = null, lead = words.try.lead, onNumbers = () => {}, onReply = () => {} }) {
  const text = words.try;
  let zone = null, numbers = null, receivers = null, configuredReceivers = null, revision = null, isOn = false, timer = null, asking = null, canWrite = false;
  const minutes = el('select', { 'aria-label': text.minutes, onchange: () => again() },
    ...[10, 30, 60].map((n) => el('option', { value: n, text: text.minute(n), selected: n === 60 })));
  const form = numberForm(() => changed());
  const reset = el('button', { type: 'button', text: text.reset, onclick: () => begin() });
  const status = el('p.status', { role: 'status' }), span = el('p.note'), wrong = el('p.problem', { role: 'alert', hidden: true });
  const rows = comparison(), yaml = el('pre', { tabindex: 0, 'aria-label': text.yaml });
  const save = el('button.main', { type: 'button', text: text.save, onclick: () => keep() });
  const undo = el('button', { type: 'button', text: text.undo, hidden: true, onclick: () => takeBack() });
  const readOnly = el('p.note', {}, el('span', { text: text.readOnly })), login = el('a', { href: loginRoute(), text: text.login }), kept = el('p.status', { role: 'status' });
  readOnly.append(' ', login);
  const lines = el('div.yaml', {}, el('p', { text: text.yaml }), yaml, el('div.row', {}, copyButton(() => yaml.textContent), save, undo, kept), readOnly);
  const node = el('section.sheet.try', { 'aria-label': text.title },
    el('div.head', {}, el('h2', { text: text.title }), el('p.note', { text: lead }), el('span.spacer'), el('label', { text: text.minutes }), minutes, reset),
    el('div.try-body', {}, el('div', {}, form.node, wrong), el('div', { 'aria-live': 'off' }, status, rows.node, span, lines)));

  function begin() {
    if (!zone) return;
    numbers = numbersOf(zone);
    receivers = copyOf(configuredReceivers);
    changed();
  }

  function changed() {
    form.fill(numbers, receivers, zone.rooms != null);
    const fault = order(numbers);
    say(wrong, fault ?? '');
    show(wrong, fault !== null);
    onNumbers(numbers);
    attribute(save, 'disabled', fault !== null || isConfigured());
    if (!fault) again();
  }

  const isConfigured = () => zone && JSON.stringify(numbersOf(zone)) === JSON.stringify(numbers) && !changesReceivers();
  const changesReceivers = () => configuredReceivers !== null && JSON.stringify(receivers) !== JSON.stringify(configuredReceivers);

  /** Asks once the hand rests; a newer question ends an older one. */
  function again() {
    if (!isOn || !zone || !numbers) return;
    clearTimeout(timer);
    asking?.abort();
    asking = null;
    timer = setTimeout(ask, 150);
    node.dataset.state = 'deciding';
    say(status, text.deciding);
  }

  async function ask() {
    const mine = asking = new AbortController();
    const question = { beacon, minutes: Number(minutes.value), zones: [{ zone: zone.zone, ...numbers }] };
    if (changesReceivers()) question.receivers = receivers;
    try {
      const reply = await api('try', { method: 'POST', body: question, signal: mine.signal, patience: 30_000 });
      for (const list of ['actual', 'transitions']) reply[list] = reply[list].filter((one) => one.zone === question.zones[0].zone && (!beacon || one.beacon === beacon));
      if (mine !== asking) return;
      if (!configuredReceivers && reply.receivers) {
        configuredReceivers = copyOf(reply.receivers);
        receivers = copyOf(reply.receivers);
        form.fill(numbers, receivers, zone.rooms != null);
      }
      revision = reply.revision ?? revision;
      const counts = rows.update(reply);
      const total = counts.same + counts.moved + counts.added + counts.removed;
      say(status, total ? (isConfigured() && !counts.moved && !counts.added && !counts.removed ? `${text.unchanged} ` : '') + text.summary(counts) : text.nothing);
      say(span, text.span(reply));
      say(yaml, reply.yaml);
      node.dataset.state = 'decided';
      onReply({ ...reply, changesReceivers: changesReceivers() });
    } catch (error) {
      if (mine.signal.aborted) return;
      if (!(error instanceof Problem)) throw error;
      say(status, words.failed(error));
      node.dataset.state = 'failed';
    }
  }

  async function keep() {
    say(kept, text.saving);
    try {
      revision ??= (await api('configuration')).revision;
      const reply = await api(`zones/${part(zone.zone)}`, { method: 'PUT', body: { ...numbers, revision } });
      revision = reply.revision;
      say(kept, text.saved);
      show(undo, reply.undo !== false);
      attribute(save, 'disabled', true);
    } catch (error) {
      if (error.status === 409) revision = null;
      say(kept, error.status === 409 ? text.conflict : words.failed(error));
    }
  }

  async function takeBack() {
    try {
      revision = (await api('undo', { method: 'POST', body: {} }))?.revision ?? null;
      say(kept, text.undone);
      show(undo, false);
    } catch (error) { say(kept, words.failed(error)); }
  }

  return {
    node,
    start() { isOn = true; begin(); },
    stop() { isOn = false; clearTimeout(timer); asking?.abort(); numbers = null; onNumbers(null); onReply(null); },
    again,
    /** A line was moved by hand. */
    move(line, value) {
      if (!numbers) return;
      if (line === 'rearm') numbers.near.rearm = value; else numbers[line].threshold = value;
      changed();
    },
    update(overview, now) {
      if (now?.zone !== zone?.zone) configuredReceivers = receivers = null;
      zone = now;
      canWrite = overview.rights.write;
      show(save, canWrite);
      show(readOnly, !canWrite);
      show(login, overview.passwords === true);
      if (isOn && !numbers && zone) begin();
    },
  };
}

/** What cannot be: exit nearer than enter, re-arm nearer than near. */
function order({ near, enter, exit }) {
  const isWrong = (inner, outer, unit) => inner != null && outer != null && (unit === 'dBm' ? outer > inner : outer < inner);
  if (enter && exit && enter.unit === exit.unit && isWrong(enter.threshold, exit.threshold, enter.unit)) return words.try.wrong.order;
  if (near && isWrong(near.threshold, near.rearm, near.unit)) return words.try.wrong.rearm;
  return null;
}
