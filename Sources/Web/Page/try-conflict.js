// What two people have changed: how it was, what the other one made of it, and what this one did.
import { el, show } from './dom.js';
import { words } from './words.js';

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const groups = ['near', 'enter', 'exit'], keys = ['threshold', 'dwell_s', 'rearm', 'lost_s'];

/** Mine where I have changed something, theirs elsewhere. */
export function merged(was, theirs, mine) {
  const both = {};
  for (const name of groups) {
    const [a, b, c] = [was[name], theirs[name], mine[name]];
    // Switched on or off, or in another unit, it is taken whole.
    if (!a || !b || !c || new Set([a.unit, b.unit, c.unit]).size > 1) { both[name] = same(a, c) ? b : c; continue; }
    both[name] = { ...b };
    for (const key of Object.keys(c)) both[name][key] = same(a[key], c[key]) ? b[key] : c[key];
  }
  return both;
}

export function conflictTable() {
  const text = words.try, body = el('tbody');
  const node = el('div.scroll', { hidden: true }, el('table.conflict', {}, el('thead', {}, el('tr', {}, ...text.columns.map((name) => el('th', { scope: 'col', text: name })))), body));
  const cell = (part, key) => {
    if (!part) return '–';
    const value = part[key], unit = key === 'threshold' || key === 'rearm' ? part.unit : 's';
    return value == null ? (key === 'lost_s' ? text.fields.auto : '–') : `${value} ${unit}`;
  };
  return {
    node,
    update(was, theirs, mine) {
      const rows = groups.flatMap((name) => keys.filter((key) => [was, theirs, mine].some((one) => one[name] && key in one[name]))
        .map((key) => ({ name, key, cells: [was, theirs, mine].map((one) => cell(one[name], key)) })))
        .filter(({ cells }) => new Set(cells).size > 1);
      body.replaceChildren(...rows.map(({ name, key, cells }) => {
        const label = typeof text.fields[key] === 'object' ? text.fields[key][name] : text.fields[key];
        return el('tr', {}, el('th', { scope: 'row', text: text.field(text.groups[name], label) }), ...cells.map((value) => el('td', { text: value })));
      }));
      show(node, rows.length > 0);
    },
    hide() { show(node, false); },
  };
}
