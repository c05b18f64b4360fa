// Since when and why somebody is there: a card beside a name, while the pointer or the keyboard is on it, or after a tap.
import { attribute, el, link, say, show } from './dom.js';
import { words } from './words.js';
import { reasons, sinceText } from './reasons.js';
import { percent } from './figures.js';
import { nameOf, ownerOf } from './store.js';
import { thingIcon } from './thing-icon.js';

/** `about(beacon)`: the member of a place that a name in the layer stands for. */
export function whoCard(layer, about) {
  const id = 'who-card', icon = thingIcon(), name = el('strong'), owner = el('span'), where = el('span'), why = el('span.note'), go = el('span');
  const node = el('div.who-card', { id, role: 'tooltip', hidden: true }, el('span.named', {}, icon.node, name), owner, where, why, go);
  let shown = null, isTap = false, timer = null;
  layer.append(node);

  const named = (event) => event.target.closest?.('a[data-beacon]');
  function open(link, isTapped = false) {
    if (shown === link && !isTapped) return;
    close();
    shown = link;
    attribute(link, 'aria-describedby', id);
    attribute(node, 'data-tapped', isTapped);
    go.replaceChildren(...isTapped ? [pageOf(link)] : []);
    update();
  }
  /** A pointer that only passes asks nobody. */
  function ask(one) {
    clearTimeout(timer);
    timer = setTimeout(async () => { if (await reasons.ask(one)) update(); }, 200);
  }
  function close() {
    clearTimeout(timer);
    if (shown) attribute(shown, 'aria-describedby', null);
    shown = null;
    show(node, false);
  }
  const pageOf = (from) => link(['beacon', from.dataset.beacon], words.plan.page, ' ›');

  function update() {
    if (!shown) return;
    const one = about(shown.dataset.beacon);
    if (!shown.isConnected || !one) { close(); return; }
    say(name, nameOf(one));
    icon.update(one.beacon);
    say(owner, words.now.belongs(ownerOf(one.beacon)));
    show(owner, ownerOf(one.beacon) != null);
    say(where, [one.place, sinceText(one), one.probability != null && words.feed.sure(one.probability)].filter(Boolean).join(', '));
    say(why, reasons.of(one));
    ask(one);
    show(node, true);
    const all = layer.getBoundingClientRect(), at = shown.getBoundingClientRect(), own = node.getBoundingClientRect();
    const x = Math.max(4, Math.min(at.left - all.left, all.width - own.width - 4)), below = at.bottom - all.top + 6, y = below + own.height < all.height ? below : Math.max(4, at.top - all.top - own.height - 6);
    node.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
  }

  layer.addEventListener('pointerdown', (event) => { isTap = event.pointerType !== 'mouse'; });
  layer.addEventListener('pointerover', (event) => { const link = named(event); if (link && event.pointerType === 'mouse') open(link); });
  layer.addEventListener('pointerout', (event) => { if (event.pointerType === 'mouse' && named(event) === shown && !shown?.contains(event.relatedTarget)) close(); });
  layer.addEventListener('focusin', (event) => { const link = named(event); if (link && !isTap) open(link); });
  layer.addEventListener('focusout', () => { if (!node.dataset.tapped && node.dataset.tapped !== '') close(); });
  layer.addEventListener('keydown', (event) => { isTap = false; if (event.key === 'Escape') close(); });
  // The first tap tells; the card leads on.
  layer.addEventListener('click', (event) => {
    const link = named(event);
    if (link && isTap) { event.preventDefault(); open(link, true); }
  });
  const elsewhere = (event) => { if (shown && !node.contains(event.target) && named(event) !== shown) close(); };
  document.addEventListener('pointerdown', elsewhere);
  return { update, end() { close(); document.removeEventListener('pointerdown', elsewhere); } };
}
