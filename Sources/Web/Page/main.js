// Starts the page: the frame around the views, and the choice of the view. A view is a function that returns an element, a function
// for updates of the gateway, and one that ends it.
import { el, say, show } from './dom.js';
import { words } from './words.js';
import { connect, store, subscribe } from './store.js';
import { frame } from './frame.js';
import { nowView } from './now.js';
import { beaconView } from './beacon.js';
import { zoneView } from './zone.js';
import { planView } from './plan.js';
import { diaryView } from './diary.js';
import { strangersView } from './strangers.js';
import { settingsView } from './settings.js';
import { loginView } from './login.js';

const views = {
  now: nowView, beacon: beaconView, zone: zoneView, plan: planView, diary: diaryView, strangers: strangersView, settings: settingsView, login: loginView,
};
const main = document.getElementById('main');
let shown = null;

function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decoded);
  return { name: name || 'now', rest };
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

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
  const { name, rest } = route();
  let view;
  if (wanted === 'login') view = loginView();
  else if (wanted === 'waiting') view = { node: el('p.waiting', { role: 'status', text: words.loading }) };
  else view = views[name]?.(...rest) ?? { node: el('p.waiting', { text: words.notHere }) };
  shown = { ...view, for: wanted };
  main.replaceChildren(view.node);
  surroundings.route(wanted === 'login' ? null : name);
  const title = view.title ?? words.views[name];
  document.title = [title, state.overview?.gateway, words.product].filter(Boolean).join(' · ');
  if (isMoved) {
    scrollTo(0, 0);
    main.focus({ preventScroll: true });
  }
  // The first paint of the gateway's data, for measurements.
  if (wanted !== 'waiting') performance.mark('shown');
}

const surroundings = frame();
addEventListener('hashchange', () => update());
subscribe((state) => { surroundings.update(state); update(state); });
say(document.getElementById('skip'), words.skip);
document.getElementById('skip').addEventListener('click', (event) => {
  event.preventDefault();
  main.focus();
});
show(document.getElementById('banner'), false);
update();
connect();
