// Starts the page: the frame around the views, and the choice of the view. A view is a function that returns an element, a function
// for updates of the gateway, and one that ends it.
import { el, link, say, show } from './dom.js';
import { words } from './words.js';
import { connect, store, subscribe } from './store.js';
import { beginWith, onStay, route } from './route.js';
import { frame } from './frame.js';
import { nowView } from './now.js';
import { planView } from './plan.js';
import { beaconView, diaryView, drawView, settingsView, setupView, strangersView, zoneView } from './later.js';
import { loginView } from './login.js';
import { paper } from './paper.js';

const views = {
  now: nowView, beacon: beaconView, zone: zoneView, plan: planView, draw: drawView, diary: diaryView, strangers: strangersView, settings: settingsView, setup: setupView, login: loginView,
};
/** Views of one thing. */
const needsName = new Set(['beacon', 'zone']);
const main = document.getElementById('main');
let shown = null;

function choose(state) {
  if (state.connection === 'login') return 'login';
  return state.overview ? location.hash : 'waiting';
}

function update(state = store) {
  const wanted = choose(state);
  if (shown?.for !== wanted) {
    const { name, rest } = route();
    // A view that can follow its address keeps its elements, and the focus.
    if (shown?.go && shown.name === name && wanted === location.hash) {
      shown.for = wanted;
      shown.go(...rest);
    } else open(wanted, state);
  }
  shown.update?.(state);
}

function open(wanted, state) {
  const isMoved = shown !== null && shown.for !== 'waiting';
  shown?.end?.();
  // Who has rooms sees them first.
  beginWith(state.overview?.rooms?.length ? 'plan' : 'now');
  const { name, rest } = route();
  let view;
  if (wanted === 'login') view = loginView();
  else if (wanted === 'waiting') view = waitingView();
  else view = (needsName.has(name) && !rest[0] ? null : Object.hasOwn(views, name) && views[name](...rest)) || lostView();
  shown = { ...view, for: wanted };
  main.replaceChildren(view.node);
  surroundings.route(wanted === 'login' ? null : ({ draw: 'plan', setup: 'settings' })[name] ?? name);
  const title = view.title ?? words.views[name];
  document.title = [title, state.overview?.gateway, words.product].filter(Boolean).join(' · ');
  if (isMoved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  // The first paint of the gateway's data, for measurements.
  if (wanted !== 'waiting') performance.mark('shown');
}

function waitingView() {
  const text = el('p.waiting', { role: 'status', text: words.loading });
  return { node: text, update: ({ refusal }) => say(text, refusal ? `${refusal} ${words.proxy}` : words.loading) };
}

/** What an address without a view shows. */
const lostView = () => ({
  title: words.notHere,
  node: el('div', {}, el('div.head', {}, el('h1', { text: words.notHere })), el('p', {}, link(['now'], '← ', words.back))),
});

const surroundings = frame();
addEventListener('hashchange', () => update());
onStay(() => { if (shown && shown.for !== 'login' && shown.for !== 'waiting') shown.for = location.hash; });
subscribe((state) => { surroundings.update(state); update(state); });
addEventListener('beforeprint', () => { if (shown && ['now', 'plan'].includes(route().name) && store.overview && shown.for !== 'login') main.append(paper(store.overview)); });
addEventListener('afterprint', () => main.querySelector('.paper')?.remove());
say(document.getElementById('skip'), words.skip);
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
show(document.getElementById('banner'), false);
update();
connect();
