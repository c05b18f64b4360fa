// Another name for a beacon, in a dialog: the change of the file is shown before it is written, and can be taken back.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, address, api, part, patiently } from './api.js';
import { changeLines } from './change-lines.js';
import { nameOf, store } from './store.js';

document.head.append(el('link', { rel: 'stylesheet', href: address('./assets/draw.css') }));

export function rename(beacon) {
  const text = words.naming, former = nameOf({ beacon });
  const input = el('input', { id: 'new-name', type: 'text', maxlength: 60, autocomplete: 'off', oninput: () => { reviewed = null; update(); } });
  const diff = changeLines(text.changes, text.says, text.nothing), status = el('p.status', { role: 'status' }), problem = el('p.problem', { role: 'alert', hidden: true });
  const review = el('button', { type: 'submit', text: text.review }), save = el('button.main', { type: 'button', text: words.try.save, onclick: write });
  const undo = el('button', { type: 'button', text: words.try.undo, onclick: takeBack }), title = el('h2');
  const form = el('form.row', { onsubmit: (event) => { event.preventDefault(); look(); } }, el('label', { for: 'new-name', text: text.label }), input, review);
  const node = el('dialog.review', { 'aria-label': text.title(beacon), onclose: () => node.remove() }, title, el('p.note', { text: text.lead }), form, problem,
    el('div.yaml', {}, diff.lines, ...diff.notes, el('div.row', {}, save, undo, el('button', { type: 'button', text: words.close, onclick: () => node.close() }), status)));
  /** What was shown is saved, over the file that it was shown of. */
  let reviewed = null, saved = null;

  async function act(ask) {
    show(problem, false);
    try { return await patiently(ask); } catch (error) {
      if (!(error instanceof Problem)) throw error;
      say(problem, words.failed(error));
      show(problem, true);
      reviewed = null;
      update();
      return null;
    }
  }
  const put = (body) => act(() => api(`beacons/${part(beacon)}/name`, { method: 'PUT', body }));

  async function look() {
    say(status, '');
    const wanted = { name: input.value.trim() || null, revision: store.overview?.configuration_revision }, reply = await put({ ...wanted, preview: true });
    if (!reply) return;
    reviewed = wanted;
    diff.tell(reply);
    update();
    save.focus();
  }

  async function write() {
    say(status, words.try.saving);
    const reply = await put(reviewed);
    say(status, reply ? text.saved : '');
    if (!reply) return;
    [saved, reviewed] = [reply.revision, null];
    update();
    undo.focus();
  }

  async function takeBack() {
    const reply = await act(() => api('undo', { method: 'POST', body: { revision: saved } }));
    if (!reply) return;
    saved = null;
    say(status, text.undone);
    diff.clear();
    update();
    input.focus();
  }

  function update() {
    show(diff.lines, reviewed !== null || saved !== null);
    save.disabled = reviewed === null;
    show(undo, saved !== null);
  }

  say(title, text.title(beacon));
  input.value = former === beacon ? '' : former;
  attribute(input, 'placeholder', beacon);
  update();
  document.body.append(node);
  node.showModal();
  input.select();
}
