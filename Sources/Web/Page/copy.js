// A button that copies. If the page may not use the clipboard (plain HTTP beyond loopback), it selects the text instead.
import { el, say } from './dom.js';
import { words } from './words.js';

export function copyButton(text) {
  const button = el('button', { type: 'button', text: words.copy });
  button.addEventListener('click', async () => {
    try { await navigator.clipboard.writeText(text()); } catch { select(button.closest('.yaml')?.querySelector('pre')); return; }
    say(button, words.copied);
    setTimeout(() => say(button, words.copy), 1500);
  });
  return button;
}

function select(node) {
  if (!node) return;
  const range = document.createRange();
  range.selectNodeContents(node);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
  node.focus?.();
}
