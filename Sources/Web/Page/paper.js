// The first view on paper: who is where, all names, in place of what one would click.
import { el, say, visible } from './dom.js';
import { words } from './words.js';
import { dateOf } from './figures.js';
import { nameOf } from './store.js';
import { summary } from './now.js';

/** From the gateway's overview; as many rooms as there are, or else zones. */
export function paper(overview) {
  const headline = el('p.headline'), trouble = el('p'), rooms = overview.rooms ?? [], lost = rooms.length ? overview.beacons.filter((one) => one.room === null && one.last_seen) : [];
  summary(headline, trouble, overview);
  const named = (beacons) => beacons.map((one) => visible(nameOf(one))).sort((a, b) => a.localeCompare(b)).join(', ');
  const lines = [...rooms, ...overview.zones, ...lost.length ? [{ room: words.plan.nowhere, count: lost.length, beacons: lost }] : []].map((place) => {
    // The rooms name them already.
    const isKnown = rooms.length > 0 && place.zone != null && place.count > 12, who = isKnown ? '' : named(place.beacons) + (place.count > place.beacons.length ? ` +${place.count - place.beacons.length}` : '');
    return el('tr', {}, el('th', { scope: 'row', text: visible(place.room ?? place.zone) }), el('td.numeric', { text: place.state === 'unknown' ? '?' : String(place.count) }), el('td', { text: place.state === 'unknown' && !who ? words.state.unknown : who }));
  });
  const title = el('p');
  say(title, `${overview.gateway} · ${dateOf(Date.parse(overview.time))}`);
  return el('section.paper', {}, title, headline, trouble, el('table', {}, el('tbody', {}, ...lines)));
}
