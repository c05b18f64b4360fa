// A change of the configuration's file, line by line.
import { el, say, show } from './dom.js';

/** What the gateway tells of a change: its lines, and what `check` says of them. */
export function changeLines(label, says, nothing) {
  const lines = el('pre', { tabindex: 0, role: 'group', 'aria-label': label }), noted = el('p', { text: says, hidden: true }), warnings = el('ul');
  return {
    lines, notes: [noted, warnings],
    tell({ changes, warnings: told }) {
      lines.replaceChildren(...changes.split('\n').filter(Boolean).map((line) => { const node = el('span', { 'data-kind': line[0] }); say(node, line); return node; }));
      if (!changes) say(lines, nothing);
      show(noted, told.length > 0);
      warnings.replaceChildren(...told.map((one) => { const node = el('li'); say(node, one); return node; }));
    },
    clear() { lines.replaceChildren(); warnings.replaceChildren(); show(noted, false); },
  };
}
