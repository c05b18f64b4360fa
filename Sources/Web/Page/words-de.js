// Jeder deutsche Satz der Seite, in der Reihenfolge von words-en.js.
import { decibels, decimal, duration, level, metres, percent, plain, seconds, since, toLength } from './figures.js';
import { lengthUnit } from './language.js';

const count = (n, one, many) => `${plain(n)} ${n === 1 ? one : many}`;
const and = (list) => list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} und ${list.at(-1)}`;
const or = (list) => list.length < 2 ? list.join('') : `${list.slice(0, -1).join(', ')} oder ${list.at(-1)}`;
const event = { enter: 'Eintritt', near: 'Nähe', exit: 'Austritt', lost: 'Austritt, verloren' };
const past = { enter: 'betritt', near: 'ist nah an', exit: 'verlässt' };

const tenths = (m) => `${decimal(toLength(m), 1)} ${lengthUnit}`;
const changed = {
  zone_removed: 'die Zone steht nicht mehr in der Konfiguration',
  room_removed: 'der Raum steht nicht mehr in der Konfiguration',
  beacon_removed: 'der Beacon steht nicht mehr in der Konfiguration, oder unter anderem Namen',
  beacon_unwatched: 'sie beobachtet diesen Beacon nicht mehr',
  receivers_changed: 'keiner ihrer Empfänger hört ihn',
};
const renamed = 'heißt jetzt so';

const outcomes = {
  DELIVERED: 'gemeldet',
  DELIVERED_LATE: 'spät gemeldet',
  NOT_DETECTED: 'kein Ereignis hatte die App auf den Beacon hingewiesen',
  GRACE_EXPIRED: 'die Zeit nach dem letzten Regionsereignis war um',
  TASK_EXPIRED: 'die Zeit im Hintergrund war um',
  TASK_REFUSED: 'die Hintergrundaufgabe wurde verweigert',
  TASK_LEAK_KILLED: 'die App wurde wegen einer Aufgabe beendet, die sie nicht abschloss',
  LATCHED_UNTIL_LAUNCH: 'die App wurde beendet, und seither hat niemand sie gestartet',
  NO_LOCATION_SESSION: 'keine Standortsitzung hielt die App am Laufen',
  LOCATION_AUTO_PAUSED: 'die Standortbestimmung hatte sich selbst angehalten',
  LOCATION_CONFIG_REJECTED: 'das System lehnte die Standorteinstellungen der App im Hintergrund ab',
  AUDIO_PAUSE: 'während Ton läuft, ruht das Messen',
  TIMER_FROZEN: 'der Zeitgeber der App stand mit ihrem Prozess still',
  AUTH_DENIED: 'die Standortfreigabe fehlte, oder galt nur bei Benutzung',
  BACKGROUND_REFRESH_OFF: 'die Hintergrundaktualisierung ist aus, so dass kein Regionsereignis die App weckt',
  REDUCED_ACCURACY: 'der genaue Standort war nicht freigegeben',
  BT_OFF: 'Bluetooth war aus',
  STATE_UNKNOWN_NO_EVENT: 'das Telefon war ohne Ereignis wieder in der Region',
  REGION_LIMIT: 'die App beobachtet mehr Regionen, als sie darf',
  SLOW_SLOT: 'kein Platz in der Hardware war frei, so dass das Erkennen Minuten dauert',
  FORCE_QUIT: 'die App wurde von Hand beendet',
  REBOOT: 'das Telefon war neu gestartet',
  LOW_MEMORY: 'das System hatte die App aus Speichermangel beendet',
  RANGING_UNSUPPORTED: 'das System kennt keine Beacons',
  EMPTY_TICK: 'der Rückruf kam ohne den Beacon',
  BETWEEN_SCANS: 'es fiel zwischen zwei Suchläufe',
  SCAN_QUOTA: 'zu viele Suchläufe wurden begonnen',
  SCAN_DOWNGRADED: 'der Suchlauf dauerte zu lang und wurde herabgestuft',
  SCREEN_OFF_UNFILTERED: 'ein Suchlauf ohne Filter endet, wenn der Bildschirm ausgeht',
  LOCATION_OFF: 'der Standort war ausgeschaltet',
  DOZE_DEFERRED: 'Doze hatte den Suchlauf verschoben',
  BUCKET_EXHAUSTED: 'das Zeitbudget der App im Hintergrund war erschöpft',
  FGS_START_DENIED: 'der Vordergrunddienst durfte nicht starten',
  NEVER_FOR_LOCATION: 'die App erklärt, nie den Standort abzuleiten; Beacons wurden darum ausgefiltert',
};

/** Warum ein Übergang entschieden wurde. */
function reason(because, name) {
  if (!because) return '';
  if (because.because) return reason(because.because, because.event);
  if (because.reason) return (name ?? because.event) === 'enter' ? renamed : changed[because.reason] ?? because.reason;
  if (because.unit === 'probability') {
    const room = because.room ? `${(name ?? because.event) === 'exit' ? 'jetzt in' : 'in'} ${because.room}` : 'in keinem ihrer Räume';
    return because.dwell_s > 0 ? `seit ${seconds(because.dwell_s)} ${room}` : room;
  }
  if (because.receivers) {
    const heard = because.receivers.map((one) => `${one.receiver} ${level(one.rssi_dbm)}`);
    return heard.length ? heard.join(', ') : `nicht gehört, zuletzt von ${because.receiver}`;
  }
  const dwell = because.dwell_s > 0 ? `, ${seconds(because.dwell_s)} lang` : '';
  const kind = name ?? because.event;
  if (because.unit === 's') return `still seit ${seconds(because.threshold)}`;
  if (because.unit === 'dBm') {
    if (kind === 'exit') return `schwächer als ${decibels(because.threshold)}${dwell}`;
    return because.threshold <= -127 ? `gehört${dwell}` : `mindestens ${decibels(because.threshold)}${dwell}`;
  }
  return `${kind === 'exit' ? 'weiter als' : 'innerhalb von'} ${metres(because.threshold)}${dwell}`;
}

export const words = {
  product: 'Beaconkeeper',
  views: { now: 'Jetzt', plan: 'Plan', diary: 'Tagebuch', strangers: 'Fremde', settings: 'System' },
  diary: {
    title: 'Tagebuch', day: 'Tag', before: 'Der Tag davor', after: 'Der Tag danach', thing: 'Ding', place: 'Ort', kind: 'Art',
    allThings: 'Alle Dinge', allPlaces: 'Alle Orte', allKinds: 'Alles',
    kinds: { zone: 'Zonen', room: 'Räume', event: 'Tasten und Bewegungen', verdict: 'Telefone', receiver: 'Empfänger', gateway: 'Gateway' },
    events: { enter: 'Eintritt', near: 'Nähe', exit: 'Austritt', blind: 'hört nichts', hears: 'hört wieder', start: 'gestartet', stop: 'beendet', changed: 'andere Konfiguration' },
    visits: 'Besuche', columns: ['Von', 'Bis', 'Wer', 'Wo', 'Dauer'], entries: 'Was geschah', gateway: 'Gateway',
    noVisits: ['Niemand war irgendwo.', 'Besuche erscheinen hier, wenn Beacons Zonen oder Räume betreten.'],
    none: ['Für diesen Tag ist nichts vermerkt.', 'Wählen Sie einen anderen Tag oder weniger Filter.'],
    now: 'jetzt', unknown: 'unbekannt', unknownSince: 'unbekannt seit wann', lastKnown: (time) => `unbekannt, nach ${time}`, unwatched: (length) => `, davon ${length} ohne Gateway`, earlierDay: 'früher', earlier: 'Frühere Einträge', csv: 'Diese Einträge als CSV', visitsCSV: 'Diese Besuche als CSV',
    stay: (where, from, to) => from == null ? `${where}: unbekannt seit wann, bis ${to}` : `${where}: ${from} bis ${to}`,
    more: (n) => `${count(n, 'weiteres Ding', 'weitere Dinge')} an diesem Tag; wählen Sie eines, um es zu sehen.`,
    cut: (n) => `An diesem Tag waren es mehr als ${plain(n)} Besuche. Band und Stunden zeigen nur die neuesten: Wählen Sie ein Ding oder einen Ort.`,
    total: (n, length) => `${count(n, 'Besuch', 'Besuche')}${length ? `, zusammen ${length}` : ''} an diesem Tag.`, newest: (n) => `In der Tabelle stehen die neuesten ${plain(n)}, im CSV alle.`,
    hour: (hour, n) => `${hour} bis ${hour + 1} Uhr: ${count(n, 'Besuch', 'Besuche')}`,
    hours: (counts) => `Besuche nach Stunden. ${counts.map((n, hour) => n ? `${hour}: ${n}` : '').filter(Boolean).join(', ')}`,
    fault: (why) => `Neue Einträge können nicht auf die Platte geschrieben werden: ${why}. So lange bleiben sie im Speicher.`,
  },
  setup: { title: 'Einrichten', offer: 'Broker, Empfänger, ein erster Beacon und Räume, Schritt für Schritt:' },
  skip: 'Zum Inhalt springen',
  navigation: 'Ansichten',
  theme: (isDark) => isDark ? 'Hell' : 'Dunkel',
  logout: 'Abmelden',
  loading: 'Wartet auf das Gateway …',
  copy: 'Kopieren', copied: 'Kopiert', close: 'Schließen', back: 'Jetzt',
  and, count,

  connection: {
    connecting: 'Verbindet …',
    live: 'Live',
    demo: 'Vorführung',
    demoNote: 'Das ist eine Vorführung: Alle hier sind berechnet. Probieren Sie alles aus; was Sie sichern, ist weg, wenn sie endet.',
    recording: 'Aufnahme',
    lost: (when) => `Nicht erreichbar seit ${when}`,
    banner: (when) => `Das Gateway hat seit ${when} nicht geantwortet. Was Sie sehen, ist von da. Neuer Versuch …`,
    quiet: (ago) => `zuletzt gehört vor ${ago}`,
    retry: 'Jetzt versuchen',
  },

  login: {
    title: 'Anmelden', label: 'Passwort', go: 'Anmelden', show: 'Passwort zeigen',
    why: (gateway) => `${gateway ?? 'Dieses Gateway'} fragt nach dem Passwort, das seine Konfiguration unter http: nennt. Mit dem einen darf man lesen, mit dem anderen ändern.`,
    demo: 'Die Vorführung hat ihr Passwort im Terminal ausgegeben, in dem sie gestartet wurde. Damit dürfen Sie alles ändern.',
  },

  failed: ({ message, remedy }) => remedy ? `${message}${/[.!?:]$/.test(message) ? '' : ';'} ${remedy}` : message,
  offline: 'Das Gateway hat nicht geantwortet.',
  status: (code) => `Das Gateway antwortete ${code}.`,
  notHere: 'Eine solche Ansicht gibt es nicht.',
  proxy: 'Wenn Sie über einen Reverse-Proxy kommen, muss er den Kopf Host weitergeben oder unter http.proxies stehen.',

  state: { occupied: 'Besetzt', empty: 'Leer', unknown: 'Unbekannt' },
  unknownWhy: 'Von keinem ihrer Empfänger weiß man, dass er hört. Bis dahin geht niemand.',

  now: {
    title: 'Jetzt',
    allWell: (present, places, areRooms) => present
      ? `${count(present, 'Beacon', 'Beacons')} in ${areRooms ? count(places, 'Raum', 'Räumen') : count(places, 'Ort', 'Orten')}.`
      : 'Niemand ist in einer Zone.',
    noPlaces: 'Keine Zone ist eingerichtet.',
    unknown: 'Niemand weiß, wer da ist.',
    lastKnown: (present, places, areRooms) => `${count(present, 'Beacon war', 'Beacons waren')} in ${areRooms ? count(places, 'Raum', 'Räumen') : count(places, 'Ort', 'Orten')}, als man sie zuletzt hörte.`,
    partly: (text, n) => `${text} Unbekannt an ${n === 1 ? '1 Ort' : `${plain(n)} Orten`}.`,
    unsure: (place) => `${place} (unbekannt)`,
    hearing: 'Alle Empfänger hören.',
    silent: (names) => `Von ${and(names)} kam länger nichts.`,
    noReceivers: 'Noch hat sich kein Empfänger gemeldet.',
    awaited: (names) => `${and(names)} ${names.length === 1 ? 'hat' : 'haben'} sich noch nicht gemeldet.`,
    blind: (names) => `${and(names)} ${names.length === 1 ? 'ist' : 'sind'} blind.`,
    stays: (zones) => `Niemand kann ${and(zones)} verlassen, bis ${zones.length === 1 ? 'ihre' : 'deren'} Empfänger hören.`,
    brokerAway: 'Der Broker ist weg. Übergänge warten auf der Platte.',
    brokerAwayMemory: 'Der Broker ist weg. Übergänge warten nur im Speicher.',
    zones: 'Zonen', rooms: 'Räume', beacons: 'Beacons', receivers: 'Empfänger', phones: 'Telefone', delivery: 'Zustellung',
    latest: 'Zuletzt', filter: 'Nach Beacon oder Ort filtern',
    noZones: ['Noch keine Zone.', 'Eine Zone sagt, wie nah ein Beacon sein muss, um als anwesend zu gelten. Fügen Sie eine unter zones: zur Konfiguration hinzu.', ['settings', 'Zur Konfiguration']],
    noBeacons: ['Noch kein Beacon gehört.', 'Sehen Sie, was in der Luft ist, und machen Sie etwas davon zu Ihrem.', ['strangers', 'Fremde zeigen']],
    noReceiver: ['Noch kein Empfänger.', 'Stecken Sie einen Bluetooth-Adapter ein, oder nennen Sie einen Scanner unter scanners:. „beaconkeeper doctor“ sagt, was fehlt.'],
    noTransitions: ['Noch ist nichts geschehen.', 'Der erste Eintritt erscheint hier, mit seiner Begründung.'],
    noMatch: 'Nichts passt.', showAll: 'Alle zeigen',
    omitted: (n) => `${count(n, 'weiterer Beacon wird', 'weitere Beacons werden')} nicht gezeigt.`,
    try: 'Schwellen ausprobieren',
    range: (zone) => `Entfernungen in ${zone}, logarithmisch`,
    more: (n) => `${plain(n)} mehr`,
    presence: 'Wer überhaupt gehört wird, ist da.',
    ofRooms: (rooms) => `Wer in ${or(rooms)} ist, ist da.`,
    approaching: (names) => `Draußen, aber gehört: ${and(names)}.`,
    since: (text) => `seit ${text} da`,
    who: (place) => `Wer in ${place} ist`,
    all: (n, rest, place) => `+${plain(rest)}: alle ${plain(n)} in ${place} zeigen`,
    things: {
      search: 'Nach Name, Besitzer oder Ort suchen', filter: 'Nur zeigen', order: 'Ordnen nach', csv: 'CSV', all: 'Alle',
      by: (column) => `Nach ${column}`, within: (place) => `In ${place}`, of: (owner) => `Von ${owner}`,
      filters: { silent: 'Stumm', battery: 'Batterie schwach', unheard: 'Nie gehört' },
      counted: (found, all) => `${plain(found)} von ${plain(all)} passen.`,
    },
    columns: { beacon: 'Beacon', owner: 'Besitzer', place: 'Wo', distance: 'Entfernung', signal: 'Signal', heard: 'Gehört', readings: 'Messwerte' },
    nowhere: 'in keiner Zone', belongs: (owner) => `von ${owner}`,
    every: (text) => `alle ${text}`,
    ago: (text) => `vor ${text}`,
    /** Was vor kurzem gehört wurde, gemessen am Takt des Beacons, wird jetzt gehört. */
    heard: (ms, interval) => ms < Math.max(10_000, (interval ?? 0) * 3000) ? 'jetzt' : `vor ${duration(ms)}`,
    rate: (n) => `${n} /s`,
    never: 'nie gehört', notSinceStart: 'seit dem Start des Gateways nicht gehört',
    blindWord: 'Blind',
    lost: (n) => `${plain(n)} verloren`,
    gain: (db) => `hört ${Math.round(Math.abs(db))} dB ${db < 0 ? 'weniger' : 'mehr'} als erwartet`,
    recoveries: (n) => `${count(n, 'Rettung', 'Rettungen')} versucht`,
  },

  receiver: {
    ok: 'Hört', quiet: 'Stumm', lossy: 'Hört mehr, als sich lesen lässt', doubted: 'Vielleicht ausgefallen', deaf: 'Taub',
    empty: 'Meldet Sendungen ohne Inhalt', blind: 'Blind', gone: 'Ausgesteckt', missing: 'Fehlt',
  },

  delivery: {
    broker: 'Broker', connected: 'Verbunden', away: 'Weg',
    outbox: 'Ausgang', durable: 'Erst auf der Platte, dann gesendet', memory: 'Nur im Speicher',
    waiting: 'Wartend', nothing: 'Nichts wartet', messages: (n) => count(n, 'Nachricht', 'Nachrichten'),
    parked: (n) => `${count(n, 'Nachricht', 'Nachrichten')} vom Broker abgelehnt`,
    lost: (n) => `${count(n, 'Übergang', 'Übergänge')} verloren`,
    up: 'Läuft', upSince: (text) => `seit ${text}`,
  },

  phone: {
    state: { foreground: 'Im Vordergrund', ranging: 'Hört zu', background: 'Im Hintergrund', suspended: 'Angehalten', terminated: 'Beendet' },
    left: (text) => `noch ${text}`,
    unlimited: 'ohne Grenze',
    out: 'kann nicht hören',
    carries: (beacon) => `trägt ${beacon}`,
    window: (phone) => `Zeit, die der App von ${phone} zum Zuhören bleibt`,
  },

  record: {
    columns: ['Nähe', 'Vorhergesagt', 'App', 'Ergebnis'],
    summary: (record) => record.seen_pct == null ? 'Die App meldet, was sie bemerkt'
      : `Die App bemerkte ${percent(record.seen_pct / 100)} des Vorhergesagten`,
    counts: (record) => [
      `${plain(record.nears)} Mal Nähe`, `${plain(record.predicted)} vorhergesagt`, `${plain(record.seen)} bemerkt`,
      `${plain(record.missed)} verpasst`, record.unpredicted > 0 && `${plain(record.unpredicted)} unvorhergesehen bemerkt`,
      record.false > 0 && `${plain(record.false)} ohne Nähe`, record.late > 0 && `${plain(record.late)} spät`,
      record.pending > 0 && `${plain(record.pending)} offen`,
      record.median_late_s != null && `die Hälfte binnen ${seconds(record.median_late_s)}`].filter(Boolean).join(' · '),
    predicted: (one) => one.near_at == null ? 'nicht nah' : one.outcome == null ? 'noch nicht bekannt'
      : one.delivered_at == null ? outcomes[one.outcome] ?? one.outcome
      : `nach ${seconds((Date.parse(one.delivered_at) - Date.parse(one.near_at)) / 1000)}`,
    seen: (one) => one.seen_at == null ? 'nichts' : one.late_s == null ? 'bemerkt'
      : one.late_s < 0 ? `${seconds(-one.late_s)} davor` : `nach ${seconds(one.late_s)}`,
    result: {
      pending: 'offen', seen: 'wie vorhergesagt', missed: 'verpasst', unpredicted: 'bemerkt, obwohl anders vorhergesagt',
      unnoticed: 'wie vorhergesagt', false: 'bemerkt, obwohl nicht nah',
    },
  },

  feed: {
    event,
    verdict: 'Telefon',
    at: { zone: (zone) => zone, room: (room) => room },
    outcome: (verdict) => {
      const text = outcomes[verdict.outcome] ?? verdict.outcome;
      if (verdict.late_s != null) return `${text}, ${seconds(verdict.late_s)} nach der Nähe`;
      return `verpasst: ${text}`;
    },
    sure: (probability) => `${percent(probability)} sicher`,
    heardBy: (because, isShort) => isShort ? because.receiver : `${because.receiver}, ${plain(because.samples)} gehört`,
  },
  reason, outcomes,
  /** Warum jemand da ist. */
  entered: (text) => text && `Eintritt: ${text.replace(/^room: /, '')}`,
  because: (because) => because.event === 'near' ? `Nähe: ${reason(because)}` : words.entered(reason(because)),
  spoken: (transition, name) => `${name} ${past[transition.event] ?? transition.event} ${transition.zone ?? transition.room ?? ''}`,
  spokenMany: (sentences, n) => `${sentences.join('. ')}. Und ${count(n, 'weitere Änderung', 'weitere Änderungen')}`,

  beacon: {
    chart: (name) => `${name}: Signal und Entfernung im Lauf der Zeit`,
    chartRole: 'Diagramm',
    help: 'Pfeiltasten lesen entlang der Zeit, mit Umschalttaste verschieben sie, Plus und Minus vergrößern und verkleinern, 0 kehrt zum Jetzt zurück, die Leertaste hält an.',
    zone: 'Zone',
    signal: 'Signal', distance: 'Entfernung', signalUnit: 'dBm',
    estimate: 'geschätzte Entfernung', estimateIn: (zone) => `Entfernung, wie ${zone} sie schätzt`, smooth: 'Signal, geglättet', band: '± 1 σ', tried: 'probeweise',
    scale: 'Achse der Entfernung', log: 'log', linear: 'linear',
    zoomIn: 'Vergrößern', zoomOut: 'Verkleinern', pause: 'Anhalten', resume: 'Weiter', live: 'Live', export: 'Daten',
    tryOn: 'Schwellen ausprobieren', tryOff: 'Nicht mehr ausprobieren',
    isIn: (zone, text) => text ? `seit ${text} in ${zone}` : `in ${zone}`,
    isNear: (zone) => `nah an ${zone}`,
    outside: (zone) => `außerhalb von ${zone}`,
    inRoom: (room) => `in ${room}`,
    unsure: (place) => `war in ${place}; dort hört gerade niemand`,
    unknown: (zone) => `${zone}: unbekannt`,
    dwell: (name, left) => left > 0.05 ? `${event[name]} in ${decimal(left, 1)} s` : event[name],
    dwellLabel: (name) => `Wartezeit bis ${event[name]}`,
    lines: { near: 'Nähe', rearm: 'wieder bereit', enter: 'Eintritt', exit: 'Austritt' },
    lineLabel: (line, zone) => `Schwelle ${line} von ${zone}`,
    readings: 'Messwerte', decisions: 'Entscheidungen', noDecisions: 'Keine Entscheidung in der gezeigten Zeit.',
    events: 'Ereignisse',
    event: ({ reading, event, steps, count }) => [`${reading}: ${event}`.replaceAll('_', ' '), steps == null ? '' : `${steps} Schritte`, count > 1 ? `${count} Mal` : ''].filter(Boolean).join(', '),
    notHeard: ['In den letzten Minuten nicht gehört.', 'Das Bild beginnt mit der nächsten Sendung.'],
    noZone: ['Keine Zone beobachtet diesen Beacon.', 'Sein Signal wird gezeigt; nehmen Sie ihn in eine Zone auf, damit Entscheidungen fallen.'],
    incomplete: (when) => `Die Erinnerung reicht zurück bis ${when}.`,
    missing: (name) => `Kein Beacon heißt ${name}, oder es wurde seit dem Start des Gateways nicht gehört. Diese Seite beginnt, sobald das geschieht.`,
    from: 'von', actual: 'wie entschieden', wouldBe: 'wie ausprobiert',
    tabs: 'Gezeigte Zone',
    interval: (text) => `alle ${text} gehört`,
    lastBy: (receiver) => `von ${receiver}`,
  },

  try: {
    title: 'Ausprobieren', lead: 'Verschieben Sie eine Schwelle. Die letzte Stunde wird neu entschieden, wie es das Gateway getan hätte.',
    leadZone: (zone) => `Alles, was ${zone} beobachtet, mit diesen Zahlen neu entschieden.`,
    minutes: 'Über die letzten', minute: (n) => n === 60 ? '60 Minuten' : `${n} Minuten`,
    groups: { near: 'Nähe', enter: 'Eintritt', exit: 'Austritt', receivers: 'Empfänger' },
    fields: {
      threshold: { near: 'innerhalb', enter: 'innerhalb', exit: 'weiter als' },
      signal: { near: 'mindestens', enter: 'mindestens', exit: 'schwächer als' },
      dwell_s: 'für', rearm: 'wieder bereit ab', rearmSignal: 'wieder bereit unter', lost_s: 'oder still für', auto: 'auto',
      exponent: 'Exponent', offset_db: 'Abgleich',
    },
    field: (group, field) => `${group}: ${field}`,
    presence: 'überhaupt gehört',
    rings: 'Ziehen Sie an einem Ring, um eine andere Entfernung auszuprobieren.', ringsOf: (zone, lines) => `Entfernungen von ${zone}: ${lines.join(', ')}`,
    reset: 'Wie eingerichtet', deciding: 'Entscheidet …',
    same: 'gleich', moved: 'verschoben', added: 'neu', removed: 'weg',
    unchanged: 'Wie eingerichtet. Nichts ist anders.',
    nothing: 'Keine Entscheidung in dieser Zeit, weder damals noch mit diesen Zahlen.',
    summary: (n) => {
      const parts = [];
      if (n.same) parts.push(count(n.same, 'Entscheidung gleich', 'Entscheidungen gleich'));
      if (n.moved) parts.push(`${plain(n.moved)} verschoben`);
      if (n.added) parts.push(`${plain(n.added)} neu`);
      if (n.removed) parts.push(`${plain(n.removed)} weg`);
      return `${and(parts)}.`;
    },
    span: (reply) => `${count(reply.sightings, 'Sichtung', 'Sichtungen')} seit ${since(reply)}${reply.complete ? '' : '; weiter reicht die Erinnerung nicht'}.`,
    was: 'Wie entschieden', would: 'Mit diesen Zahlen',
    earlier: (text) => `${text} früher`, later: (text) => `${text} später`,
    yaml: 'Um es zu behalten, setzen Sie dies in die Konfiguration:',
    save: 'Sichern', undo: 'Rückgängig', saving: 'Sichert …', loading: 'Gesichert. Wird geladen …', fileSays: 'Was die Datei jetzt sagt',
    obstacle: (why) => `Es kann nicht gesichert werden: ${why}`,
    saved: 'Gesichert und geladen. Die Datei sagt:', undone: 'Die früheren Zahlen sind wieder da.', alike: 'Das sagt die Datei schon:',
    notLoaded: 'Gesichert, aber noch nicht geladen. Das Protokoll des Gateways sagt, warum.',
    overtaken: 'Gesichert, aber die Datei wurde wieder geändert. Dies sind jetzt ihre Zahlen.',
    unsure: 'Das Gateway hat nicht geantwortet. Unter System steht, ob es gesichert ist.',
    conflict: 'Jemand anders hat diese Zahlen inzwischen geändert. „Wie eingerichtet“ zeigt sie.',
    columns: ['', 'Vorher', 'Andere', 'Sie'], keepMine: 'Ihre behalten', kept: 'Die der anderen, mit dem, was Sie geändert haben.',
    wrong: {
      number: (field) => `${field}: das ist keine Zahl.`, missing: (field) => `${field}: eine Zahl fehlt.`,
      order: 'Austritt muss weiter sein als Eintritt, sonst flattern Beacons am Rand.', rearm: 'Wieder bereit muss weiter sein als Nähe.',
    },
    readOnly: 'Diese Seite darf nur lesen. Tragen Sie die Zeilen selbst in die Konfiguration ein.', login: 'Anmelden, um zu sichern',
  },

  naming: {
    rename: (name) => `Name, Besitzer und Symbol von ${name} ändern`, title: (beacon) => `Was von ${beacon} gesagt wird`, label: 'Name', owner: 'Besitzer', icon: 'Symbol',
    lead: 'Diesen Namen sehen Menschen. MQTT-Themen, Zonen und das Tagebuch behalten den anderen. Leer: kein Name.', ownerLead: 'Ein Mensch oder eine Gruppe.', iconLead: 'Wie in Home Assistant, etwa mdi:key.',
    review: 'Ansehen', changes: 'Änderung der Datei', says: 'Die Prüfung sagt:', nothing: 'Das sagt die Datei schon.',
    saved: 'Gesichert, wird geladen.', loaded: 'Gesichert und geladen.', undone: 'Es ist wie vorher.',
  },

  plan: {
    title: 'Plan', beacon: 'Beacon', floor: 'Stockwerk', ground: 'Boden',
    in: (name, room) => `${name}, in ${room}`, search: 'Namen suchen', page: 'Mehr darüber',
    none: ['Noch kein Plan.', 'Geben Sie jedem Raum einen Umriss und jedem Empfänger einen Ort; dann erscheinen hier die Räume, mit wem darin ist.', ['draw', 'Hier zeichnen']],
    draw: 'Zeichnen', all: 'Alles zeigen', wall: 'Vollbild',
    everybody: 'Wer da ist', everybodyIn: (n, room) => `Alle ${plain(n)} in ${room}`,
    noBeacon: 'Wählen Sie einen Beacon, um zu sehen, wo er wahrscheinlich ist.',
    nowhere: 'in keinem Raum', within: (zones) => `in ${zones}`, unknown: 'unbekannt: von keinem Empfänger der Räume weiß man, dass er hört',
    position: (p) => `${tenths(p.x)} Ost, ${tenths(p.y)} Nord, ± ${tenths(p.sd)}`,
    drawing: (name) => `Plan der Räume; wo ${name ?? 'ein Beacon'} wahrscheinlich ist`,
    cross: 'Pfeiltasten bewegen das Kreuz, Eingabe markiert.',
    unplaced: (names) => `${and(names)} ${names.length === 1 ? 'hat' : 'haben'} keinen Ort.`,
    track: (n) => `Weg der letzten ${n} min`,
    time: { label: 'Zeit', day: 'Tag', now: 'Jetzt', at: (told) => `Wie es war: ${told}`, more: 'Es waren mehr da, als gezeigt werden können.', gap: (from, to) => `${from ? `Von ${from} bis` : 'Vor'} ${to} lief, soweit bekannt, kein Gateway.` },
  },

  calibrate: {
    title: 'Kalibrieren',
    lead: 'Gehen Sie mit einem Beacon durch alle Räume und sagen Sie, wo Sie sind. Das Gateway lernt, wie seine Empfänger ihn an jedem Ort hören.',
    begin: (name) => name ? `Mit ${name} beginnen` : 'Beginnen', login: 'Zum Kalibrieren anmelden',
    tap: 'Tippen Sie auf dem Plan dahin, wo Sie stehen, oder wählen Sie den Raum. Gehen Sie dann darin umher.',
    choose: 'Wählen Sie den Raum, in dem Sie sind. Gehen Sie dann darin umher.',
    inRoom: (room) => `Sie sind in ${room}. Tippen Sie wieder, wo immer Sie halten, und sobald Sie einen anderen Raum betreten.`,
    heard: (name) => `${name} wird gehört.`,
    unheard: (name, ago) => ago ? `${name} wird seit ${ago} nicht gehört.` : `${name} wird noch nicht gehört.`,
    full: 'Länger darf der Gang nicht sein.',
    missing: 'fehlt', enough: 'genug', seconds: (s, goal) => `${Math.round(s)} von ${goal} s`,
    receivers: 'Empfänger', silent: 'nicht gehört',
    pause: 'Pause', unmark: 'Zurücknehmen', fit: 'Kalibrieren', giveUp: 'Beenden', learning: 'Lernt, und prüft sich an Strecken, die es nicht kennt …',
    failed: (reason) => `Nichts wurde gelernt: ${reason}.`,
    save: 'Sichern', download: 'Herunterladen', marks: 'Die Marken herunterladen', undo: 'Rückgängig',
    saved: ({ file, earlier }) => `Gesichert als ${file}, und wird geladen.${earlier ? ' Die frühere Kalibrierung bleibt daneben.' : ''}`,
    line: 'Setzen Sie diese Zeile an den linken Rand der Konfiguration:',
    result: {
      with: 'Mit', right: 'Richtig', changes: 'Wechsel', delay: 'Verzug', kept: 'behalten',
      note: 'Auf Strecken des Gangs, die beim Lernen ausgelassen wurden.',
      good: (with_, without) => `Räume stimmen ${with_} der Zeit, ohne sie ${without}.`,
      refused: (reason) => `Es kann nicht gesichert werden: ${reason}.`,
      parts: (part, hasPlan) => ({ nothing: 'nichts gemessen', path_loss: 'Leistung, Exponent, Wände', all: hasPlan ? 'und Karten des Signals' : 'Pegel nach Räumen',
        less_complete: 'ohne einen weiteren Raum', present: 'die jetzige Kalibrierung' })[part],
      changed: (n, real) => `${n} (${real} wirkliche)`,
      lacking: (rooms) => `${and(rooms)} ${rooms.length === 1 ? 'hat' : 'haben'} weniger, als gut ist: gehen Sie dort länger umher.`,
      unheard: (names) => `${and(names)} hörten nichts.`,
      mistaken: (one) => `${one.room} wird am ehesten mit ${one.told} verwechselt: ${percent(one.share)} seiner Zeit.`,
      wanted: (room) => `Ein weiterer Empfänger hülfe am meisten in ${room}.`,
      strays: (n) => `${count(n, 'Marke liegt', 'Marken liegen')} außerhalb ihres Raums.`,
    },
  },

  strangers: {
    title: 'Fremde', lead: 'Was in der Luft ist und zu keinem Beacon der Konfiguration gehört, das Stärkste zuerst.',
    none: ['Nichts in der Luft.', 'Schalten Sie einen Beacon ein, oder halten Sie ihn an den Empfänger.'],
    deaf: ['Nichts kann gehört werden.', 'Von keinem Empfänger weiß man, dass er hört. Sehen Sie unter Jetzt nach den Empfängern.'],
    reveal: 'Adressen und Namen zeigen', hidden: 'Adressen und Namen von Fremden sind verborgen, weil sie anderen Leuten gehören.',
    this: 'Dieses', unknown: 'unbekanntes Format', made: (vendor) => `von ${vendor}`, yours: (name) => `Ihres: ${name}`,
    overlooked: (n) => `${count(n, 'weiteres Gerät wurde', 'weitere Geräte wurden')} übersehen, weil zu viele auf einmal kamen.`,
    add: 'Hinzufügen', name: 'Name des neuen Beacons', nameHint: 'Auto', added: (name) => `${name} steht in der Datei, und sie wird geladen.`,
    yaml: 'Setzen Sie dies unter beacons: in die Konfiguration:',
    enrol: 'Es sendet nichts, woran man es erkennt. Wenn es Ihr Telefon oder Ihre Uhr ist, koppeln Sie es einmal, damit man es erkennt, obwohl seine Adresse wechselt.', enrolIt: 'Telefon oder Uhr koppeln',
    adds: 'Nimmt es in die Konfiguration auf, die dann geladen wird.', fileSays: 'Die Datei sagt jetzt:',
    hold: 'Halten Sie Ihren Beacon dicht an den Empfänger: er steigt nach oben.',
  },

  settings: {
    title: 'System', explained: 'Was sie tut', file: 'Konfiguration', noFile: 'Es läuft ohne Datei, mit der eingebauten Konfiguration.',
    sections: { scanners: 'Scanner' },
    noYaml: 'Nur wer sie ändern darf, sieht ihren Text: wer sich mit dem Passwort aus write_password_file anmeldet.', about: 'Dieses Gateway',
    version: 'Version', started: 'Gestartet', rights: 'Diese Seite darf', read: 'lesen', write: 'lesen und schreiben', lengths: 'Längen in diesem Browser', lengthUnits: { m: 'Meter', ft: 'Fuß' },
    also: 'Auch an dieser Tür', metrics: 'Metriken für Prometheus', health: 'Gesundheit', api: 'OpenAPI-Beschreibung', marks: 'Marken für calibrate',
    undo: 'Die letzte Änderung rückgängig machen',
  },

  recording: {
    title: 'Aufnahme', play: 'Abspielen', pause: 'Anhalten', speed: 'Tempo', at: 'Zeit in der Aufnahme',
    times: (n) => `${n}×`,
  },

  zone: { title: (zone) => zone, missing: (zone) => `Keine Zone heißt ${zone}.`, receivers: 'Gehört von', any: 'allen Empfängern', who: 'Wer da ist', nobody: 'Niemand.' },

  /** Was ein Messwert misst, nach dem Namen seines Felds; was hier fehlt, bleibt englisch. */
  quantities: {
    temperature: 'Temperatur', humidity: 'Luftfeuchte', pressure: 'Luftdruck', battery: 'Batterie', battery_voltage: 'Batteriespannung', voltage: 'Spannung',
    illuminance: 'Helligkeit', motion: 'Bewegung', door: 'Tür', window: 'Fenster', contact: 'Kontakt', opening: 'Öffnung', tamper: 'Sabotage', button: 'Taste', moisture: 'Feuchte',
    smoke: 'Rauch', occupancy: 'Anwesenheit', vibration: 'Erschütterung', co2: 'CO₂', tvoc: 'Flüchtige Stoffe', power: 'Leistung', energy: 'Energie', current: 'Strom', mass: 'Masse',
    distance: 'Entfernung', count: 'Zähler', conductivity: 'Leitfähigkeit', dew_point: 'Taupunkt', movements: 'Bewegungen', acceleration_x: 'Beschleunigung x', acceleration_y: 'Beschleunigung y',
    acceleration_z: 'Beschleunigung z', tx_power: 'Sendeleistung', uptime: 'Laufzeit', rotation: 'Drehung', speed: 'Geschwindigkeit', volume: 'Volumen', weight: 'Gewicht',
  },
  yes: 'ja', no: 'nein',
};
