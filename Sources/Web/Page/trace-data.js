// The data of one beacon: its sightings, its estimates by zone, its decisions. Columns of numbers, oldest first, bounded.

const most = 240_000;

/** A column of numbers that grows at the end and is trimmed at the start. */
export class Column {
  #values = new Float64Array(1024);
  length = 0;
  push(value) {
    if (this.length === this.#values.length) {
      const larger = new Float64Array(this.length * 2);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.length++] = value;
  }
  at(index) { return this.#values[index < 0 ? this.length + index : index]; }
  /** Keeps the first ones only. */
  keep(count) { this.length = Math.min(this.length, count); }
  drop(count) {
    this.#values.copyWithin(0, count, this.length);
    this.length -= count;
  }
  /** The first index whose value is not less. */
  find(value) {
    let low = 0, high = this.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#values[middle] < value) low = middle + 1; else high = middle;
    }
    return low;
  }
}

const table = (...names) => Object.fromEntries(names.map((name) => [name, new Column()]));
function drop(columns, count) { for (const column of Object.values(columns)) column.drop(count); }

export class Trace {
  receivers = [];
  /** Which receivers have heard it. */
  hearers = new Set();
  sightings = table('t', 'receiver', 'rssi');
  /** By zone. */
  estimates = new Map();
  transitions = [];
  /** Its events, the newest first. */
  events = [];
  /** When the state was unknown, by zone: spans [from, to], the last perhaps without end. */
  unknown = new Map();
  zones = [];
  readings = {};
  from = Infinity;
  to = 0;
  isComplete = true;
  /** Whether a history has been loaded. */
  isKnown = false;

  /** Replaces everything with a history. */
  replace(history) {
    this.sightings = table('t', 'receiver', 'rssi');
    this.estimates = new Map();
    this.from = history.from;
    this.to = history.to;
    this.isComplete = history.complete;
    this.isKnown = true;
    this.events = [];
    this.#add(history);
    this.transitions = history.transitions.map(timed);
    this.unknown = new Map((history.unknown ?? []).map(({ zone, spans }) => [zone, spans]));
  }

  /** Whether a zone's state is known now; overviews do not show that while nothing is heard. */
  see(zone, isKnown, at) {
    const spans = this.unknown.get(zone) ?? [], last = spans.at(-1), isOpen = last !== undefined && last[1] === null;
    if (isKnown && isOpen) last[1] = at;
    if (!isKnown && !isOpen) spans.push([at, null]);
    if (spans.length > 200) spans.shift();
    this.unknown.set(zone, spans);
    // Nothing else moves the chart.
    if (!isKnown) this.to = Math.max(this.to, at);
  }

  /** Puts older data before the present data, which has more detail. */
  prepend(history) {
    const kept = { sightings: this.sightings, estimates: this.estimates, transitions: this.transitions, from: this.from, to: this.to };
    this.replace(history);
    for (const columns of [this.sightings, ...this.estimates.values()]) {
      const count = columns.t.find(kept.from);
      for (const column of Object.values(columns)) column.keep(count);
    }
    join(this.sightings, kept.sightings);
    for (const [zone, columns] of kept.estimates) {
      if (this.estimates.has(zone)) join(this.estimates.get(zone), columns); else this.estimates.set(zone, columns);
    }
    this.to = kept.to;
    kept.transitions.forEach((one) => this.decide(one));
    this.transitions.sort((a, b) => a.at - b.at);
  }

  append(trace) {
    this.to = Math.max(this.to, trace.time);
    this.#add(trace);
    this.zones = trace.zones ?? this.zones;
    this.readings = trace.readings ?? trace.state?.readings ?? this.readings;
    if (this.sightings.t.length > most) {
      this.from = this.sightings.t.at(most / 4);
      drop(this.sightings, most / 4);
    }
    for (const columns of this.estimates.values()) if (columns.t.length > most) drop(columns, most / 4);
  }

  #add({ receivers = [], sightings, estimates = [], events = [] }) {
    this.events = [...new Map([...this.events, ...events].map((one) => [one.id, one])).values()].sort((a, b) => b.epoch - a.epoch || b.seq - a.seq).slice(0, 20);
    const index = receivers.map((name) => {
      const known = this.receivers.indexOf(name);
      return known >= 0 ? known : this.receivers.push(name) - 1;
    });
    const { t, receiver, rssi } = this.sightings;
    for (let i = 0; i < (sightings?.t.length ?? 0); i += 1) {
      t.push(sightings.t[i]);
      const who = index[sightings.receiver[i]] ?? 0;
      receiver.push(who);
      this.hearers.add(who);
      rssi.push(sightings.rssi[i] ?? NaN);
    }
    for (const one of estimates) {
      let columns = this.estimates.get(one.zone);
      if (!columns) this.estimates.set(one.zone, columns = table('t', 'distance', 'sd', 'rssi'));
      fill(columns, one);
    }
  }

  decide(transition) {
    if (this.transitions.some((one) => one.id && one.id === transition.id)) return;
    this.transitions.push(timed(transition));
    if (this.transitions.length > 2000) this.transitions.shift();
  }

  /** The dwell time that is running. Silence begins at every sighting; it is shown only once it is long. */
  pending(zone) {
    const dwell = this.live(zone)?.dwell;
    if (!dwell || dwell.due <= dwell.since) return null;
    return dwell.event === 'lost' && this.to - dwell.since < Math.max(3000, (dwell.due - dwell.since) / 4) ? null : dwell;
  }

  live(zone) { return this.zones.find((one) => one.zone === zone) ?? null; }
}

function join(columns, later) {
  for (const [name, column] of Object.entries(columns)) for (let i = 0; i < later[name].length; i += 1) column.push(later[name].at(i));
}

function fill(columns, estimates) {
  for (let i = 0; i < estimates.t.length; i += 1) {
    columns.t.push(estimates.t[i]);
    columns.distance.push(estimates.distance_m[i] ?? NaN);
    columns.sd.push(estimates.sd_m[i] ?? 0);
    columns.rssi.push(estimates.rssi_dbm?.[i] ?? NaN);
  }
}

export function columnsOf(estimates) {
  const columns = table('t', 'distance', 'sd', 'rssi');
  fill(columns, estimates);
  return columns;
}

export const timed = (transition) => ({ ...transition, at: Date.parse(transition.time) });

/** When a beacon was inside and near, from its transitions of one zone: spans [from, to, near]. Near ends where it re-arms, which
    no transition tells: `rearmed(from, to)` finds that time. */
export function presence(transitions, { inside: isInsideAtEnd, near: isNearAtEnd }, { from, to }, rearmed) {
  const spans = [];
  let inside = transitions.length ? transitions[0].event === 'exit' : isInsideAtEnd;
  let near = !transitions.length && isNearAtEnd, since = from;
  const close = (end) => {
    if (!inside) return;
    const until = near ? Math.min(end, rearmed(since, end)) : end;
    spans.push([since, until, near]);
    if (until < end) spans.push([until, end, false]);
  };
  for (const { at, event } of transitions) {
    close(at);
    since = at;
    inside = event !== 'exit';
    near = event === 'near';
  }
  close(to);
  return spans;
}

/** The first time at which an estimate is beyond the re-arm line. */
export function beyond(columns, near, from, to) {
  if (!columns || near?.rearm == null) return to;
  const { t, distance, rssi } = columns;
  for (let i = t.find(from); i < t.length && t.at(i) < to; i += 1) {
    if (near.unit === 'dBm' ? rssi.at(i) < near.rearm : distance.at(i) > near.rearm) return t.at(i);
  }
  return to;
}
