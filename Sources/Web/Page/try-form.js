// The numbers of a zone and its receivers as fields. An empty field means the same as a missing key in the configuration. An invalid or
// missing number is reported and changes nothing.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { fromField, toField } from './figures.js';
import { lengthUnit } from './language.js';

export function numberForm(changed) {
  const text = words.try.fields;
  let numbers = null, receivers = null, former = null;
  const fields = [];
  const isLength = ({ group, key }) => (key === 'threshold' || key === 'rearm') && numbers[group].unit !== 'dBm';
  /** Why a field's content is not valid, by field. */
  const faults = new Map();
  const field = (group, key, label, hint) => {
    const input = el('input', { type: 'number', step: 'any', inputmode: 'decimal', placeholder: hint, 'data-field': `${group}.${key}` });
    const unit = el('span.unit'), name = el('span', { text: label });
    const one = { group, key, input, unit, name, node: el('label.field', {}, name, input, unit) };
    // Near needs a threshold.
    const mayBeEmpty = key === 'lost_s' || (key === 'threshold' && group !== 'near');
    input.addEventListener('input', () => {
      const value = read(input, mayBeEmpty);
      if (value !== undefined) numbers[group][key] = isLength(one) ? fromField(value) : value;
      changed();
    });
    fields.push(one);
    return one.node;
  };
  const isNear = el('input', { type: 'checkbox', 'data-field': 'near', 'aria-label': words.try.groups.near, onchange: () => {
    const unit = numbers.enter?.unit ?? numbers.exit?.unit ?? 'm';
    const near = former ?? (unit === 'dBm' ? { threshold: -60, unit, dwell_s: 2, rearm: -70 } : { threshold: 2, unit, dwell_s: 2, rearm: 5 });
    former = numbers.near;
    numbers.near = isNear.checked ? near : null;
    for (const one of fields) if (one.group === 'near') forget(one.input);
    changed();
  } });
  const nearFields = el('div.fields', {}, field('near', 'threshold', text.threshold.near), field('near', 'dwell_s', text.dwell_s), field('near', 'rearm', text.rearm));
  const group = (name, ...children) => el('fieldset', { 'data-group': name }, el('legend', { text: words.try.groups[name] }), ...children);
  const ears = el('div.fields.ears'), updateEars = list(ears, ear), earGroup = group('receivers', ears);
  const nearGroup = el('fieldset', { 'data-group': 'near' }, el('legend', {}, el('label', {}, isNear, ' ', words.try.groups.near)), nearFields);
  const node = el('form.numbers', { onsubmit: (event) => event.preventDefault() }, nearGroup,
    group('enter', el('div.fields', {}, field('enter', 'threshold', text.threshold.enter, words.try.presence), field('enter', 'dwell_s', text.dwell_s))),
    group('exit', el('div.fields', {}, field('exit', 'threshold', text.threshold.exit, '–'), field('exit', 'dwell_s', text.dwell_s), field('exit', 'lost_s', text.lost_s, text.auto))),
    earGroup);

  function ear({ receiver }) {
    const name = el('span.ear');
    say(name, receiver);
    const number = (key, label, unit, step) => {
      const input = el('input', { type: 'number', step, 'data-field': `${receiver}.${key}`, 'aria-label': `${receiver}: ${label}` });
      input.addEventListener('input', () => {
        const one = receivers.find((each) => each.receiver === receiver), value = read(input, false);
        if (one && value !== undefined) one[key] = value;
        changed();
      });
      return [input, el('span.field', {}, el('span', { text: label }), input, el('span.unit', { text: unit }))];
    };
    const [exponent, first] = number('exponent', text.exponent, '', 0.1), [offset, second] = number('offset_db', text.offset_db, 'dB', 1);
    return { node: el('div.ear-row', {}, name, first, second), update(one) { put(exponent, one.exponent); put(offset, one.offset_db); } };
  }

  /** The number in a field; null: it is empty, which means something there. undefined: it cannot be taken, for a reason that is kept. A
      browser gives an empty value for what it cannot parse, too. */
  function read(input, mayBeEmpty) {
    const isWrong = input.validity.badInput || (input.value !== '' && !Number.isFinite(Number(input.value)));
    const fault = isWrong ? words.try.wrong.number : input.value === '' && !mayBeEmpty ? words.try.wrong.missing : null;
    if (!fault) forget(input); else faults.set(input, fault);
    attribute(input, 'aria-invalid', fault !== null || null);
    return fault ? undefined : input.value === '' ? null : Number(input.value);
  }

  function forget(input) {
    faults.delete(input);
    attribute(input, 'aria-invalid', null);
  }

  /** Not while the user is typing in the field, and not over an invalid number, which must stay visible. */
  function put(input, value) {
    if (faults.has(input)) return;
    const text = value == null ? '' : String(value);
    if (document.activeElement === input && !input.validity.badInput && Number(input.value) === Number(text)) return;
    if (input.value !== text || input.validity.badInput) input.value = text;
  }

  return {
    node,
    /** What is wrong with the first invalid field; null: nothing. */
    fault() {
      for (const [input, fault] of faults) {
        if (!input.isConnected) forget(input); else return fault(input.getAttribute('aria-label'));
      }
      return null;
    },
    /** Discards the content of the fields. */
    reset() {
      for (const input of [...faults.keys()]) forget(input);
      former = null;
    },
    /** A zone of rooms has no thresholds, and so no near. */
    fill(now, ears, isOfRooms) {
      numbers = now;
      receivers = ears;
      if (!numbers) return;
      show(nearGroup, !isOfRooms);
      isNear.checked = numbers.near !== null;
      show(nearFields, numbers.near !== null);
      for (const { group: name, key, input, unit, name: label, node } of fields) {
        const part = numbers[name];
        show(node, !(isOfRooms && key !== 'dwell_s'));
        if (!part) continue;
        put(input, isLength({ group: name, key }) ? toField(part[key]) : part[key]);
        const isSignal = part.unit === 'dBm', isAmount = key === 'threshold' || key === 'rearm';
        if (key === 'threshold') say(label, (isSignal ? text.signal : text.threshold)[name]);
        if (key === 'rearm') say(label, isSignal ? text.rearmSignal : text.rearm);
        say(unit, isAmount ? isSignal ? 'dBm' : lengthUnit : 's');
        attribute(input, 'step', isAmount ? (isSignal ? 1 : 0.1) : 0.5);
        attribute(input, 'min', isSignal && isAmount ? null : 0);
        attribute(input, 'aria-label', words.try.field(words.try.groups[name], `${label.textContent} (${unit.textContent})`));
      }
      updateEars(receivers ?? [], (one) => one.receiver);
      show(earGroup, receivers?.length > 0);
    },
  };
}
