// Jeder deutsche Satz der Zeichenfläche, in der Reihenfolge von draw-words-en.js.
import { decimal, rounded, toLength } from './figures.js';
import { lengthUnit } from './language.js';
import { words as page } from './words-de.js';

const digits = (m) => rounded(toLength(m), 2), m = (v) => `${digits(v)} ${lengthUnit}`;
const at = ([x, y]) => `${m(x)} Ost, ${m(y)} Nord`;
const size = (wide, deep) => `${digits(wide)} × ${m(deep)}`;
const area = (metres) => { const square = toLength(toLength(metres)); return `${square < 10 ? rounded(square, 1) : decimal(square, 0)} ${lengthUnit}²`; };

export const words = {
  title: 'Den Plan zeichnen', back: 'Plan', board: 'Zeichenfläche. Pfeiltasten verschieben sie, Plus und Minus vergrößern und verkleinern, Tabulator geht von Ding zu Ding.',
  tools: 'Werkzeuge', tool: { move: 'Bewegen', room: 'Raum', door: 'Tür', picture: 'Bild' },
  hint: {
    move: 'Ein Klick wählt einen Raum; dann lassen sich er, seine Ecken und Wände ziehen. Ziehen Sie Empfänger. Daneben gezogen, bewegt sich der Plan.',
    room: 'Ziehen Sie ein Rechteck. Oder klicken Sie Ecke um Ecke und zuletzt wieder die erste; Eingabe schließt, Escape bricht ab.',
    door: 'Klicken Sie auf eine Wand. Auf einem Stockwerk mit Türen kommen Beacons nur durch diese: zeichnen Sie alle.',
    picture: 'Ziehen Sie das Bild. Für seinen Maßstab klicken Sie beide Enden von etwas an, dessen Länge Sie kennen.',
  },
  undo: 'Rückgängig', redo: 'Wiederholen', right: 'Rechte Winkel', review: 'Ansehen', floors: 'Stockwerk',
  at, size, area, length: m,
  room: (room, square, isWrong) => `${room.name}, ${isWrong ? words.wrong : area(square)}, ${page.count(room.outline.length, 'Ecke', 'Ecken')}`,
  wrong: 'kreuzt sich selbst', small: `Ein Raum hat mindestens ${m(0.3)}. Ziehen Sie weiter, oder klicken Sie Ecke um Ecke.`,
  corner: (n, room, point) => `Ecke ${n} von ${room}: ${at(point)}`, wall: (n, room) => `Wand ${n} von ${room}`,
  door: ([a, b]) => `Tür von ${at(a)} bis ${at(b)}`, doorEnd: (n, point) => `Ende ${n} der Tür: ${at(point)}`,
  receiver: (name, point) => `Empfänger ${name}: ${at(point)}`,
  firstCorner: 'Erste Ecke. Klicken Sie die nächste.', cornersSoFar: (n) => n < 3 ? `${n} Ecken.` : `${n} Ecken. Zum Schließen klicken Sie wieder die erste.`,
  noWall: 'Hier ist keine Wand. Eine Tür gehört in die Wand eines Raums.',
  upstairs: 'Er gehört zu einem Raum eines anderen Stockwerks. Setzen Sie ihn hier in einen Raum.', homeless: (names) => `${page.and(names)}: gesichert, sobald ein Raum darum gezeichnet ist.`,
  addFloor: 'Stockwerk hinzufügen', groundFloor: 'Erdgeschoss', newFloor: (n) => `Stockwerk ${n}`, floorName: 'Name des Stockwerks', floorHeight: 'Höhe', removeFloor: 'Stockwerk löschen', floorTaken: 'Ein anderes Stockwerk heißt so.', floorNameless: 'Ein Stockwerk braucht einen Namen.',
  newRoom: (n) => `Raum ${n}`, name: 'Name', wide: 'Breite', deep: 'Tiefe', east: 'Ost', north: 'Nord', height: 'Höhe', doorWidth: 'Breite',
  removeRoom: 'Den Raum löschen', removeCorner: 'Die Ecke löschen', addCorner: 'Ecke in diese Wand', addDoor: 'Tür in diese Wand', removeDoor: 'Die Tür löschen', takeOff: 'Vom Plan nehmen',
  removed: (what) => `${what} ist weg. Rückgängig bringt es zurück.`, thisDoor: 'Die Tür', undone: 'Rückgängig gemacht.', redone: 'Wiederholt.',
  taken: 'Ein anderer Raum heißt schon so.', nameless: 'Ein Raum braucht einen Namen.',
  selection: 'Gewählt', nothing: 'Nichts ist gewählt.',
  receivers: 'Empfänger zu platzieren', placeLead: 'Ziehen Sie sie auf den Plan, wo sie hängen.', unheard: 'noch nicht eingerichtet', allPlaced: 'Alle Empfänger sind auf dem Plan.',
  undrawn: 'Räume zu zeichnen', undrawnLead: 'Wählen Sie einen, und zeichnen Sie ihn.', drawing: (room) => `Zeichnen Sie ${room}.`,
  picture: 'Bild hinter dem Plan', pictureLead: 'Ein Foto oder Scan eines Grundrisses. Es bleibt in diesem Browser.', choose: 'Bild wählen', takeAway: 'Wegnehmen', adjust: 'Bewegen, Maßstab setzen',
  measured: 'Länge dieser Linie', setScale: 'Maßstab setzen', scaled: 'Das Bild hat seinen Maßstab.', secondEnd: 'Klicken Sie nun das andere Ende.', howLong: 'Wie lang ist diese Linie wirklich?',
  noPicture: 'Diese Datei ist kein Bild, das der Browser lesen kann.', notKept: 'Das Bild ist zu groß, als dass dieser Browser es behielte; nach dem Neuladen ist es weg.',
  obstacle: (why) => `Was Sie zeichnen, kann hier nicht gesichert werden: ${why}. „Ansehen“ zeigt die Zeilen für die Datei.`,
  mayNot: 'Diese Seite darf nur lesen.', login: 'Anmelden, um zu zeichnen', noFile: 'Es gibt keine Konfigurationsdatei zu ändern.',
  draft: (when) => `Ein Entwurf von ${when} ist da.`, draftOther: 'Die Datei wurde seither geändert; das ist eingezeichnet.', goOn: 'Daran weiterarbeiten', throwAway: 'Verwerfen',
  kept: 'Der Entwurf bleibt in diesem Browser.', unkept: 'Dieser Browser behält keinen Entwurf.',
  both: (rooms) => `Jemand anders hat ${page.and(rooms)} auch geändert. Es gilt, was Sie gezeichnet haben; „Ansehen“ zeigt es.`, theirs: 'Die Datei wurde inzwischen geändert; das ist jetzt eingezeichnet. Sehen Sie es sich noch einmal an.',
  changes: 'Änderung der Datei', nothingChanged: 'Das alles sagt die Datei schon.', says: 'Es kann gesichert werden. Beachten Sie:', save: 'Sichern', goBack: 'Weiterzeichnen',
  saving: 'Sichert …', loading: 'Gesichert. Wird geladen …', saved: 'Gesichert und geladen.', notLoaded: 'Gesichert, aber noch nicht geladen. Das Protokoll des Gateways sagt, warum.', unsure: 'Das Gateway hat nicht geantwortet. Unter System steht, ob es gesichert ist.',
};
