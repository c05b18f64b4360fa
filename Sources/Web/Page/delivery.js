// The delivery: the broker, the outbox, waiting messages.
import { attribute, el, say, show } from './dom.js';
import { words } from './words.js';
import { duration } from './figures.js';
import { gatewayTime } from './store.js';

export function delivery() {
  const { delivery: text } = words;
  const broker = fact(text.broker), outbox = fact(text.outbox), waiting = fact(text.waiting), up = fact(text.up);
  return {
    node: el('dl.facts', {}, broker.node, outbox.node, waiting.node, up.node),
    update({ broker: link, health, started }) {
      show(broker.node, link != null);
      if (link) broker.say(link.connected ? text.connected : text.away, link.address, link.connected ? 'good' : 'bad');
      const { outbox: box } = health;
      if (box) outbox.say(box.durable && !box.reason ? text.durable : text.memory, box.reason ?? (box.lost ? text.lost(box.lost) : ''), box.durable && !box.reason && !box.lost ? 'good' : 'bad');
      waiting.say(health.queued ? text.messages(health.queued) : text.nothing, box?.parked ? `${text.parked(box.parked)}: ${(box.refused ?? []).join(', ')}` : '', box?.parked ? 'bad' : 'good');
      up.say(text.upSince(duration(gatewayTime() - Date.parse(started))), '', 'good');
    },
  };
}

function fact(name) {
  const main = el('span'), more = el('span.note'), node = el('div', {}, el('dt', { text: name }), el('dd', {}, main, more));
  return {
    node,
    say(what, detail, kind) {
      attribute(node, 'data-kind', kind);
      say(main, what);
      say(more, detail ?? '');
    },
  };
}
