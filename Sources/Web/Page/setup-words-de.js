// Jeder deutsche Satz der Einrichtung, in derselben Reihenfolge wie in setup-words-en.js.
import { words as page } from './words-de.js';

const product = { espresense: 'ESPresense', theengs: 'Theengs oder OpenMQTTGateway', beaconkeeper: 'Beaconkeeper' };

export const words = {
  lead: 'In fünf Schritten von nichts zum ersten Raum. Jeder darf fehlen; unter System geht es später weiter.',
  steps: { broker: 'Broker', receivers: 'Empfänger', beacon: 'Erster Beacon', rooms: 'Räume', home: 'Home Assistant' }, stepsLabel: 'Schritte', next: 'Nächster Schritt',
  noFile: 'Es gibt keine Konfigurationsdatei, die zu ändern wäre.', mayNot: 'Diese Seite darf nur lesen.',
  byInit: 'Ein Befehl auf dem Rechner des Gateways schreibt eine Konfiguration, die diese Seite ändern darf, und zeigt das Passwort dafür. Enter übernimmt jede Antwort:',
  byLines: 'Auf dem Rechner des Gateways erlauben diese Zeilen der Seite, die Konfiguration zu ändern, wie sie ist, und zeigen das Passwort dafür:',
  elsewhere: 'Schreiben Sie ein Passwort zum Ändern in eine Datei, die nur der Benutzer des Gateways lesen darf, nennen Sie sie in der Konfiguration, unter listen: bei http:, und starten Sie das Gateway neu:', thenLogin: 'Melden Sie sich dann mit diesem Passwort an.', login: 'Anmelden',
  obstacle: (why) => `Hier lässt sich nichts speichern: ${why}. Jeder Schritt zeigt stattdessen die Zeilen für die Datei.`,
  restart: 'Das Gateway wechselt in wenigen Sekunden zum neuen Broker, dann geht es hier von selbst weiter. Bleibt das hier stehen, sagt das Protokoll des Gateways, warum: journalctl -u beaconkeeper. So versucht es das noch einmal:',
  broker: {
    lead: 'Wohin das Gateway veröffentlicht, und wo Home Assistant und Boards wie ESPresense ihm begegnen.',
    now: (url, isConnected) => `In der Datei steht ${url}. Das Gateway ist ${isConnected ? '' : 'nicht '}verbunden.`, own: 'der eigene Broker des Gateways',
    find: 'Broker suchen', finding: 'Suche auf diesem Rechner, bei Home Assistant und nach Brokern, die sich ankündigen …', none: 'Kein Broker gefunden. Geben Sie seine Adresse ein, oder installieren Sie einen auf diesem Rechner: sudo apt install mosquitto',
    found: 'Gefunden:', wantsLogin: 'verlangt einen Benutzer', embedded: 'Kein anderer Broker: der eigene des Gateways, nur für diesen Rechner',
    url: 'Adresse', user: 'Benutzer', password: 'Passwort', keeps: 'Das Passwort der Datei bleibt, wenn Sie keines eingeben.', stored: 'Ein Passwort kommt in eine eigene Datei neben der Konfiguration, die nur das Gateway lesen darf.',
    try: 'Ausprobieren', trying: 'Wird ausprobiert …', state: { ok: 'funktioniert', warning: 'funktioniert, mit einer Anmerkung', fault: 'funktioniert nicht' }, tryFirst: 'Sobald er funktioniert, können Sie ihn speichern.',
  },
  receivers: {
    lead: 'Was Beacons hört: Bluetooth-Adapter dieses Rechners, und Boards, die beim Broker veröffentlichen.', here: 'Dem Gateway bekannt:', noneHere: 'Das Gateway kennt noch keinen Empfänger.', hears: 'hört', deaf: 'hört nichts',
    find: 'Beim Broker nach Boards suchen', finding: 'Hört acht Sekunden lang beim Broker zu …', none: 'Kein Board gehört. Boards mit ESPresense, Theengs und OpenMQTTGateway veröffentlichen, sobald dieser Broker bei ihnen eingestellt ist.',
    heard: (kind, n, names) => `${page.count(n, 'Empfänger', 'Empfänger')} von ${product[kind]} bei Ihrem Broker gehört: ${page.and(names)}${n > names.length ? ', …' : '.'}`, use: 'Verwenden', used: 'werden schon verwendet',
  },
  beacon: {
    lead: 'Halten Sie Ihren Schlüssel an einen Empfänger: Seine Zeile leuchtet auf. Geben Sie ihm einen Namen.', reveal: page.strangers.reveal, none: 'Noch ist nichts zu hören. Schalten Sie den Beacon ein, oder sehen Sie nach den Empfängern.', sure: 'Dieser ist bei weitem der nächste.',
    unsure: 'Halten Sie ihn näher heran, bis einer viel näher ist als die anderen.', have: (names) => `Schon konfiguriert: ${page.and(names)}.`,
  },
  rooms: {
    lead: 'Nennen Sie den Raum, in dem jeder Empfänger ist. Das genügt für den Anfang; Umrisse und ein Gang machen es genauer.', none: 'Noch ist kein Empfänger bekannt.', room: (receiver) => `Raum von ${receiver}`, is: (room) => `ist in ${room}`,
    draw: 'Die Räume zeichnen', calibrate: 'Sie mit einem Gang kalibrieren', hint: 'Küche',
  },
  home: {
    lead: 'Was Home Assistant zeigt, sobald es mit demselben Broker verbunden ist. Messwerte von Sensoren kommen dazu, wenn sie gehört werden.', off: 'home_assistant: ist in der Konfiguration aus, also erfährt Home Assistant nichts.', area: (area) => `in ${area}`,
    platforms: { sensor: 'Sensor', binary_sensor: 'an oder aus', device_tracker: 'Tracker', event: 'Ereignis' }, itself: 'das Gerät selbst',
  },
  review: 'Prüfen', changes: 'Änderung der Datei', says: 'Es lässt sich speichern. Zu beachten:', nothing: 'Das steht alles schon in der Datei.', save: 'Speichern', saving: 'Wird gespeichert …', saved: 'Gespeichert.',
};
