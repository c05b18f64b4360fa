// One room: its members, with their probabilities.
import { attribute, el, list, say, show } from './dom.js';
import { member, stateBadge } from './zone-card.js';

export function roomCard({ room }) {
  const badge = stateBadge(), floor = el('span.note'), members = el('ul.members');
  const updateMembers = list(members, member);
  const title = el('h3');
  say(title, room);
  const node = el('article.card', { 'data-room': room }, el('header', {}, title, floor, badge.node), members);
  return {
    node,
    update(now) {
      attribute(node, 'data-state', now.state);
      badge.update(now.state, now.count);
      say(floor, now.floor ?? '');
      show(floor, now.floor != null);
      updateMembers(now.beacons, (one) => one.beacon);
      show(members, now.beacons.length > 0);
    },
  };
}
