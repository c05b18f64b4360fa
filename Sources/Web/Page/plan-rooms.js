// The rooms of the plan with the names of who is there: over the drawing, or as tiles where rooms have no outlines.
import { attribute, el, list, say, show } from './dom.js';
import { words } from './words.js';
import { few, member, names, stateBadge } from './members.js';

/** A room, or a zone where there are no rooms. */
const nameOf = (place) => place.room ?? place.zone;

export function planRooms() {
  const layer = el('div.plan-rooms'), tiles = el('div.tiles'), all = everybody();
  const make = (isTile) => (place) => tile(place, isTile, () => all.open(nameOf(place)));
  const updateLayer = list(layer, make(false)), updateTiles = list(tiles, make(true));
  let places = [], boxes = new Map();
  return {
    layer, tiles, all: all.node,
    /** Where the rooms of the floor are, px. */
    place(now) {
      boxes = now;
      this.draw();
    },
    draw() {
      updateLayer(places.filter((one) => boxes.has(one.room)).map((one) => ({ ...one, box: boxes.get(one.room) })), (one) => one.room);
    },
    update(overview, hasOutlines) {
      places = overview.rooms?.length ? overview.rooms : overview.zones;
      if (hasOutlines) this.draw(); else updateTiles(places, nameOf);
      show(tiles, !hasOutlines);
      all.update(places);
    },
  };
}

function tile(place, isTile, onMore) {
  const title = el(isTile ? 'h2' : 'span.room-name'), badge = stateBadge(), who = names(onMore), state = el('span.fog', { text: words.state.unknown });
  say(title, nameOf(place));
  const node = el(isTile ? 'section.tile' : 'div.tile', { [`data-${place.room != null ? 'room' : 'zone'}`]: nameOf(place) }, el('div.tile-head', {}, title, isTile ? badge.node : null), state, who.node);
  let drawn = '';
  return {
    node,
    update(one) {
      attribute(node, 'data-state', one.state);
      badge.update(one.state, one.count);
      show(state, !isTile && one.state === 'unknown');
      show(who.node, one.beacons.length > 0);
      who.update(one.beacons, nameOf(place), one.box ? Math.max(0, Math.min(6, Math.floor((one.box.height - 4.5 * one.box.line) / one.box.line))) : few());
      if (!one.box) return;
      const { x, y, width, height } = one.box, wanted = `${Math.round(x)} ${Math.round(y)} ${Math.round(width)} ${Math.round(height)}`;
      if (wanted === drawn) return;
      drawn = wanted;
      node.style.transform = `translate(${Math.round(x)}px, ${Math.round(y)}px)`;
      node.style.width = `${Math.round(width)}px`;
      node.style.height = `${Math.round(height)}px`;
    },
  };
}

/** Everybody in one room, below the plan. */
function everybody() {
  const title = el('h2', { tabindex: -1 }), rows = el('ul.members'), update = list(rows, member);
  const close = el('button', { type: 'button', text: words.close, onclick: () => { open = null; show(node, false); } });
  const node = el('section.sheet.everybody', { hidden: true, 'aria-label': words.plan.everybody }, el('div.head', {}, title, el('span.spacer'), close), rows);
  let open = null, places = [];
  function draw() {
    const place = open === null ? null : places.find((one) => nameOf(one) === open);
    show(node, place != null);
    if (!place) return;
    say(title, words.plan.everybodyIn(place.count, open));
    update(place.beacons, (one) => one.beacon);
  }
  return {
    node,
    update(now) { places = now; draw(); },
    open(name) {
      open = name;
      draw();
      title.focus();
    },
  };
}
