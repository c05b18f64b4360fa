extension Script {
  /// Mouse, fingers and keys on a chart.
  static let hands = #"""
    function listen(chart) {
      const { box } = chart, fingers = new Map();
      const timeAt = (x) => {
        const frame = chart.frame || frameOf(chart), spot = x - box.getBoundingClientRect().left;
        return view.from + (spot - frame.left) / (frame.right - frame.left) * (view.to - view.from);
      };
      let drag = null;

      box.addEventListener('pointerdown', (event) => {
        fingers.set(event.pointerId, event.clientX);
        drag = { x: event.clientX, from: view.from, to: view.to, moved: false, gap: 0 };
        if (fingers.size === 2) {
          const [a, b] = [...fingers.values()];
          drag.gap = Math.max(10, Math.abs(a - b));
          drag.around = timeAt((a + b) / 2);
        }
      });
      box.addEventListener('pointermove', (event) => {
        if (!fingers.has(event.pointerId)) {
          if (event.pointerType !== 'touch') setInstant(timeAt(event.clientX), chart);
          return;
        }
        fingers.set(event.pointerId, event.clientX);
        if (fingers.size === 2 && drag.gap) {
          const [a, b] = [...fingers.values()];
          const scale = drag.gap / Math.max(10, Math.abs(a - b)), share = (drag.around - drag.from) / (drag.to - drag.from);
          const span = (drag.to - drag.from) * scale;
          drag.moved = true;
          return setView(drag.around - share * span, drag.around + (1 - share) * span);
        }
        if (!drag.moved && Math.abs(event.clientX - drag.x) < 5) return;
        if (!drag.moved && box.setPointerCapture) try { box.setPointerCapture(event.pointerId); } catch { /* gone already */ }
        drag.moved = true;
        const frame = chart.frame || frameOf(chart);
        const shift = (drag.x - event.clientX) / (frame.right - frame.left) * (drag.to - drag.from);
        setView(drag.from + shift, drag.to + shift);
      });
      const lift = (event) => {
        if (fingers.delete(event.pointerId) && drag && !drag.moved && event.type === 'pointerup') {
          setInstant(timeAt(event.clientX), chart);
        }
        if (fingers.size === 0) drag = null;
      };
      box.addEventListener('pointerup', lift);
      box.addEventListener('pointercancel', lift);

      // The wheel alone scrolls the page, as everywhere else.
      box.addEventListener('wheel', (event) => {
        if (event.ctrlKey || event.metaKey) {
          event.preventDefault();
          zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 120), timeAt(event.clientX));
        } else if (event.shiftKey || Math.abs(event.deltaX) > 2 * Math.abs(event.deltaY)) {
          event.preventDefault();
          pan((event.deltaX || event.deltaY) / 800);
        }
      }, { passive: false });

      box.addEventListener('focus', () => { view.active = chart; });
      box.addEventListener('keydown', (event) => {
        if (event.ctrlKey || event.metaKey || event.altKey || !press(event.key, event.shiftKey, chart)) return;
        event.preventDefault();
      });
    }

    // Whether the key means anything here.
    function press(key, isShifted, chart) {
      const step = stepFor((view.to - view.from) / 100, timeSteps);
      const forward = key === 'ArrowRight' || key === 'ArrowUp' ? 1 : key === 'ArrowLeft' || key === 'ArrowDown' ? -1 : 0;
      if (forward && isShifted) pan(forward / 8);
      else if (forward) setInstant(Math.round(view.at / step + forward) * step, chart);
      else if (key === '+' || key === '=') zoom(0.5, view.at);
      else if (key === '-' || key === '_') zoom(2, view.at);
      else if (key === '0') setView(0, last);
      else if (key === 'Home') setInstant(0, chart);
      else if (key === 'End') setInstant(last, chart);
      else return false;
      return true;
    }
    """#
}
