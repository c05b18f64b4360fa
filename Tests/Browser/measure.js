// Runs in a page that holds the report in a frame, and says what it finds there.
const finds = [];
const find = (what, isGood) => { if (!isGood) finds.push(what); };

// How many words stand on two lines. A run of letters has no place to break.
function broken(d) {
  let count = 0;
  const walker = d.createTreeWalker(d.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode, parent = node.parentElement;
    if (parent.closest('script, style, svg, select, .timeline, .skip, .unseen, [hidden], .scenario dd, .given') || !parent.getClientRects().length) continue;
    for (const word of node.data.matchAll(/\p{L}{2,}/gu)) {
      const range = d.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (tops.size > 1) { count += 1; finds.push('broken:' + word[0]); }
    }
  }
  return count;
}

const letters = (text) => {
  const range = text.ownerDocument.createRange();
  range.selectNodeContents(text);
  return range.getBoundingClientRect();
};

// A word for which there is no room stands below what its bar shows of it; a zoomed drawing shows a part.
function isShown(text) {
  if (text.tagName !== 'B') return true;
  const box = letters(text), bar = text.parentElement.getBoundingClientRect(), row = text.closest('.row').getBoundingClientRect();
  return box.top < bar.bottom - 2 && box.left > row.left - 8 && box.right < row.right + 8;
}

// Texts within one drawing that cover each other, and the size of the smallest.
function texts(d) {
  let overlaps = 0, smallest = 99;
  for (const drawing of d.querySelectorAll('svg.chart, .timeline')) {
    const frame = drawing.getBoundingClientRect();
    if (!frame.width) continue;
    const scale = drawing.viewBox ? frame.width / drawing.viewBox.baseVal.width : 1;
    const boxes = [...drawing.querySelectorAll('text, b, .side, .unit, .ticks span')].filter(isShown).map((text) => {
      smallest = Math.min(smallest, parseFloat(getComputedStyle(text).fontSize) * scale);
      return [letters(text), text.textContent];
    });
    boxes.forEach(([a, name], i) => {
      if (a.left < frame.left - 1 || a.right > frame.right + 1) finds.push('cut:' + name);
      for (const [b, other] of boxes.slice(i + 1)) {
        const across = Math.min(a.right, b.right) - Math.max(a.left, b.left);
        const down = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
        // Boxes are a little taller than their letters.
        if (across > 0.5 && down > 2.5) { overlaps += 1; finds.push(`overlap:${name}/${other}`); }
      }
    });
  }
  return [overlaps, smallest];
}

const settled = (w) => new Promise((done) => w.setTimeout(done, 600));

// Whether the hands move all charts together.
async function hands(d, w) {
  const boxes = [...d.querySelectorAll('.live')];
  if (!boxes.length) return 'none';
  const ranges = () => new Set(boxes.map((box) => box.dataset.from + '-' + box.dataset.to));
  const key = (name, isShifted) => boxes[0].dispatchEvent(new w.KeyboardEvent('keydown', { key: name, shiftKey: !!isShifted, bubbles: true }));
  const at = (share) => { const r = boxes[0].getBoundingClientRect(); return { clientX: r.left + 40 + share * (r.width - 50), clientY: r.top + 50, bubbles: true, pointerId: 1, pointerType: 'mouse' }; };
  boxes[0].scrollIntoView({ behavior: 'instant' });
  boxes[0].focus();
  await settled(w);
  const whole = [...ranges()][0], told = () => boxes[0].nextElementSibling.textContent;
  const changed = async (what, act) => {
    const before = [...ranges()].join();
    act();
    await settled(w);
    find(what, ranges().size === 1 && [...ranges()].join() !== before);
  };
  find('start', ranges().size === 1);
  await changed('key-zoom', () => key('+'));
  await changed('key-pan', () => key('ArrowRight', true));
  await changed('wheel', () => boxes[0].dispatchEvent(new w.WheelEvent('wheel', { ...at(0.5), deltaY: -120, ctrlKey: true, cancelable: true })));
  await changed('drag', () => {
    boxes[0].dispatchEvent(new w.PointerEvent('pointerdown', at(0.5)));
    boxes[0].dispatchEvent(new w.PointerEvent('pointermove', at(0.7)));
    boxes[0].dispatchEvent(new w.PointerEvent('pointerup', at(0.7)));
  });
  await changed('button', () => d.querySelector('[data-do=out]').click());
  await changed('key-reset', () => key('0'));
  find('whole', [...ranges()][0] === whole);
  let before = told();
  boxes[0].dispatchEvent(new w.PointerEvent('pointermove', at(0.25)));
  await settled(w);
  find('hover', told() !== before);
  before = told();
  key('ArrowRight');
  key('ArrowRight');
  await settled(w);
  find('key-instant', told() !== before);
  find('spoken', d.getElementById('say').textContent.includes('State: '));
  const seen = (box) => box.getBoundingClientRect().bottom > 0 && box.getBoundingClientRect().top < w.innerHeight;
  const lines = boxes.filter(seen).map((box) => Math.round(box.querySelector('.cursor').getBoundingClientRect().left - box.getBoundingClientRect().left));
  find('together', lines.length > 1 && new Set(lines).size === 1);
  const cards = () => d.querySelectorAll('article[data-outcome]:not([hidden])').length, all = cards();
  for (const choice of d.querySelectorAll('select')) {
    if (choice.options.length < 3) continue;
    choice.value = choice.options[1].value;
    choice.dispatchEvent(new w.Event('change'));
    find('filter-' + choice.dataset.filter, cards() > 0 && cards() < all);
    choice.value = '';
    choice.dispatchEvent(new w.Event('change'));
  }
  find('unfilter', cards() === all);
  return 'ok';
}

f.onload = async () => {
  const d = f.contentDocument, w = f.contentWindow, e = d.documentElement;
  for (const one of d.querySelectorAll('details')) one.open = true;
  await settled(w);
  const wide = [...d.querySelectorAll('svg, h1, h2, h3, p, figcaption, dl')].filter(
    (n) => !n.closest('.scroll') && n.getBoundingClientRect().right > e.clientWidth + 1).length;
  // On a phone no table scrolls sideways, and no sentence ends where its box does.
  if (e.clientWidth < 640) {
    for (const box of d.querySelectorAll('.scroll, .fit')) {
      if (box.scrollWidth > box.clientWidth + 1) finds.push('sideways:' + (box.getAttribute('aria-labelledby') || box.className));
    }
  }
  const [overlaps, smallest] = texts(d);
  const words = broken(d);
  const script = await hands(d, w);
  // Zoomed in, other labels stand beside each other.
  for (let i = 0; i < 3; i += 1) d.querySelector('[data-do=in]')?.click();
  await settled(w);
  const zoomed = texts(d)[0];
  result.textContent = `measured ${e.scrollWidth > e.clientWidth ? 'overflow' : 'fits'} ${wide} requests ${w.performance.getEntriesByType('resource').length}`
    + ` overlaps ${overlaps + zoomed} broken ${words} smallest ${smallest.toFixed(1)} hands ${script} finds ${finds.slice(0, 8).join(' ') || 'nothing'} end`;
};
