// Every English sentence of the page that is not a name. words-de.js has the same in German, in the same order.
import { decibels, decimal, duration, level, metres, percent, plain, seconds, since, toLength } from './figures.js';
import { lengthUnit } from './language.js';

const count = (n, one, many) => `${plain(n)} ${n === 1 ? one : many}`;
const and = (list) => list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} and ${list.at(-1)}`;
const event = { enter: 'enter', near: 'near', exit: 'exit', lost: 'exit, lost' };
const past = { enter: 'entered', near: 'is near', exit: 'left' };

const tenths = (m) => `${decimal(toLength(m), 1)} ${lengthUnit}`;
const changed = {
  zone_removed: 'the zone is no longer configured',
  room_removed: 'the room is no longer configured',
  beacon_removed: 'the beacon is no longer configured, or has another name',
  beacon_unwatched: 'it no longer watches this beacon',
  receivers_changed: 'none of its receivers hears it',
};
const renamed = 'it has this name now';

const outcomes = {
  DELIVERED: 'delivered',
  DELIVERED_LATE: 'delivered late',
  NOT_DETECTED: 'no event had notified the app of the beacon',
  GRACE_EXPIRED: 'the time after the last region event had run out',
  TASK_EXPIRED: 'background time had run out',
  TASK_REFUSED: 'the background task was refused',
  TASK_LEAK_KILLED: 'the app was killed for a task that it did not end',
  LATCHED_UNTIL_LAUNCH: 'the app was killed, and nobody has launched it since',
  NO_LOCATION_SESSION: 'no location session kept the app running',
  LOCATION_AUTO_PAUSED: 'location had paused itself',
  LOCATION_CONFIG_REJECTED: 'the system refused the app’s location settings in the background',
  AUDIO_PAUSE: 'ranging pauses while audio plays',
  TIMER_FROZEN: 'the app’s timer stood still with its process',
  AUTH_DENIED: 'location permission was denied, or only for when in use',
  BACKGROUND_REFRESH_OFF: 'Background App Refresh is off, so that no region event wakes the app',
  REDUCED_ACCURACY: 'precise location was withheld',
  BT_OFF: 'Bluetooth was off',
  STATE_UNKNOWN_NO_EVENT: 'the phone was inside again without an event',
  REGION_LIMIT: 'the app watches more regions than it may',
  SLOW_SLOT: 'no hardware slot was free, so that detection takes minutes',
  FORCE_QUIT: 'the user had force-quit the app',
  REBOOT: 'the phone had restarted',
  LOW_MEMORY: 'the system had ended the app for memory',
  RANGING_UNSUPPORTED: 'the system knows no beacons',
  EMPTY_TICK: 'the ranging callback came without the beacon',
  BETWEEN_SCANS: 'it fell between two scans',
  SCAN_QUOTA: 'too many scans were started',
  SCAN_DOWNGRADED: 'the scan had run too long and was downgraded',
  SCREEN_OFF_UNFILTERED: 'a scan without filter stops at screen-off',
  LOCATION_OFF: 'location was switched off',
  DOZE_DEFERRED: 'Doze had put the scan off',
  BUCKET_EXHAUSTED: 'the app’s standby bucket was exhausted',
  FGS_START_DENIED: 'the foreground service was not allowed to start',
  NEVER_FOR_LOCATION: 'the app declared that it never derives location, so beacons were filtered out',
};

/** Why a transition was decided, from its evidence. */
function reason(because, name) {
  if (!because) return '';
  // A whole transition contains its evidence.
  if (because.because) return reason(because.because, because.event);
  if (because.reason) return (name ?? because.event) === 'enter' ? renamed : changed[because.reason] ?? because.reason;
  if (because.unit === 'probability') {
    const room = because.room ? `${(name ?? because.event) === 'exit' ? 'now in' : 'in'} ${because.room}` : 'in none of its rooms';
    return because.dwell_s > 0 ? `${room} for ${seconds(because.dwell_s)}` : room;
  }
  if (because.receivers) {
    const heard = because.receivers.map((one) => `${one.receiver} ${level(one.rssi_dbm)}`);
    return heard.length ? heard.join(', ') : `not heard, last by ${because.receiver}`;
  }
  const dwell = because.dwell_s > 0 ? ` for ${seconds(because.dwell_s)}` : '';
  const kind = name ?? because.event;
  if (because.unit === 's') return `silent for ${seconds(because.threshold)}`;
  if (because.unit === 'dBm') {
    if (kind === 'exit') return `weaker than ${decibels(because.threshold)}${dwell}`;
    return because.threshold <= -127 ? `heard${dwell}` : `at least ${decibels(because.threshold)}${dwell}`;
  }
  return `${kind === 'exit' ? 'beyond' : 'within'} ${metres(because.threshold)}${dwell}`;
}

export const words = {
  product: 'Beaconkeeper',
  views: { now: 'Now', plan: 'Plan', diary: 'Diary', strangers: 'Strangers', settings: 'System' },
  diary: {
    title: 'Diary', day: 'Day', before: 'The day before', after: 'The day after', thing: 'Thing', place: 'Place', kind: 'Kind',
    allThings: 'All things', allPlaces: 'All places', allKinds: 'Everything',
    kinds: { zone: 'Zones', room: 'Rooms', event: 'Buttons and movements', verdict: 'Phones', receiver: 'Receivers', gateway: 'Gateway' },
    events: { enter: 'enter', near: 'near', exit: 'exit', blind: 'hears nothing', hears: 'hears again', start: 'started', stop: 'stopped', changed: 'other configuration' },
    visits: 'Visits', columns: ['From', 'To', 'Who', 'Where', 'Length'], entries: 'What happened', gateway: 'gateway',
    noVisits: ['Nobody was anywhere.', 'Visits appear here when beacons enter zones or rooms.'],
    none: ['Nothing is noted for this day.', 'Choose another day, or fewer filters.'],
    now: 'now', unknown: 'unknown', unknownSince: 'unknown since when', lastKnown: (time) => `unknown, after ${time}`, unwatched: (length) => `, ${length} without the gateway`, earlierDay: 'earlier', earlier: 'Earlier entries', csv: 'CSV of these entries', visitsCSV: 'CSV of these visits',
    stay: (where, from, to) => from == null ? `${where}: unknown since when, until ${to}` : `${where}: ${from} to ${to}`,
    more: (n) => `${count(n, 'more thing', 'more things')} on this day; choose one to see it.`,
    cut: (n) => `There were more than ${plain(n)} visits on this day. Ribbon and hours show only the newest: choose a thing or a place.`,
    total: (n, length) => `${count(n, 'visit', 'visits')}${length ? `, together ${length}` : ''} on this day.`, newest: (n) => `The table has the newest ${plain(n)}; the CSV has all.`,
    hour: (hour, n) => `${hour}:00 to ${hour + 1}:00: ${count(n, 'visit', 'visits')}`,
    hours: (counts) => `Visits by hour. ${counts.map((n, hour) => n ? `${hour}: ${n}` : '').filter(Boolean).join(', ')}`,
    fault: (why) => `New entries cannot be written to disk: ${why}. They are kept in memory meanwhile.`,
  },
  setup: { title: 'Set up', offer: 'Broker, receivers, a first beacon and rooms, step by step:' },
  skip: 'Skip to the content',
  navigation: 'Views',
  theme: (isDark) => isDark ? 'Switch to light' : 'Switch to dark',
  logout: 'Log out',
  loading: 'Waiting for the gateway …',
  copy: 'Copy', copied: 'Copied', close: 'Close', back: 'Now',
  and, count,

  connection: {
    connecting: 'Connecting …',
    live: 'Live',
    demo: 'Demo',
    demoNote: 'This is a demo: everybody here is computed. Try anything; what you save is gone when it ends.',
    recording: 'Recording',
    lost: (when) => `Unreachable since ${when}`,
    banner: (when) => `The gateway has not answered since ${when}. What you see is from then. Trying again …`,
    quiet: (ago) => `last word ${ago} ago`,
    retry: 'Try now',
  },

  login: {
    title: 'Log in', label: 'Password', go: 'Log in', show: 'Show password',
    why: (gateway) => `${gateway ?? 'This gateway'} asks for the password that its configuration names under http:. One may allow to look, another to change.`,
    demo: 'The demo has printed its password in the terminal where it was started. With it you may change everything.',
  },

  failed: ({ message, remedy }) => remedy ? `${message}${/[.!?:]$/.test(message) ? '' : ';'} ${remedy}` : message,
  offline: 'The gateway did not answer.',
  status: (code) => `The gateway answered ${code}.`,
  notHere: 'There is no such view.',
  proxy: 'If you come by a reverse proxy, it must pass the Host header, or be one of http.proxies.',

  state: { occupied: 'Occupied', empty: 'Empty', unknown: 'Unknown' },
  unknownWhy: 'None of its receivers is known to hear. Nobody leaves until one does.',

  now: {
    title: 'Now',
    allWell: (present, places, areRooms) => present
      ? `${count(present, 'beacon', 'beacons')} in ${areRooms ? count(places, 'room', 'rooms') : count(places, 'place', 'places')}.`
      : 'Nobody is in any zone.',
    noPlaces: 'No zone is configured.',
    unknown: 'Nobody knows who is there.',
    lastKnown: (present, places, areRooms) => `${count(present, 'beacon was', 'beacons were')} in ${areRooms ? count(places, 'room', 'rooms') : count(places, 'place', 'places')} when last heard.`,
    partly: (text, n) => `${text} Unknown in ${n === 1 ? '1 place' : `${plain(n)} places`}.`,
    unsure: (place) => `${place} (unknown)`,
    hearing: 'Every receiver hears.',
    silent: (names) => `Nothing came from ${and(names)} lately.`,
    noReceivers: 'No receiver has reported yet.',
    awaited: (names) => `${and(names)} ${names.length === 1 ? 'has' : 'have'} not reported yet.`,
    blind: (names) => `${and(names)} ${names.length === 1 ? 'is' : 'are'} blind.`,
    stays: (zones) => `Nobody can leave ${and(zones)} until ${zones.length === 1 ? 'its' : 'their'} receivers hear.`,
    brokerAway: 'The broker is away. Transitions wait on disk.',
    brokerAwayMemory: 'The broker is away. Transitions wait in memory only.',
    zones: 'Zones', rooms: 'Rooms', beacons: 'Beacons', receivers: 'Receivers', phones: 'Phones', delivery: 'Delivery',
    latest: 'Latest', filter: 'Filter by beacon or place',
    noZones: ['No zone yet.', 'A zone says how near a beacon must be to count as there. Add one under zones: in the configuration.', ['settings', 'See the configuration']],
    noBeacons: ['No beacon heard yet.', 'See what is in the air, and make one of it yours.', ['strangers', 'Show strangers']],
    noReceiver: ['No receiver yet.', 'Plug in a Bluetooth adapter, or name a scanner under scanners:. “beaconkeeper doctor” tells what is missing.'],
    noTransitions: ['Nothing has happened yet.', 'The first enter appears here, with the evidence for it.'],
    noMatch: 'Nothing matches.', showAll: 'Show all',
    omitted: (n) => `${count(n, 'beacon', 'beacons')} more are not shown.`,
    try: 'Try thresholds',
    range: (zone) => `Distances in ${zone}, logarithmic`,
    more: (n) => `${plain(n)} more`,
    presence: 'Whoever is heard at all is in.',
    ofRooms: (rooms) => `Whoever is in ${rooms.length > 1 ? `${rooms.slice(0, -1).join(', ')} or ` : ''}${rooms.at(-1)} is in.`,
    approaching: (names) => `Outside, but heard: ${and(names)}.`,
    since: (text) => `there for ${text}`,
    who: (place) => `Who is in ${place}`,
    all: (n, rest, place) => `+${plain(rest)}: show all ${plain(n)} in ${place}`,
    things: {
      search: 'Search by name, owner or place', filter: 'Show only', order: 'Sort by', csv: 'CSV', all: 'All',
      by: (column) => `By ${column.toLowerCase()}`, within: (place) => `In ${place}`, of: (owner) => `Of ${owner}`,
      filters: { silent: 'Silent', battery: 'Battery low', unheard: 'Never heard' },
      counted: (found, all) => `${plain(found)} of ${plain(all)} match.`,
    },
    columns: { beacon: 'Beacon', owner: 'Owner', place: 'Where', distance: 'Distance', signal: 'Signal', heard: 'Heard', readings: 'Readings' },
    nowhere: 'in no zone', belongs: (owner) => `of ${owner}`,
    every: (text) => `every ${text}`,
    ago: (text) => `${text} ago`,
    /** What was heard a moment ago, for a beacon of this interval, is heard now. */
    heard: (ms, interval) => ms < Math.max(10_000, (interval ?? 0) * 3000) ? 'now' : `${duration(ms)} ago`,
    rate: (n) => `${n} /s`,
    never: 'never heard', notSinceStart: 'not heard since the gateway started',
    blindWord: 'Blind',
    lost: (n) => `${plain(n)} lost`,
    gain: (db) => `hears ${Math.round(Math.abs(db))} dB ${db < 0 ? 'less' : 'more'} than expected`,
    recoveries: (n) => `${count(n, 'recovery', 'recoveries')} tried`,
  },

  receiver: {
    ok: 'Hears', quiet: 'Silent', lossy: 'Hears more than can be read', doubted: 'May have failed', deaf: 'Deaf',
    empty: 'Reports advertisements without data', blind: 'Blind', gone: 'Unplugged', missing: 'Missing',
  },

  delivery: {
    broker: 'Broker', connected: 'Connected', away: 'Away',
    outbox: 'Outbox', durable: 'On disk before it is sent', memory: 'In memory only',
    waiting: 'Waiting', nothing: 'Nothing waits', messages: (n) => count(n, 'message', 'messages'),
    parked: (n) => `${count(n, 'message', 'messages')} refused by the broker`,
    lost: (n) => `${count(n, 'transition', 'transitions')} lost`,
    up: 'Running', upSince: (text) => `for ${text}`,
  },

  phone: {
    state: { foreground: 'In the foreground', ranging: 'Listening', background: 'In the background', suspended: 'Suspended', terminated: 'Terminated' },
    left: (text) => `${text} left`,
    unlimited: 'no limit',
    out: 'cannot hear',
    carries: (beacon) => `carries ${beacon}`,
    window: (phone) => `Time that the app of ${phone} has left to listen`,
  },

  record: {
    columns: ['Near', 'Predicted', 'App', 'Result'],
    summary: (record) => record.seen_pct == null ? 'The app reports what it notices'
      : `The app noticed ${percent(record.seen_pct / 100)} of what was predicted`,
    counts: (record) => [
      count(record.nears, 'near', 'nears'), `${plain(record.predicted)} predicted`, `${plain(record.seen)} noticed`,
      `${plain(record.missed)} missed`, record.unpredicted > 0 && `${plain(record.unpredicted)} noticed unpredicted`,
      record.false > 0 && `${plain(record.false)} without a near`, record.late > 0 && `${plain(record.late)} late`,
      record.pending > 0 && `${plain(record.pending)} pending`,
      record.median_late_s != null && `half within ${seconds(record.median_late_s)}`].filter(Boolean).join(' · '),
    predicted: (one) => one.near_at == null ? 'not near' : one.outcome == null ? 'not known yet'
      : one.delivered_at == null ? outcomes[one.outcome] ?? one.outcome
      : `after ${seconds((Date.parse(one.delivered_at) - Date.parse(one.near_at)) / 1000)}`,
    seen: (one) => one.seen_at == null ? 'nothing' : one.late_s == null ? 'noticed'
      : one.late_s < 0 ? `${seconds(-one.late_s)} before` : `after ${seconds(one.late_s)}`,
    result: {
      pending: 'pending', seen: 'as predicted', missed: 'missed', unpredicted: 'noticed, though predicted to miss it',
      unnoticed: 'as predicted', false: 'noticed, though not near',
    },
  },

  feed: {
    event,
    verdict: 'phone',
    at: { zone: (zone) => zone, room: (room) => room },
    outcome: (verdict) => {
      const text = outcomes[verdict.outcome] ?? verdict.outcome;
      if (verdict.late_s != null) return `${text} ${seconds(verdict.late_s)} after near`;
      return `missed: ${text}`;
    },
    sure: (probability) => `${percent(probability)} sure`,
    heardBy: (because, isShort) => isShort ? because.receiver : `${because.receiver}, ${plain(because.samples)} heard`,
  },
  reason, outcomes,
  /** Why a member is there. */
  entered: (text) => text && `entered: ${text.replace(/^room: /, '')}`,
  because: (because) => because.event === 'near' ? `near: ${reason(because)}` : words.entered(reason(because)),
  spoken: (transition, name) => `${name} ${past[transition.event] ?? transition.event} ${transition.zone ?? transition.room ?? ''}`,
  spokenMany: (sentences, n) => `${sentences.join('. ')}. And ${count(n, 'more change', 'more changes')}`,

  beacon: {
    chart: (name) => `${name}: signal and distance over time`,
    chartRole: 'chart',
    help: 'Arrow keys read along the time axis, Shift and arrow keys move it, plus and minus zoom, 0 goes back to live, Space pauses.',
    zone: 'Zone',
    signal: 'Signal', distance: 'Distance', signalUnit: 'dBm',
    estimate: 'estimated distance', estimateIn: (zone) => `distance as ${zone} estimates it`, smooth: 'signal, smoothed', band: '± 1 sd', tried: 'tried',
    scale: 'Distance axis', log: 'log', linear: 'linear',
    zoomIn: 'Zoom in', zoomOut: 'Zoom out', pause: 'Pause', resume: 'Go on', live: 'Live', export: 'Data',
    tryOn: 'Try thresholds', tryOff: 'Stop trying',
    isIn: (zone, text) => text ? `in ${zone} for ${text}` : `in ${zone}`,
    isNear: (zone) => `near ${zone}`,
    outside: (zone) => `outside ${zone}`,
    inRoom: (room) => `in ${room}`,
    unsure: (place) => `was in ${place}; nobody hears there now`,
    unknown: (zone) => `${zone}: unknown`,
    dwell: (name, left) => left > 0.05 ? `${event[name]} in ${decimal(left, 1)} s` : event[name],
    dwellLabel: (name) => `Dwell before ${event[name]}`,
    lines: { near: 'near', rearm: 're-arm', enter: 'enter', exit: 'exit' },
    lineLabel: (line, zone) => `Threshold ${line} of ${zone}`,
    readings: 'Readings', decisions: 'Decisions', noDecisions: 'No decision in the time shown.',
    events: 'Events',
    event: ({ reading, event, steps, count }) => [`${reading}: ${event}`.replaceAll('_', ' '), steps == null ? '' : `${steps} steps`, count > 1 ? `${count} times` : ''].filter(Boolean).join(', '),
    notHeard: ['Not heard in the last minutes.', 'The picture begins with its next advertisement.'],
    noZone: ['No zone watches this beacon.', 'Its signal is shown; add it to a zone to have decisions made.'],
    incomplete: (when) => `Memory reaches back to ${when}.`,
    missing: (name) => `No beacon called ${name} is configured, or it was not heard since the gateway started. This page begins when it is.`,
    from: 'from', actual: 'as decided', wouldBe: 'as tried',
    tabs: 'Shown zone',
    interval: (text) => `heard every ${text}`,
    lastBy: (receiver) => `by ${receiver}`,
  },

  try: {
    title: 'Try', lead: 'Move a threshold. The last hour is decided anew, as the gateway would have.',
    leadZone: (zone) => `Everything that ${zone} watches, decided anew with these numbers.`,
    minutes: 'Over the last', minute: (n) => n === 60 ? 'hour' : `${n} minutes`,
    groups: { near: 'Near', enter: 'Enter', exit: 'Exit', receivers: 'Receivers' },
    fields: {
      threshold: { near: 'within', enter: 'within', exit: 'beyond' },
      signal: { near: 'at least', enter: 'at least', exit: 'weaker than' },
      dwell_s: 'for', rearm: 're-arm beyond', rearmSignal: 're-arm below', lost_s: 'or silent for', auto: 'auto',
      exponent: 'exponent', offset_db: 'offset',
    },
    field: (group, field) => `${group}: ${field}`,
    presence: 'heard at all',
    rings: 'Drag a ring to try another distance.', ringsOf: (zone, lines) => `Distances of ${zone}: ${lines.join(', ')}`,
    reset: 'As configured', deciding: 'Deciding …',
    same: 'same', moved: 'moved', added: 'added', removed: 'gone',
    unchanged: 'As configured. Nothing differs.',
    nothing: 'No decision in this time, neither then nor with these numbers.',
    summary: (n) => {
      const parts = [];
      if (n.same) parts.push(count(n.same, 'decision the same', 'decisions the same'));
      if (n.moved) parts.push(`${plain(n.moved)} moved`);
      if (n.added) parts.push(`${plain(n.added)} added`);
      if (n.removed) parts.push(`${plain(n.removed)} gone`);
      return `${and(parts)}.`;
    },
    span: (reply) => `${plain(reply.sightings)} sightings since ${since(reply)}${reply.complete ? '' : ', which is as far as memory reaches'}.`,
    was: 'As decided', would: 'With these numbers',
    earlier: (text) => `${text} earlier`, later: (text) => `${text} later`,
    yaml: 'To keep it, put this into the configuration:',
    save: 'Save', undo: 'Undo', saving: 'Saving …', loading: 'Saved. Being loaded …', fileSays: 'What the file says now',
    obstacle: (why) => `It cannot be saved: ${why}`,
    saved: 'Saved and loaded. The file says:', undone: 'The former numbers are back.', alike: 'The file says this already:',
    notLoaded: 'Saved, but not loaded yet. The gateway’s log says why.',
    overtaken: 'Saved, but the file was changed again. These are its numbers now.',
    unsure: 'The gateway did not answer. Settings shows whether it was saved.',
    conflict: 'Somebody else has changed these numbers meanwhile. “As configured” shows them.',
    columns: ['', 'Was', 'Theirs', 'Yours'], keepMine: 'Keep yours', kept: 'Theirs, with what you changed.',
    wrong: {
      number: (field) => `${field}: this is no number.`, missing: (field) => `${field}: a number is missing.`,
      order: 'Exit must be farther than enter, or beacons flicker at the edge.', rearm: 'Re-arm must be farther than near.',
    },
    readOnly: 'This page may only read. Copy the lines into the configuration yourself.', login: 'Log in to save',
  },

  naming: {
    rename: (name) => `Change name, owner and icon of ${name}`, title: (beacon) => `What is said of ${beacon}`, label: 'Name', owner: 'Owner', icon: 'Icon',
    lead: 'People see this name. MQTT topics, zones and the diary keep the other one. Empty: no name.', ownerLead: 'A person or a group.', iconLead: 'As in Home Assistant, such as mdi:key.',
    review: 'Review', changes: 'Change of the file', says: 'The check says:', nothing: 'The file says this already.',
    saved: 'Saved, and being loaded.', loaded: 'Saved and loaded.', undone: 'It is as it was.',
  },

  plan: {
    title: 'Plan', beacon: 'Beacon', floor: 'Floor', ground: 'the floor',
    in: (name, room) => `${name}, in ${room}`, search: 'Search by name', page: 'More about it',
    none: ['No plan yet.', 'Give each room an outline and each receiver a position; then the rooms appear here with who is in them.', ['draw', 'Draw them here']],
    draw: 'Draw', all: 'Show all', wall: 'Full screen',
    everybody: 'Who is there', everybodyIn: (n, room) => `All ${plain(n)} in ${room}`,
    noBeacon: 'Choose a beacon to see where it probably is.',
    nowhere: 'in no room', within: (zones) => `in ${zones}`, unknown: 'unknown: no receiver of the rooms is known to hear',
    position: (p) => `${tenths(p.x)} east, ${tenths(p.y)} north, ± ${tenths(p.sd)}`,
    drawing: (name) => `Plan of the rooms; probability of where ${name ?? 'a beacon'} is`,
    cross: 'Arrow keys move the cross, Enter marks.',
    unplaced: (names) => `${and(names)} ${names.length === 1 ? 'has' : 'have'} no position.`,
    track: (n) => `track of the last ${n} min`,
    time: { label: 'Time', day: 'Day', now: 'Now', at: (told) => `As it was at ${told}`, more: 'More were there than can be shown.', gap: (from, to) => `${from ? `From ${from} to` : 'Before'} ${to} no gateway is known to have run.` },
  },

  calibrate: {
    title: 'Calibrate',
    lead: 'Walk through all rooms with a beacon and say where you are. The gateway learns how its receivers hear it in each place.',
    begin: (name) => name ? `Begin with ${name}` : 'Begin', login: 'Log in to calibrate',
    tap: 'Tap the plan where you stand, or choose the room. Then walk about in it.',
    choose: 'Choose the room that you are in. Then walk about in it.',
    inRoom: (room) => `You are in ${room}. Tap again wherever you stop, and as soon as you enter another room.`,
    heard: (name) => `${name} is heard.`,
    unheard: (name, ago) => ago ? `${name} was last heard ${ago} ago.` : `${name} is not heard yet.`,
    full: 'The walk is as long as it may be.',
    missing: 'missing', enough: 'enough', seconds: (s, goal) => `${Math.round(s)} of ${goal} s`,
    receivers: 'Receivers', silent: 'not heard',
    pause: 'Pause', unmark: 'Take back', fit: 'Calibrate', giveUp: 'End', learning: 'Learning, and trying it on stretches that it does not know …',
    failed: (reason) => `Nothing was learnt: ${reason}.`,
    save: 'Save', download: 'Download it', marks: 'Download the marks', undo: 'Undo',
    saved: ({ file, earlier }) => `Saved as ${file}, which is being loaded.${earlier ? ' The earlier calibration is kept beside it.' : ''}`,
    line: 'Put this line into the configuration, at its left edge:',
    result: {
      with: 'With', right: 'Right', changes: 'Changes', delay: 'Delay', kept: 'kept',
      note: 'On stretches of the walk that were left out while it learnt.',
      good: (with_, without) => `Rooms are right ${with_} of the time, ${without} without it.`,
      refused: (reason) => `It cannot be saved: ${reason}.`,
      parts: (part, hasPlan) => ({ nothing: 'nothing measured', path_loss: 'power, exponent, walls', all: hasPlan ? 'and maps of the signal' : 'levels by room',
        less_complete: 'without one more room', present: 'the present calibration' })[part],
      changed: (n, real) => `${n} (${real} real)`,
      lacking: (rooms) => `${and(rooms)} ${rooms.length === 1 ? 'has' : 'have'} less than is good: walk there longer.`,
      unheard: (names) => `${and(names)} heard nothing.`,
      mistaken: (one) => `${one.room} is most often mistaken for ${one.told}: ${percent(one.share)} of its time.`,
      wanted: (room) => `A further receiver would help most in ${room}.`,
      strays: (n) => `${count(n, 'mark lies', 'marks lie')} outside of its room.`,
    },
  },

  strangers: {
    title: 'Strangers', lead: 'What is in the air that no beacon of the configuration claims, strongest first.',
    none: ['Nothing in the air.', 'Switch a beacon on, or hold it near the receiver.'],
    deaf: ['Nothing can be heard.', 'No receiver is known to hear. Look at the receivers under Now.'],
    reveal: 'Show addresses and names', hidden: 'Addresses and names of strangers are hidden, because they are other people’s.',
    this: 'This one', unknown: 'unknown format', made: (vendor) => `by ${vendor}`, yours: (name) => `yours: ${name}`,
    overlooked: (n) => `${count(n, 'device', 'devices')} more were overlooked, because too many came at once.`,
    add: 'Add', name: 'Name of the new beacon', nameHint: 'van', added: (name) => `${name} is in the file, which is being loaded.`,
    yaml: 'Put this under beacons: in the configuration:',
    enrol: 'It sends nothing that identifies it. If it is your phone or watch, pair it once, so that it is known although its address changes.', enrolIt: 'Enrol a phone or watch',
    adds: 'Adds it to the configuration, which is then loaded.', fileSays: 'The file says now:',
    hold: 'Hold your beacon close to the receiver: it rises to the top.',
  },

  settings: {
    title: 'System', explained: 'What it does', file: 'Configuration', noFile: 'It runs without a file, by the built-in configuration.',
    sections: { scanners: 'Scanners' },
    noYaml: 'Only those who may change it see its text: whoever logs in with the password of write_password_file.', about: 'This gateway',
    version: 'Version', started: 'Started', rights: 'This page may', read: 'read', write: 'read and write', lengths: 'Lengths in this browser', lengthUnits: { m: 'metres', ft: 'feet' },
    also: 'Also at this door', metrics: 'Metrics for Prometheus', health: 'Health', api: 'OpenAPI description', marks: 'Marks for calibrate',
    undo: 'Undo the last change',
  },

  recording: {
    title: 'Recording', play: 'Play', pause: 'Pause', speed: 'Speed', at: 'Time in the recording',
    times: (n) => `${n}×`,
  },

  zone: { title: (zone) => zone, missing: (zone) => `No zone is called ${zone}.`, receivers: 'Heard by', any: 'all receivers', who: 'Who is there', nobody: 'Nobody.' },

  /** What a reading measures, where its field's name does not say it. */
  quantities: {},
  yes: 'yes', no: 'no',
};
