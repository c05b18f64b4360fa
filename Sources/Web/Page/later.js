// The drawing board is large, and is loaded when somebody draws.
import { el, say } from './dom.js';
import { words } from './words.js';
import { store } from './store.js';

export function drawView() {
  const waiting = el('p.waiting', { role: 'status', text: words.loading }), node = el('div', {}, el('h1.unseen', { text: words.plan.draw }), waiting);
  let view = null, isEnded = false;
  import('./draw.js').then((board) => board.drawView()).then((made) => {
    if (isEnded) { made.end(); return; }
    view = made;
    node.replaceChildren(view.node);
    view.update(store);
  }, () => say(waiting, words.offline));
  return { title: words.plan.draw, node, update: (state) => view?.update(state), end() { isEnded = true; view?.end(); } };
}
