// Functions that make and change elements. Text is never inserted as HTML, because names come from the air and may be hostile.
import { routeTo } from './route.js';

/** el('button.quiet', { 'aria-label': …, onclick: … }, child, 'text') */
export function el(name, properties = {}, ...children) {
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (classes.length) node.className = classes.join(' ');
  for (const [key, value] of Object.entries(properties)) set(node, key, value);
  node.append(...children.filter((child) => child != null));
  return node;
}

const drawing = 'http://www.w3.org/2000/svg';
export function svg(tag, properties = {}, ...children) {
  const node = document.createElementNS(drawing, tag);
  for (const [key, value] of Object.entries(properties)) set(node, key, value);
  node.append(...children);
  return node;
}

function set(node, key, value) {
  if (key.startsWith('aria-') && typeof value === 'boolean') value = String(value);
  if (value == null || value === false) return;
  if (key === 'text') node.textContent = value;
  else if (key.startsWith('on')) node.addEventListener(key.slice(2), value);
  else node.setAttribute(key, value === true ? '' : value);
}

/** Sets text only if it differs, which keeps selections and saves layout work. */
export function say(node, text) {
  const wanted = text == null ? '' : visible(String(text));
  if (node.textContent !== wanted) node.textContent = wanted;
}

/** Replaces invisible characters and those that change the writing direction. */
export const visible = (text) => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\uFFFD');

export function attribute(node, name, value) {
  if (name.startsWith('aria-') && typeof value === 'boolean') value = String(value);
  if (value == null || value === false) { if (node.hasAttribute(name)) node.removeAttribute(name); return; }
  const text = value === true ? '' : String(value);
  if (node.getAttribute(name) !== text) node.setAttribute(name, text);
}

export const show = (node, isShown) => { if (node.hidden === isShown) node.hidden = !isShown; };

/** A list whose rows stay the same elements while their content changes, so that focus and hover survive. */
export function list(parent, make) {
  const rows = new Map();
  return (items, keyOf) => {
    const wanted = new Map();
    for (const item of items) wanted.set(keyOf(item), item);
    // Rows to remove come first, so that the others need not move and lose their focus.
    let heir = null;
    for (const [key, row] of rows) {
      if (wanted.has(key)) continue;
      if (row.node.contains(document.activeElement)) heir = row.node.nextElementSibling ?? row.node.previousElementSibling ?? parent;
      else if (heir === row.node) heir = row.node.nextElementSibling ?? parent;
      row.node.remove();
      rows.delete(key);
    }
    let place = parent.firstChild;
    for (const [key, item] of wanted) {
      let row = rows.get(key);
      if (!row) rows.set(key, row = make(item));
      row.update(item);
      if (row.node === place) place = place.nextSibling;
      else parent.insertBefore(row.node, place);
    }
    // The row with the focus is gone: its neighbour gets it, so that the keyboard goes on from there.
    if (heir) focusWithin(heir);
  };
}

function focusWithin(node) {
  const control = node.querySelector('a[href], button:enabled, input, select');
  if (!control) node.setAttribute('tabindex', -1);
  (control ?? node).focus({ preventScroll: true });
}

/** The text of an empty view: what that means, and what to do. Hidden, because nothing is known to be empty before it was looked at. */
export const empty = ([what, remedy, ...links]) => el('div.empty', { hidden: true }, el('strong', { text: what }), ' ', el('span', { text: remedy }),
  ...links.flatMap(([route, text]) => [' ', link([route], text)]));

export function panel(title, ...children) {
  const id = `h-${++panels}`;
  return el('section.panel', { 'aria-labelledby': id }, el('h2', { id, text: title }), ...children);
}
let panels = 0;

export const link = (route, ...children) => el('a', { href: routeTo(route) }, ...children);
