// One zone: its strip, its members, and trying other numbers on all its beacons.
import { el, link, list, say, show } from './dom.js';
import { words } from './words.js';
import { member, outside, stateBadge } from './members.js';
import { rangeStrip } from './range-strip.js';
import { tryPanel } from './try.js';
import { onTransition } from './store.js';

export function zoneView(name) {
  const title = el('h1'), badge = stateBadge(), strip = rangeStrip(name), unknown = el('p.note', { text: words.unknownWhy });
  const members = el('ul.members'), nobody = el('p.note', { text: words.zone.nobody }), receivers = el('p.note'), approaching = el('p.note'), missing = el('p.waiting');
  const updateMembers = list(members, member);
  const trying = tryPanel({ lead: words.try.leadZone(name) });
  const body = el('div.zone-body', {}, el('section.sheet', { 'aria-label': words.zone.who }, strip.node, unknown, members, nobody, approaching, receivers), trying.node);
  say(title, name);
  say(missing, words.zone.missing(name));
  const stop = onTransition((one) => { if (one.zone === name) trying.again(); });
  let isStarted = false;
  return {
    title: name,
    node: el('div.zone', {}, el('div.head', {}, link(['now'], '← ', words.back), title, badge.node), missing, body),
    update({ overview }) {
      const zone = overview.zones.find((one) => one.zone === name);
      show(missing, !zone);
      show(body, zone != null);
      if (!zone) return;
      badge.update(zone.state, zone.count);
      show(strip.node, !zone.rooms);
      if (!zone.rooms) strip.update(zone);
      show(unknown, zone.state === 'unknown');
      updateMembers(zone.beacons, (one) => one.beacon);
      show(nobody, zone.beacons.length === 0);
      show(approaching, zone.approaching?.length > 0);
      if (zone.approaching?.length) say(approaching, words.now.approaching(outside(zone.approaching)));
      say(receivers, zone.rooms ? words.now.ofRooms(zone.rooms) : `${words.zone.receivers} ${zone.receivers ? words.and(zone.receivers) : words.zone.any}`);
      trying.update(overview, zone);
      if (!isStarted) { isStarted = true; trying.start(); }
    },
    end() { stop(); trying.stop(); },
  };
}
