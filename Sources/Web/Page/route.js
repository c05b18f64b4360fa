// The address of a view, and what the page remembers of it: a reload and Back show the same again.

let first = 'now';
/** The view of an address that names none. */
export const beginWith = (name) => { first = name; };

/** The name of the view, and what it is about. */
export function route() {
  const [name, ...rest] = location.hash.replace(/^#\/?/, '').split('/').map(decoded);
  return { name: name || first, rest };
}

function decoded(part) {
  try { return decodeURIComponent(part); } catch { return part; }
}

export const routeTo = (parts) => `#/${parts.map(encodeURIComponent).join('/')}`;

const listeners = new Set();
export const onStay = (listener) => listeners.add(listener);
/** The view stays, and its address says more of what it shows. */
export function stay(...parts) {
  const wanted = routeTo(parts.filter((part) => part != null));
  if (wanted === location.hash) return;
  history.replaceState(history.state, '', wanted);
  for (const listener of listeners) listener();
}

/** What the user has chosen in this tab: filters, the order, what is unfolded. */
export function kept(key, otherwise = null) {
  try { return JSON.parse(sessionStorage.getItem(key)) ?? otherwise; } catch { return otherwise; }
}
export function keep(key, value) {
  try { sessionStorage.setItem(key, JSON.stringify(value)); } catch { /* the browser keeps nothing */ }
}
