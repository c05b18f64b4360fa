// Every English sentence of the setup. setup-words-de.js has the same in German, in the same order.
import { words as page } from './words-en.js';

const product = { espresense: 'ESPresense', theengs: 'Theengs or OpenMQTTGateway', beaconkeeper: 'Beaconkeeper' };

export const words = {
  lead: 'Five steps from nothing to the first room. Leave any of them out, and come back later under System.',
  steps: { broker: 'Broker', receivers: 'Receivers', beacon: 'First beacon', rooms: 'Rooms', home: 'Home Assistant' }, stepsLabel: 'Steps', next: 'Next step',
  noFile: 'There is no configuration file to change.', mayNot: 'This page may only look.',
  byInit: 'One command on the gateway’s machine writes a configuration that this page may change, and prints the password for that. Enter accepts each answer:',
  byLines: 'On the gateway’s machine, these lines let this page change the configuration as it is, and show the password for that:',
  elsewhere: 'Put a password for changes into a file that only the gateway’s user may read, name it in the configuration, below listen: of http:, and restart the gateway:', thenLogin: 'Then log in with that password.', login: 'Log in',
  obstacle: (why) => `Nothing can be saved here: ${why}. Each step shows the lines for the file instead.`,
  restart: 'The gateway goes to the new broker within seconds, and this page goes on by itself. If this stays here, the gateway’s log says why: journalctl -u beaconkeeper. This tries it again:',
  broker: {
    lead: 'Where the gateway publishes, and where Home Assistant and boards such as ESPresense meet it.',
    now: (url, isConnected) => `The file says ${url}. The gateway is ${isConnected ? '' : 'not '}connected.`, own: 'the gateway’s own broker',
    find: 'Look for brokers', finding: 'Looking on this machine, for Home Assistant, and for brokers that announce themselves …', none: 'No broker was found. Enter its address, or install one on this machine: sudo apt install mosquitto',
    found: 'Found:', wantsLogin: 'wants a user', embedded: 'No other broker: the gateway’s own, for this machine alone',
    url: 'Address', user: 'User', password: 'Password', keeps: 'The password of the file stays if you type none.', stored: 'A password goes into a file of its own beside the configuration, which only the gateway may read.',
    try: 'Try it', trying: 'Trying …', state: { ok: 'works', warning: 'works, with a remark', fault: 'does not work' }, tryFirst: 'Once it works, you can save it.',
  },
  receivers: {
    lead: 'What hears beacons: Bluetooth adapters of this machine, and boards that publish to the broker.', here: 'Known to the gateway:', noneHere: 'The gateway knows no receiver yet.', hears: 'hears', deaf: 'hears nothing',
    find: 'Look for boards at the broker', finding: 'Listening at the broker for eight seconds …', none: 'No board was heard. ESPresense, Theengs and OpenMQTTGateway boards publish once they are set to this broker.',
    heard: (kind, n, names) => `${page.count(n, 'receiver', 'receivers')} of ${product[kind]} heard at your broker: ${page.and(names)}${n > names.length ? ', …' : '.'}`, use: 'Use them', used: 'used already',
  },
  beacon: {
    lead: 'Hold your key against a receiver: its row lights up. Give it a name.', reveal: page.strangers.reveal, none: 'Nothing is heard yet. Switch the beacon on, or look at the receivers.', sure: 'This is the nearest by far.',
    unsure: 'Hold it closer, until one is much nearer than the others.', have: (names) => `Configured so far: ${page.and(names)}.`,
  },
  rooms: {
    lead: 'Name the room in which each receiver is. That is enough to begin with; outlines and a walk make it more exact.', none: 'No receiver is known yet.', room: (receiver) => `Room of ${receiver}`, is: (room) => `is in ${room}`,
    draw: 'Draw the rooms', calibrate: 'Calibrate them by a walk', hint: 'kitchen',
  },
  home: {
    lead: 'What Home Assistant shows once it is connected to the same broker. Readings of sensors join when they are heard.', off: 'home_assistant: is off in the configuration, so that Home Assistant is told nothing.', area: (area) => `in ${area}`,
    platforms: { sensor: 'sensor', binary_sensor: 'on or off', device_tracker: 'tracker', event: 'event' }, itself: 'the device itself',
  },
  review: 'Review', changes: 'Change of the file', says: 'It can be saved. Note:', nothing: 'The file says all this already.', save: 'Save', saving: 'Saving …', saved: 'Saved.',
};
