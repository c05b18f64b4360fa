// Why somebody is in a place: from the transitions that the page has, or else from the gateway's diary.
import { words } from './words.js';
import { duration } from './figures.js';
import { api } from './api.js';
import { gatewayTime, store } from './store.js';

/** What the diary said, by beacon, place and since when. */
const told = new Map();
const key = ({ beacon, place, since }) => `${beacon}\n${place}\n${since}`;

/** `until`: at another time than now, ms. */
export const sinceText = ({ since, until }) => since == null ? '' : words.now.since(duration((until ?? gatewayTime()) - Date.parse(since)));

export const reasons = {
  /** `one`: a member with its place. */
  of(one) {
    const known = one.because ?? (one.until == null ? store.overview?.transitions.find((each) => each.beacon === one.beacon && (each.room ?? each.zone) === one.place && each.event === 'enter') : null);
    return (known && words.because(known)) || told.get(key(one)) || '';
  },

  /** Asks the diary about one member; false: it knows nothing new. */
  async ask(one) {
    if (reasons.of(one) || told.has(key(one))) return false;
    told.set(key(one), '');
    const found = await entries({ beacon: one.beacon, place: one.place, until: one.until });
    const entry = found.find((each) => each.event === 'enter');
    if (entry) told.set(key(one), words.entered(entry.because));
    return entry !== undefined;
  },

  /** The same about all of a place, with one question. */
  async askAll(place, members) {
    const open = members.filter((one) => !reasons.of(one) && !told.has(key(one)));
    if (!open.length) return false;
    for (const one of open) told.set(key(one), '');
    const found = await entries({ place, until: open[0].until });
    for (const one of open) {
      const entry = found.find((each) => each.thing === one.beacon && each.event === 'enter');
      if (entry) told.set(key(one), words.entered(entry.because));
    }
    return true;
  },
};

async function entries({ beacon = '', place, until }) {
  if (told.size > 2000) told.clear();
  const query = new URLSearchParams(Object.entries({ beacon, place, until: until == null ? '' : new Date(until + 1).toISOString(), limit: beacon ? 5 : 300 }).filter(([, value]) => value));
  try { return (await api(`diary?${query}`)).entries; } catch { return []; }
}
