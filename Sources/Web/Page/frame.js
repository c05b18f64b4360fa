// The frame of every view: name, navigation, connection, theme, the banner of a lost gateway, announcements, the recording.
import { attribute, el, say, show, svg } from './dom.js';
import { words } from './words.js';
import { duration, timeOf } from './figures.js';
import { check, connect, gatewayTime, nameOf, onTransition, store } from './store.js';
import { themeButton } from './theme.js';
import { recordingBar } from './recording.js';
import { ask } from './api.js';
import { loginRoute } from './login.js';
import { route } from './route.js';

const icons = {
  now: 'M3 11.5 12 4l9 7.5M6 10v10h12V10',
  plan: 'M4 4h16v16H4zM4 12h8M12 4v6M12 14v6M16 12h4',
  diary: 'M6 4h12v16H6zM9 8h6M9 12h6M9 16h3',
  strangers: 'M12 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3M8.2 15.8a5.4 5.4 0 0 1 0-7.6M15.8 8.2a5.4 5.4 0 0 1 0 7.6M5.3 18.7a9.5 9.5 0 0 1 0-13.4M18.7 5.3a9.5 9.5 0 0 1 0 13.4',
  settings: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 9.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M9 19.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5',
};
export const icon = (path) => svg('svg', { viewBox: '0 0 24 24', class: 'icon', 'aria-hidden': 'true' }, svg('path', { d: path }));

export function frame() {
  const gateway = document.getElementById('gateway');
  const links = new Map(Object.entries(words.views).map(([name, text]) => [
    name, el('a', { href: `#/${name}` }, icon(icons[name]), el('span', { text })),
  ]));
  const navigation = document.getElementById('navigation');
  attribute(navigation, 'aria-label', words.navigation);
  navigation.append(...links.values());

  const dot = el('span.dot'), state = el('span');
  const logout = el('button.quiet', { type: 'button', text: words.logout, hidden: true, onclick: async () => {
    await ask('./logout', { method: 'POST', body: {} }).catch(() => {});
    await check();
    if (store.connection === 'live') connect();
  } });
  const login = el('a.login-link', { href: '#/login', text: words.login.go, hidden: true });
  document.getElementById('tools').append(el('span.connection', { id: 'connection' }, dot, state), login, logout, themeButton());

  const banner = document.getElementById('banner'), bannerText = el('span', { role: 'alert' }), bannerAge = el('span', { 'aria-hidden': 'true' });
  banner.append(bannerText, bannerAge, el('button', { type: 'button', text: words.connection.retry, onclick: () => check() }));
  const demo = el('aside.demo', { hidden: true, text: words.connection.demoNote });
  banner.after(demo);
  const recording = recordingBar();
  document.body.append(recording.node);
  speak(document.getElementById('live'));

  function update({ connection, overview, heardAt }) {
    if (overview) say(gateway, overview.gateway);
    const isLost = connection === 'lost', ago = Date.now() - heardAt;
    // Where what is shown comes from: live, demo, recording.
    const kind = connection === 'live' && overview ? overview.source : connection;
    document.documentElement.dataset.connection = connection;
    say(state, isLost ? words.connection.lost(timeOf(heardAt)) : words.connection[kind] ?? '');
    attribute(dot, 'data-kind', kind);
    show(banner, isLost);
    if (isLost) { say(bannerText, words.connection.banner(timeOf(heardAt))); say(bannerAge, duration(ago)); }
    show(demo, overview?.source === 'demo');
    show(navigation, connection !== 'login');
    show(logout, connection !== 'login' && overview?.login === true);
    show(login, connection === 'live' && overview?.passwords === true && !overview.rights.write);
    recording.update(overview);
  }
  // The age in the banner increases although nothing arrives.
  setInterval(() => { if (store.connection === 'lost') update(store); }, 1000);

  return {
    update,
    route(name) {
      attribute(login, 'href', loginRoute());
      for (const [key, node] of links) attribute(node, 'aria-current', key === name ? 'page' : null);
    },
  };
}

/** Whether the view is about a transition. */
function concerns({ beacon, zone }) {
  const { name, rest: [about] } = route();
  return name === 'now' || name === 'plan' || (name === 'beacon' && about === beacon) || (name === 'zone' && about === zone);
}

/** Announces transitions of the view to screen readers: a few sentences, and more rarely where much happens. */
function speak(node) {
  let waiting = [], timer = null;
  const flush = () => {
    timer = null;
    if (!waiting.length) return;
    const isBusy = waiting.length > 3;
    say(node, isBusy ? words.spokenMany(waiting.slice(-2), waiting.length - 2) : waiting.join('. '));
    waiting = [];
    timer = setTimeout(flush, isBusy ? 30_000 : 8000);
  };
  onTransition((transition) => {
    if (gatewayTime() - Date.parse(transition.time) > 60_000 || !concerns(transition)) return;
    waiting.push(words.spoken(transition, nameOf(transition)));
    if (!timer) flush();
  });
}
