// The quality of a calibration: how often rooms were right on stretches of the walk that it did not learn from.
import { el, list, say, show } from './dom.js';
import { words } from './words.js';
import { number, percent } from './figures.js';

export function calibrationResult() {
  const text = words.calibrate.result;
  const verdict = el('p.status', { role: 'status' }), body = el('tbody'), update = list(body, row), remarks = el('ul.remarks'), updateRemarks = list(remarks, remark);
  const note = el('p.note', { text: text.note }), table = el('table.parts', {}, el('thead', {}, el('tr', {}, ...[text.with, text.right, text.changes, text.delay].map((title) => el('th', { scope: 'col', text: title })))), body);
  const node = el('div.result', { hidden: true }, verdict, table, note, remarks);
  return {
    node,
    update(result) {
      show(node, result != null);
      if (!result) return;
      const out = result.held_out;
      say(verdict, !result.usable ? text.refused(result.refusal) : text.good(percent(out[out.kept].right), percent(out.nothing.right)));
      for (const one of [table, note]) show(one, out != null);
      update(out ? ['nothing', 'path_loss', 'all', 'less_complete', 'present'].filter((part) => out[part]).map((part) => ({ part, isKept: out.kept === part, hasPlan: result.wall_loss_db != null, ...out[part] })) : [], (one) => one.part);
      const lacking = result.rooms.filter((one) => !one.enough && !one.kept).map((one) => one.room), unheard = result.receivers.filter((one) => !one.sightings).map((one) => one.receiver);
      const told = [
        lacking.length && text.lacking(lacking), unheard.length && text.unheard(unheard),
        out?.most_mistaken && text.mistaken(out.most_mistaken), out?.receiver_wanted_in && text.wanted(out.receiver_wanted_in),
        result.marks_outside_their_room.length && text.strays(result.marks_outside_their_room.length),
      ].filter(Boolean);
      updateRemarks(told.map((sentence) => ({ sentence })), (one) => one.sentence);
    },
  };
}

function row({ part }) {
  const text = words.calibrate.result, title = el('span'), kept = el('span.tag', { 'data-event': 'near', text: text.kept }), cells = [0, 1, 2].map(() => el('td.numeric'));
  return {
    node: el('tr', { 'data-part': part }, el('th', { scope: 'row' }, title, ' ', kept), ...cells),
    update({ right, changes, true_changes, median_delay_s, isKept, hasPlan }) {
      say(title, text.parts(part, hasPlan));
      show(kept, isKept);
      say(cells[0], percent(right));
      say(cells[1], text.changed(changes, true_changes));
      say(cells[2], median_delay_s == null ? '–' : `${number(median_delay_s)} s`);
    },
  };
}

function remark({ sentence }) {
  const node = el('li');
  say(node, sentence);
  return { node, update() {} };
}
