// Pairs once with somebody's phone or watch, so that it is known although its address changes. The gateway ends it if this page
// stops asking.
import { attribute, el, list, say, show } from './dom.js';
import { words as page } from './words.js';
import { words as text } from './enrol-words.js';
import { api, patiently } from './api.js';
import { loginRoute } from './login.js';
import { store } from './store.js';
import { copyButton } from './copy.js';

const beat = 2000;

export function enrolPanel() {
  const problem = el('p.problem', { role: 'alert', hidden: true });
  const command = el('pre', { tabindex: 0, role: 'group', 'aria-label': text.command, text: 'sudo beaconkeeper enrol NAME --add' });
  const byHand = el('div.yaml', { hidden: true }, el('p', { text: text.cannot }), command, el('div.row', {}, copyButton(() => command.textContent)));
  const login = el('a', { href: '#/login', text: text.login }), readOnly = el('p.note', { hidden: true }, text.readOnly, ' ', login);
  const name = el('input', { type: 'text', 'aria-label': text.name, placeholder: text.nameHint, maxlength: 60, required: true });
  const without = el('input', { type: 'checkbox', onchange: () => show(caution, without.checked) }), caution = el('p.note', { text: text.caution, hidden: true });
  const begin = el('button.main', { type: 'submit', text: text.begin });
  const first = el('form', { hidden: true, onsubmit: (event) => { event.preventDefault(); take('begin', { name: name.value.trim(), without_number: without.checked }); } },
    el('div.row', {}, name, el('label.check', {}, without, ' ', text.withoutNumber), begin), caution);
  const left = el('p.status', { role: 'timer' }), news = el('ol.news', { role: 'log' }), update = list(news, said);
  const number = el('input', { type: 'text', inputmode: 'numeric', autocomplete: 'off', 'aria-label': text.number, placeholder: '000000', maxlength: 9, required: true });
  const numbers = el('span.note'), mine = button(text.isMine, () => type('yes')), refuse = button(text.refuse, () => type('no')), stop = button(text.stop, () => take('stop', { session: now.session }));
  const answer = el('form.row', { onsubmit: (event) => { event.preventDefault(); type(number.value); number.value = ''; } }, number, el('button.main', { type: 'submit', text: text.take }), numbers);
  const steps = el('div.steps', {}, el('h3', { text: text.how }), ...text.steps.map(([device, all]) => el('details', {}, el('summary', { text: device }), el('ol', {}, ...all.map((one) => el('li', { text: one }))))));
  const open = el('div.open', { hidden: true }, left, news, answer, el('div.row', {}, mine, refuse, stop), steps);
  const saved = el('p.status', { role: 'status', hidden: true }), keys = el('p.note', { hidden: true });
  const lead = el('p'), yaml = el('pre', { tabindex: 0, role: 'group', 'aria-label': text.missing }), lines = el('div.yaml', { hidden: true }, lead, yaml);
  const again = button(text.again, () => look()), close = button(text.close, end);
  const node = el('section.panel.enrol', { 'aria-label': text.title, hidden: true }, el('h2', { text: text.title }), el('p.lead', { text: text.lead }), readOnly, problem, byHand, first, open, saved, keys, lines, el('div.row', {}, again, close));
  let now = null, timer = null;

  function button(title, onclick) { return el('button', { type: 'button', text: title, onclick }); }
  const type = (line) => take('type', { session: now.session, number: line });

  async function take(step, body) {
    begin.disabled = true;
    try {
      draw(await patiently(() => api(`enrolment/${step}`, { method: 'POST', body })));
    } catch (error) {
      tell(page.failed(error));
      // What speaks against it may also speak against any other name.
      if (step === 'begin') show(byHand, true);
    }
    begin.disabled = false;
  }

  /** What stands against it here, before anybody pairs. */
  async function look() {
    const mayWrite = store.overview?.rights.write === true;
    attribute(login, 'href', loginRoute());
    show(login, store.overview?.passwords === true);
    for (const one of [readOnly, byHand]) show(one, !mayWrite);
    show(again, false);
    if (!mayWrite) return;
    try { draw(await patiently(() => api('enrolment'))); } catch (error) { tell(page.failed(error)); }
  }

  async function ask() {
    try { draw(await api(`enrolment?session=${now.session}`)); } catch (error) {
      tell(page.failed(error));
      if (now) later();
    }
  }
  const later = () => { clearTimeout(timer); timer = setTimeout(ask, beat); };

  function tell(sentence) {
    say(problem, sentence);
    show(problem, sentence != null);
  }

  function draw(told) {
    // It was closed before the answer came.
    if (node.hidden) return;
    const { state } = now = told, isOpen = state === 'open', isSaved = state === 'saved';
    tell(told.problem && [told.problem, told.remedy].filter(Boolean).join(' '));
    show(byHand, state === 'none' && told.problem != null);
    show(first, state === 'none' && told.problem == null);
    show(open, isOpen);
    for (const one of [saved, keys]) show(one, isSaved);
    if (isSaved) { say(saved, text.saved(told.name)); say(keys, text.keys(told.keys_file)); }
    show(lines, told.yaml != null);
    say(lead, isSaved ? text.fileSays : text.missing);
    say(yaml, told.yaml);
    show(again, isSaved || state === 'failed');
    show(close, !isOpen);
    if (isOpen) {
      const seconds = told.seconds_left;
      say(left, seconds == null ? text.opening : text.left(`${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`));
      update(told.news.map((one, place) => ({ ...one, place })), (one) => one.place);
      say(numbers, text.numbersLeft(told.numbers_left));
      const asks = (kind) => told.news.some((one) => one.kind === kind);
      show(mine, asks('wants_consent'));
      show(refuse, asks('wants_consent') || asks('wants_number'));
      later();
    } else {
      clearTimeout(timer);
    }
  }

  function said() {
    const node = el('li');
    return { node, update(one) { say(node, text.news[one.kind]?.(one)); } };
  }

  function end() {
    clearTimeout(timer);
    // Without it the gateway would wait for ten seconds.
    if (now?.state === 'open') api('enrolment/stop', { method: 'POST', body: { session: now.session } }).catch(() => {});
    now = null;
    show(node, false);
  }

  return {
    node,
    open() {
      if (node.hidden) { show(node, true); look(); }
      node.scrollIntoView({ block: 'nearest' });
      if (!first.hidden) name.focus();
    },
    end,
  };
}
