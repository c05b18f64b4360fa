// Runs in the dashboard, and says what a person who sees little or uses no mouse would stumble over. After the rules of axe:
// names of controls, contrast of text, one main landmark, headings without gaps, ids once, nothing wider than the screen.
(() => {
  const finds = [];
  const isSeen = (node) => {
    if (!node.getClientRects().length) return false;
    const style = getComputedStyle(node);
    return style.visibility !== 'hidden' && !node.closest('[hidden], .unseen, noscript');
  };
  const where = (node) => `${node.tagName.toLowerCase()}${node.id ? '#' + node.id : ''}${typeof node.className === 'string' && node.className ? '.' + node.className.split(' ')[0] : ''} "${(node.textContent || '').trim().slice(0, 24)}"`;

  const nameOf = (node) => {
    const by = node.getAttribute('aria-labelledby');
    if (by) return by.split(' ').map((id) => document.getElementById(id)?.textContent ?? '').join(' ').trim();
    if (node.getAttribute('aria-label')) return node.getAttribute('aria-label').trim();
    if (node.labels?.length) return [...node.labels].map((label) => label.textContent).join(' ').trim();
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(node.tagName)) return node.title ?? '';
    const text = [...node.childNodes].map((child) => child.nodeType === 3 ? child.data : child.getAttribute?.('aria-hidden') === 'true' ? '' : nameOf(child)).join(' ').trim();
    return text || node.title || '';
  };
  const controls = 'a[href], button, input, select, textarea, summary, [tabindex], [role=slider], [role=button], [role=progressbar], canvas, [role=img]';
  for (const node of document.querySelectorAll(controls)) {
    if (!isSeen(node) || node.getAttribute('aria-hidden') === 'true' || node.getAttribute('tabindex') === '-1') continue;
    if (!nameOf(node)) finds.push(`no name: ${where(node)}`);
    if (node.closest('[aria-hidden=true]') && node.tabIndex >= 0) finds.push(`hidden but focusable: ${where(node)}`);
  }

  const parse = (colour) => { const m = /rgba?\(([^)]+)\)/.exec(colour); if (!m) return [0, 0, 0, 0]; const [r, g, b, a = 1] = m[1].split(/[ ,/]+/).map(Number); return [r, g, b, a]; };
  const over = ([r, g, b, a], [R, G, B]) => [r * a + R * (1 - a), g * a + G * (1 - a), b * a + B * (1 - a), 1];
  const luminance = (c) => { const [r, g, b] = c.map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  /** All grounds that may lie behind: the solid one, and each colour of a pattern above it. */
  const grounds = (node) => {
    const layers = [];
    for (let at = node; at; at = at.parentElement) {
      const style = getComputedStyle(at), solid = parse(style.backgroundColor), pattern = [...style.backgroundImage.matchAll(/rgba?\([^)]+\)/g)].map(([text]) => parse(text)).filter((c) => c[3] > 0);
      layers.push({ solid, pattern });
      if (solid[3] === 1 && !pattern.length) break;
    }
    let found = [[255, 255, 255, 1]];
    for (const { solid, pattern } of layers.reverse()) {
      found = found.map((ground) => over(solid, ground));
      if (pattern.length) found = found.flatMap((ground) => [ground, ...pattern.map((colour) => over(colour, ground))]);
    }
    return found;
  };
  let least = 99, texts = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const done = new Set();
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.data.trim() || done.has(node) || !isSeen(node) || node.closest('option, button:disabled, [aria-hidden=true]')) continue;
    done.add(node);
    texts += 1;
    const style = getComputedStyle(node), size = parseFloat(style.fontSize), wanted = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700) ? 3 : 4.5;
    const ratio = Math.min(...grounds(node).map((ground) => {
      const ink = over(parse(style.color), ground), [a, b] = [luminance(ink), luminance(ground)].sort((x, y) => y - x);
      return (a + 0.05) / (b + 0.05);
    }));
    least = Math.min(least, ratio);
    if (ratio < wanted) finds.push(`contrast ${ratio.toFixed(2)}: ${where(node)}`);
    if (size < 11.5) finds.push(`text of ${size} px: ${where(node)}`);
  }

  if (document.querySelectorAll('main').length !== 1) finds.push('not one main');
  if ([...document.querySelectorAll('h1')].filter((node) => node.getClientRects().length).length !== 1) finds.push('not one h1');
  let level = 0;
  for (const node of document.querySelectorAll('main h1, main h2, main h3, main h4')) {
    if (!node.getClientRects().length) continue;
    const now = Number(node.tagName[1]);
    if (now > level + 1) finds.push(`heading skips a level: ${where(node)}`);
    level = now;
  }
  const ids = [...document.querySelectorAll('[id]')].map((node) => node.id);
  for (const id of new Set(ids.filter((one, i) => ids.indexOf(one) !== i))) finds.push(`id twice: ${id}`);
  if (document.documentElement.scrollWidth > innerWidth + 1) finds.push(`wider than the screen: ${document.documentElement.scrollWidth} > ${innerWidth}`);
  if (!document.documentElement.lang || !document.title) finds.push('no language or no title');
  for (const node of document.querySelectorAll('button, .handle[role=slider]')) {
    const box = node.getBoundingClientRect();
    if (isSeen(node) && (box.width < 24 || box.height < 20)) finds.push(`small target: ${where(node)}`);
  }
  return { finds: [...new Set(finds)], texts, least };
})()
