// What is said of a beacon, in a dialog: another name, whose it is, its icon. The change of the file is shown before it is written, and
// can be taken back.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { Problem, address, api, part, patiently } from './api.js';
import { changeLines } from './change-lines.js';
import { iconOf, nameOf, ownerOf, owners, regionOf, store, subscribe } from './store.js';
import { offered, thingIcon } from './thing-icon.js';

document.head.append(el('link', { rel: 'stylesheet', href: address('./assets/draw.css') }));

export function rename(beacon) {
  const text = words.naming, called = nameOf({ beacon });
  // Only members of regions have another name than the one that is published.
  const before = { ...regionOf(beacon) !== null && { name: called === beacon ? null : called }, owner: ownerOf(beacon), icon: iconOf(beacon) };
  const picture = thingIcon(), choices = { owner: owners(), icon: offered };
  const fields = Object.keys(before).map((key) => {
    const input = el('input', { id: `new-${key}`, type: 'text', maxlength: 64, autocomplete: 'off', list: choices[key] && `known-${key}`, 'aria-describedby': `about-${key}`, oninput: () => { reviewed = null; update(); } });
    input.value = before[key] ?? '';
    return { key, input, nodes: [el('label', { for: `new-${key}`, text: text[key === 'name' ? 'label' : key] }), el('span.row', {}, input, key === 'icon' ? picture.node : null), el('span.note', { id: `about-${key}`, text: text[key === 'name' ? 'lead' : `${key}Lead`] }),
      ...choices[key] ? [el('datalist', { id: `known-${key}` }, ...choices[key].map((value) => el('option', { value })))] : []] };
  });
  const diff = changeLines(text.changes, text.says, text.nothing), status = el('p.status', { role: 'status' }), problem = el('p.problem', { role: 'alert', hidden: true });
  const review = el('button', { type: 'submit', text: text.review }), save = el('button.main', { type: 'button', text: words.try.save, onclick: write });
  const undo = el('button', { type: 'button', text: words.try.undo, onclick: takeBack }), title = el('h2');
  const form = el('form.said', { onsubmit: (event) => { event.preventDefault(); look(); } }, ...fields.flatMap((one) => one.nodes), review);
  const close = () => node.close();
  const node = el('dialog.review', { 'aria-label': text.title(called), onclose: () => { unsubscribe(); removeEventListener('hashchange', close); node.remove(); } }, title, form, problem,
    el('div.yaml', {}, diff.lines, ...diff.notes, el('div.row', {}, save, undo, el('button', { type: 'button', text: words.close, onclick: close }), status)));
  /** What was shown is saved, over the file that it was shown of. */
  let reviewed = null, saved = null;
  const unsubscribe = subscribe(({ overview }) => { if (status.textContent === text.saved && overview.configuration_revision === saved) say(status, text.loaded); });

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
  const put = (body) => act(() => api(`beacons/${part(beacon)}`, { method: 'PUT', body }));
  /** What was not changed is not sent: a member would get as its own what its region says. */
  function changed() {
    const now = fields.map(({ key, input }) => [key, input.value.trim() || null]), other = now.filter(([key, value]) => value !== before[key]);
    return Object.fromEntries(other.length ? other : now.slice(0, 1));
  }

  async function look() {
    say(status, '');
    const wanted = { ...changed(), revision: store.overview?.configuration_revision }, reply = await put({ ...wanted, preview: true });
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
    fields[0].input.focus();
  }

  function update() {
    show(diff.lines, reviewed !== null || saved !== null);
    save.disabled = reviewed === null;
    show(undo, saved !== null);
    picture.update(beacon, fields.at(-1).input.value.trim());
  }

  say(title, text.title(called));
  if ('name' in before) attribute(fields[0].input, 'placeholder', beacon);
  update();
  document.body.append(node);
  node.showModal();
  // Back closes it, as it closes a dialog on a phone.
  addEventListener('hashchange', close);
  fields[0].input.select();
}
