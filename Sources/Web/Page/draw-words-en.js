// Every English sentence of the drawing board. draw-words-de.js has the same in German, in the same order.
import { decimal, rounded, toLength } from './figures.js';
import { lengthUnit } from './language.js';
import { words as page } from './words-en.js';

const digits = (m) => rounded(toLength(m), 2), m = (v) => `${digits(v)} ${lengthUnit}`;
const at = ([x, y]) => `${m(x)} east, ${m(y)} north`;
const size = (wide, deep) => `${digits(wide)} × ${m(deep)}`;
const area = (metres) => { const square = toLength(toLength(metres)); return `${square < 10 ? rounded(square, 1) : decimal(square, 0)} ${lengthUnit}²`; };

export const words = {
  title: 'Draw the plan', back: 'Plan', board: 'Drawing board. Arrow keys move it, plus and minus zoom, Tab goes from thing to thing.',
  tools: 'Tools', tool: { move: 'Move', room: 'Room', door: 'Door', picture: 'Picture' },
  hint: {
    move: 'Click a room to select it, then drag it, its corners or its walls. Drag receivers. Drag elsewhere to move the plan.',
    room: 'Drag a rectangle. Or click corner after corner, and the first again; Enter closes, Escape gives up.',
    door: 'Click a wall. On a floor with doors, beacons pass only through them: draw all.',
    picture: 'Drag the picture. For its scale, click both ends of something whose length you know.',
  },
  undo: 'Undo', redo: 'Redo', right: 'Right angles', review: 'Review', floors: 'Floor',
  at, size, area, length: m,
  room: (room, square, isWrong) => `${room.name}, ${isWrong ? words.wrong : area(square)}, ${page.count(room.outline.length, 'corner', 'corners')}`,
  wrong: 'crosses itself', small: `A room has at least ${m(0.3)}. Drag farther, or click corner after corner.`,
  corner: (n, room, point) => `Corner ${n} of ${room}: ${at(point)}`, wall: (n, room) => `Wall ${n} of ${room}`,
  door: ([a, b]) => `Door from ${at(a)} to ${at(b)}`, doorEnd: (n, point) => `End ${n} of the door: ${at(point)}`,
  receiver: (name, point) => `Receiver ${name}: ${at(point)}`,
  firstCorner: 'First corner. Click the next one.', cornersSoFar: (n) => n < 3 ? `${n} corners.` : `${n} corners. Click the first again to close.`,
  noWall: 'There is no wall here. A door belongs into the wall of a room.',
  upstairs: 'It belongs to a room of another floor. Put it into a room here.', homeless: (names) => `${page.and(names)}: saved once a room is drawn around it.`,
  addFloor: 'Add a floor', groundFloor: 'ground floor', newFloor: (n) => `floor ${n}`, floorName: 'Name of the floor', floorHeight: 'Height', removeFloor: 'Delete the floor', floorTaken: 'Another floor has this name.', floorNameless: 'A floor needs a name.',
  newRoom: (n) => `room ${n}`, name: 'Name', wide: 'Width', deep: 'Depth', east: 'East', north: 'North', height: 'Height', doorWidth: 'Width',
  removeRoom: 'Delete the room', removeCorner: 'Delete the corner', addCorner: 'Corner in this wall', addDoor: 'Door in this wall', removeDoor: 'Delete the door', takeOff: 'Take off the plan',
  removed: (what) => `${what} is gone. Undo brings it back.`, thisDoor: 'The door', undone: 'Undone.', redone: 'Done again.',
  taken: 'Another room has this name.', nameless: 'A room needs a name.',
  selection: 'Selected', nothing: 'Nothing is selected.',
  receivers: 'Receivers to place', placeLead: 'Drag them onto the plan, where they hang.', unheard: 'not configured yet', allPlaced: 'All receivers are on the plan.',
  undrawn: 'Rooms to draw', undrawnLead: 'Choose one, and draw it.', drawing: (room) => `Draw ${room}.`,
  picture: 'Picture behind the plan', pictureLead: 'A photograph or scan of a floor plan. It stays in this browser.', choose: 'Choose a picture', takeAway: 'Take it away', adjust: 'Move it, set its scale',
  measured: 'Length of this line', setScale: 'Set the scale', scaled: 'The picture has its scale.', secondEnd: 'Now click the other end.', howLong: 'How long is this line really?',
  noPicture: 'This file is no picture that the browser can read.', notKept: 'The picture is too large for this browser to keep; it is gone after a reload.',
  obstacle: (why) => `What you draw cannot be saved here: ${why}. Review shows the lines for the file.`,
  mayNot: 'This page may only look.', login: 'Log in to draw', noFile: 'There is no configuration file to change.',
  draft: (when) => `A draft of ${when} is here.`, draftOther: 'The file has been changed since; its changes are drawn in.', goOn: 'Go on with it', throwAway: 'Throw it away',
  kept: 'The draft is kept in this browser.', unkept: 'This browser keeps no draft.',
  both: (rooms) => `Somebody else has changed ${page.and(rooms)}, too. What you drew counts; Review shows it.`, theirs: 'The file was changed meanwhile, and that is drawn in now. Review again.',
  changes: 'Change of the file', nothingChanged: 'The file says all this already.', says: 'It can be saved. Note:', save: 'Save', goBack: 'Draw on',
  saving: 'Saving …', loading: 'Saved. Being loaded …', saved: 'Saved and loaded.', notLoaded: 'Saved, but not loaded yet. The gateway’s log says why.', unsure: 'The gateway did not answer. Settings shows whether it was saved.',
};
