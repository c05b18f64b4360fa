// Devices in range that are not in the configuration; each can be added to it.
import { attribute, el, empty, list, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, api } from './api.js';
import { level, distance, duration, number } from './figures.js';
import { gatewayTime, nameOf, store } from './store.js';
import { hears } from './receivers.js';
import { copyButton } from './copy.js';

export function strangersView() {
  const text = words.strangers;
  const reveal = el('input', { type: 'checkbox', id: 'reveal', onchange: () => ask() });
  const body = el('div.strangers'), none = empty(text.none), overlooked = el('p.note'), hidden = el('p.note', { text: text.hidden }), problem = el('p.problem', { role: 'alert', hidden: true });
  // Its sentences and steps are only loaded when somebody wants them.
  const enrolling = el('div');
  let panel = null;
  async function enrol() {
    const { enrolPanel } = await import('./enrol.js');
    if (isEnded) return;
    if (!panel) enrolling.append((panel = enrolPanel()).node);
    panel.open();
  }
  const update = list(body, (one) => stranger(one, enrol));
  let timer = null, isEnded = false;
  /** Those that were strangers here: one that is added stays, so that one sees it. */
  const met = new Set();

  async function ask() {
    clearTimeout(timer);
    try {
      const { devices: all, overlooked: more, why } = await api(`strangers?reveal=${reveal.checked ? 1 : 0}`);
      if (isEnded) return;
      const devices = all.filter((one) => !one.beacon || met.has(one.id));
      for (const one of devices) met.add(one.id);
      show(none, devices.length === 0);
      const isRecording = store.overview?.source === 'recording';
      const [what, remedy] = isRecording || !store.overview || hears(store.overview) ? text.none : text.deaf;
      say(none.querySelector('strong'), what);
      say(none.querySelector('span'), isRecording && why ? why : remedy);
      show(hidden, !reveal.checked);
      // An open row stays where it is; the others are sorted by strength.
      update([...devices].sort((a, b) => strength(b) - strength(a)).slice(0, 300), (one) => one.id);
      show(overlooked, more > 0);
      if (more) say(overlooked, text.overlooked(more));
      show(problem, false);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(problem, words.failed(error));
      show(problem, store.connection === 'live');
    }
    if (!isEnded) timer = setTimeout(ask, document.hidden ? 5000 : 1500);
  }
  ask();
  return {
    title: text.title,
    node: el('div', {}, el('div.head', {}, el('h1', { text: text.title }), el('span.spacer'), el('button', { type: 'button', text: text.enrolIt, onclick: enrol }), el('label.check', {}, reveal, ' ', text.reveal)),
      el('p.lead', {}, text.lead, ' ', text.hold), enrolling, hidden, problem, none, body, overlooked),
    end() { isEnded = true; clearTimeout(timer); panel?.end(); },
  };
}

/** In steps of 4 dB, so that rows do not change places all the time. */
const strength = (one) => (one.beacon ? -1000 : 0) + Math.round(one.rssi_dbm / 4);

export function stranger({ id }, enrolIt) {
  const text = words.strangers;
  const name = el('strong'), kind = el('span.badge'), identity = el('span.id'), meter = el('span.window', { 'aria-hidden': 'true' }), fill = el('span.fill'), signal = el('span.amount'), detail = el('span.note');
  const button = el('button', { type: 'button', text: text.this, 'aria-expanded': 'false' });
  const yaml = el('pre', { tabindex: 0, role: 'group', 'aria-label': text.yaml }), isHidden = el('p.note', { text: text.hidden }), status = el('p.status', { role: 'status' });
  const fileLines = el('pre', { tabindex: 0, role: 'group', hidden: true, 'aria-label': text.fileSays });
  const input = el('input', { type: 'text', 'aria-label': text.name, placeholder: text.nameHint, maxlength: 60, required: true });
  const add = el('button.main', { type: 'submit', text: text.add });
  let now = null;
  const form = el('form.row', {}, input, add, el('span.note', { text: text.adds }));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    try {
      const reply = await api('beacons', { method: 'POST', body: { id, name: input.value.trim(), revision: store.overview?.configuration_revision } });
      say(status, text.added(input.value.trim()));
      say(fileLines, reply.yaml);
      show(fileLines, true);
    } catch (error) { say(status, words.failed(error)); }
  });
  const lines = el('div.yaml', {}, el('p', { text: text.yaml }), yaml, el('div.row', {}, copyButton(() => yaml.textContent)));
  const enrol = el('div.yaml', {}, el('p', { text: text.enrol }), el('div.row', {}, el('button', { type: 'button', text: text.enrolIt, onclick: enrolIt })));
  const open = el('div.open', { hidden: true }, lines, isHidden, enrol, form, status, fileLines);
  button.addEventListener('click', () => {
    const isOpen = open.hidden;
    show(open, isOpen);
    attribute(button, 'aria-expanded', isOpen);
    if (isOpen && !form.hidden) input.focus();
  });
  input.addEventListener('input', () => fillYAML());
  const fillYAML = () => say(yaml, now?.yaml ? now.yaml.replace(/name: [^,]*/, () => `name: ${quoted(input.value.trim() || text.nameHint)}`) : '');
  meter.append(fill);
  return {
    node: el('article.stranger', { 'data-id': id }, el('div.line', {}, el('span.title', {}, name, identity), kind, meter, signal, detail, button), open),
    update(one) {
      now = one;
      // As in `scan`.
      const handle = one.address ?? one.mark;
      say(name, one.name ? `“${one.name}”` : handle);
      say(identity, [one.name && handle, one.identity].filter(Boolean).join(' · '));
      say(kind, one.beacon ? text.yours(nameOf({ beacon: one.beacon })) : (one.vendor && text.made(one.vendor)) ?? one.frame ?? text.unknown);
      attribute(kind, 'data-kind', one.beacon ? 'good' : null);
      say(signal, level(one.rssi_dbm));
      fill.style.transform = `scaleX(${Math.min(1, Math.max(0.02, (one.rssi_dbm + 100) / 60)).toFixed(2)})`;
      say(detail, [distance(one.distance_m), words.now.rate(number(one.per_s ?? 0)), words.now.ago(duration(gatewayTime() - Date.parse(one.last_seen)))].join(' · '));
      show(button, !one.beacon);
      show(lines, one.yaml != null);
      show(isHidden, one.can_be_added && one.yaml == null);
      show(enrol, !one.can_be_added && !one.beacon);
      show(form, store.overview?.rights.write === true && one.yaml != null);
      fillYAML();
    },
  };
}

/** A name as YAML. */
const quoted = (name) => /^[A-Za-z][\w .-]*$/.test(name) ? name : JSON.stringify(name);
