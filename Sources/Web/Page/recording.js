// The bar below the page while a recording is played: its time, its speed, and a handle to move in time.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { api } from './api.js';
import { dateOf, timeOf } from './figures.js';

export function recordingBar() {
  const text = words.recording;
  const play = el('button.round', { type: 'button' }), glyph = el('span', { 'aria-hidden': 'true' });
  const slider = el('input', { type: 'range', step: 100, 'aria-label': text.at, id: 'scrubber' });
  const at = el('time.amount'), from = el('time.note'), to = el('time.note');
  const speed = el('select', { 'aria-label': text.speed }, ...[1, 2, 5, 10, 30, 60].map((n) => el('option', { value: n, text: text.times(n) })));
  const node = el('footer.recording', { hidden: true, 'aria-label': text.title }, play, el('span.row', {}, from, slider, to), at, speed);
  play.append(glyph);
  let now = null, received = 0, isHeld = false, timer = null, isAsking = false;

  async function tell(change) {
    try { take(await api('recording', { method: 'POST', body: change })); } catch { /* the bar shows what is, with the next answer */ }
  }
  function take(recording) {
    now = recording;
    received = performance.now();
    draw();
  }
  const present = () => now ? Math.min(now.to, now.at + (now.paused ? 0 : (performance.now() - received) * now.speed)) : 0;
  function draw() {
    if (!now) return;
    attribute(slider, 'min', now.from);
    attribute(slider, 'max', now.to);
    if (!isHeld) slider.value = present();
    const shown = Number(slider.value);
    say(at, timeOf(shown));
    attribute(slider, 'aria-valuetext', dateOf(shown));
    say(from, timeOf(now.from));
    say(to, timeOf(now.to));
    say(glyph, now.paused ? '▶' : '❚❚');
    attribute(play, 'aria-label', now.paused ? text.play : text.pause);
    if (document.activeElement !== speed) speed.value = String(now.speed);
  }
  play.addEventListener('click', () => tell({ paused: !now?.paused }));
  speed.addEventListener('change', () => tell({ speed: Number(speed.value) }));
  slider.addEventListener('input', () => { isHeld = true; draw(); });
  slider.addEventListener('change', () => { isHeld = false; tell({ at: Number(slider.value) }); });

  return {
    node,
    update(overview) {
      const isRecording = overview?.source === 'recording';
      show(node, isRecording);
      document.documentElement.classList.toggle('plays', isRecording);
      if (!isRecording) { clearInterval(timer); timer = null; return; }
      timer ??= setInterval(draw, 200);
      if (isAsking || (now && performance.now() - received < 3000)) return;
      isAsking = true;
      api('recording').then(take, () => {}).finally(() => { isAsking = false; });
    },
  };
}
