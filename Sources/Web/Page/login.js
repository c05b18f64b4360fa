// The login form, shown if the gateway requires a login.
import { el, say, show } from './dom.js';
import { words } from './words.js';
import { ask } from './api.js';
import { routeTo } from './route.js';
import { check, connect, store } from './store.js';

/** The place of the form; after the login the page shows the same view as before. */
export const loginRoute = () => /^#\/(login|$)/.test(location.hash) ? '#/login' : `#/login/${location.hash.slice(2)}`;

export function loginView(...back) {
  const text = words.login;
  const password = el('input', { type: 'password', id: 'password', name: 'password', autocomplete: 'current-password', required: true });
  const problem = el('p.problem', { role: 'alert', hidden: true }), go = el('button.main', { type: 'submit', text: text.go });
  const see = el('input', { type: 'checkbox', onchange: () => { password.type = see.checked ? 'text' : 'password'; } });
  const form = el('form.sheet.login', { method: 'post' }, el('h1', { text: text.title }), el('p.note', { text: store.overview?.source === 'demo' ? text.demo : text.why(store.overview?.gateway) }),
    el('label', { for: 'password', text: text.label }), password, el('label.check', {}, see, ' ', text.show), problem, go);
  /** Back does not lead here again. */
  const leave = () => { if (location.hash.startsWith('#/login')) location.replace(routeTo(back.length ? back : ['now'])); };
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    go.disabled = true;
    try {
      await ask('./login', { method: 'POST', body: { password: password.value } });
      password.value = '';
      await check();
      connect();
      leave();
    } catch (error) {
      say(problem, words.failed(error));
      show(problem, true);
      password.select();
    }
    go.disabled = false;
  });
  setTimeout(() => password.focus());
  return {
    title: text.title, node: form,
    update({ connection, overview }) { if (connection !== 'login' && overview?.rights.write) leave(); },
  };
}
