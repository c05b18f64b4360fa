// Zooming into the plan by wheel, fingers and buttons, and the plan on the whole screen, as on a wall.
import { attribute, el, show } from './dom.js';
import { words } from './words.js';

const most = 16;

/** `layer` lies over the canvas, and has names on which the wheel may be turned; `space` is how the plan lies there at present. */
export function planZoom(canvas, layer, space, redraw) {
  let by = 1, at = [0, 0], act = null, isDragged = false;
  const pointers = new Map();
  const local = (event) => { const box = canvas.getBoundingClientRect(); return [event.clientX - box.left, event.clientY - box.top]; };

  /** So many times the whole; the place under this point stays there. */
  function to(wanted, [px, py], fixed = space()?.back(px, py)) {
    if (!fixed) return;
    const whole = space().scale / by, box = canvas.getBoundingClientRect();
    by = Math.max(1, Math.min(most, wanted));
    at = [fixed[0] - (px - box.width / 2) / whole / by, fixed[1] + (py - box.height / 2) / whole / by];
    attribute(canvas, 'data-zoomed', by > 1);
    show(all, by > 1);
    redraw();
  }
  const centre = () => { const box = canvas.getBoundingClientRect(); return [box.width / 2, box.height / 2]; };
  const button = (text, label, onclick) => el('button', { type: 'button', text, 'aria-label': label, onclick });
  const all = button(words.plan.all, null, () => to(1, centre()));
  all.hidden = true;
  const wall = button(words.plan.wall, null, () => {
    if (document.fullscreenElement) { document.exitFullscreen(); return; }
    canvas.closest('.plan').requestFullscreen().then(() => navigator.wakeLock?.request('screen')).then((lock) => { awake = lock; }).catch(() => {});
  });
  let awake = null;
  wall.hidden = !document.fullscreenEnabled;
  const turned = () => {
    if (!document.fullscreenElement) { awake?.release(); awake = null; }
    attribute(wall, 'aria-pressed', document.fullscreenElement !== null);
  };
  document.addEventListener('fullscreenchange', turned);
  const buttons = el('div.zooms', {}, button('−', words.beacon.zoomOut, () => to(by / 1.5, centre())), button('+', words.beacon.zoomIn, () => to(by * 1.5, centre())), all, wall);

  // Where nothing is to be made smaller, the wheel scrolls the page.
  const wheel = (event) => { if (by === 1 && event.deltaY > 0) return; event.preventDefault(); to(by * Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)), local(event)); };
  for (const one of [canvas, layer]) one.addEventListener('wheel', wheel, { passive: false });
  canvas.addEventListener('pointerdown', (event) => {
    pointers.set(event.pointerId, local(event));
    isDragged = false;
    const points = [...pointers.values()], [a, b = a] = points, middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];
    act = { by, fixed: space()?.back(...middle), middle, apart: Math.hypot(a[0] - b[0], a[1] - b[1]) };
  });
  canvas.addEventListener('pointermove', (event) => {
    // Released over something else.
    if (event.pointerType === 'mouse' && event.buttons === 0) { pointers.delete(event.pointerId); act = null; }
    if (!act || !pointers.has(event.pointerId)) return;
    pointers.set(event.pointerId, local(event));
    const [a, b = a] = [...pointers.values()], middle = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2], apart = Math.hypot(a[0] - b[0], a[1] - b[1]);
    if (!isDragged && Math.hypot(middle[0] - act.middle[0], middle[1] - act.middle[1]) + Math.abs(apart - act.apart) < 6) return;
    if (pointers.size < 2 && by === 1) return;
    if (!isDragged) { isDragged = true; for (const id of pointers.keys()) canvas.setPointerCapture(id); }
    to(act.apart > 0 ? act.by * apart / act.apart : by, middle, act.fixed);
  });
  for (const name of ['pointerup', 'pointercancel']) canvas.addEventListener(name, (event) => { pointers.delete(event.pointerId); act = null; });
  // A drag is no tap on the plan.
  canvas.addEventListener('click', (event) => { if (isDragged) event.stopImmediatePropagation(); }, { capture: true });

  return {
    buttons,
    reset() { if (by > 1) to(1, centre()); },
    stop() { document.removeEventListener('fullscreenchange', turned); awake?.release(); },
    /** How it lies there when it is zoomed. */
    frame(whole, width, height) {
      if (!whole || by === 1) return whole;
      const scale = whole.scale * by;
      return { ...whole, scale, x: (x) => width / 2 + (x - at[0]) * scale, y: (y) => height / 2 - (y - at[1]) * scale, back: (px, py) => [at[0] + (px - width / 2) / scale, at[1] - (py - height / 2) / scale] };
    },
  };
}
