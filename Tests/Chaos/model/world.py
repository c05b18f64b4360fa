"""What is true, and what is configured."""
import time

HERE = ("hci0", "hci1")
# They come over MQTT.
ELSEWHERE = ("esp-kitchen", "bath/hci0")
RECEIVERS = HERE + ELSEWHERE
# Of each room the receiver in it.
ROOMS = {"hallway": "hci0", "kitchen": "esp-kitchen", "bath": "bath/hci0"}
# Configured where a zone names it, and never heard of.
ABSENT = "hci9"
UUID = "F29DC74A-DBBD-12DE-318A-C8B046DD4425"

# Where a beacon can be: the room, and the level in dBm at which each receiver hears it. None: it is not heard.
PLACES = {
    name: {"room": room} | dict(zip(RECEIVERS, levels)) for name, room, levels in [
        ("silent", None, (None, None, None, None)), ("far", "kitchen", (-96, -96, -82, -98)),
        ("hall", "hallway", (-52, -96, -84, -84)), ("desk", "hallway", (-35, -96, -84, -84)),
        ("yard", "bath", (-96, -52, -98, -82)), ("door", "hallway", (-52, -52, -84, -84)),
        ("stove", "kitchen", (-84, -96, -52, -84)), ("tub", "bath", (-84, -96, -84, -52)),
    ]
}


def ibeacon(major, minor, power=-59):
    return f"0201061aff4c000215{UUID.replace('-', '').lower()}{major:04x}{minor:04x}{power & 255:02x}"


# How each beacon is heard: its address and payload. These names are ours; what the configuration calls them may change.
BEACONS = {
    "key": ("C1:00:00:00:00:01", "020106"),
    "tag": ("C1:00:00:00:00:05", "0201061bff99040510a44a38c87d000400040400ac36420000c10000000005"),
    "fleet:1.1": ("C2:00:00:00:00:01", ibeacon(1, 1)),
    "fleet:1.2": ("C2:00:00:00:00:02", ibeacon(1, 2)),
    # On a door: what it says is in `Button`.
    "bell": ("C1:00:00:00:00:07", None),
}
ENTRIES = ("bell", "fleet", "key", "tag")
# What the members of the region state that they send at 1 m. Above -20 no radio does.
POWERS = (-59, -3, 1, 20)
# Of this one there may be a twin: another device with its id, which only the gateway's own radios hear.
TWIN = "fleet:1.1"
TWIN_ADDRESS = "C2:00:00:00:00:11"
# What topics begin with.
ROOTS = ("beaconkeeper", "site/ble")


def entry(beacon):
    """The configured entry that a beacon belongs to."""
    return beacon.split(":")[0]


class Button:
    """A BTHome button with a contact, and what of it must be told: each press and each change of the door, by its packet."""

    def __init__(self):
        self.packet, self.is_open = 0, False
        # By packet: the beacon's name, the word, when; and whether it may be missing.
        self.said, self.doubtful = {}, set()
        # Told to a broker that forgot: nobody knows of whom.
        self.forgotten = set()

    def payload(self, button=0):
        """Flags; service data of 0xFCD2: device information, packet, door, button."""
        return f"0201060a16d2fc4400{self.packet:02x}1a{self.is_open:02x}3a{button:02x}"

    def note(self, name, word):
        self.said[self.packet] = (name, word, time.time())
        self.doubtful.discard(self.packet)
        self.forgotten.discard(self.packet)

    def next(self):
        self.packet = (self.packet + 1) % 256
        self.said.pop(self.packet, None)

    def doubt(self):
        """The gateway ends: what was said just now it may not have read."""
        self.doubtful |= {packet for packet, (_, _, at) in self.said.items() if at > time.time() - 3}

    def forget(self):
        self.forgotten |= set(self.said)
        self.said.clear()


# Of each phone the beacon that it carries, and what its app is.
PHONES = {"anna": ("tag", "ios17", "background-task"), "ben": ("fleet:1.2", "android14", "altbeacon-job")}
# Configured instead of an address when a tag has been exchanged for one that nobody has heard yet.
UNHEARD = "C1:00:00:00:00:99"


class World:
    def __init__(self, protocol):
        self.protocol, self.button = protocol, Button()
        # How far the gateway's calendar is ahead, and the latest time that it may have seen; what is wrong with its disk.
        self.ahead, self.latest, self.disk = 0, 0.0, None
        # By what it is known at the broker, and the bases by which it was.
        self.gateway, self.root, self.former = "world", ROOTS[0], set()
        # Where the twin is, None: there is none; and whether the gateway knows that there are two.
        self.twin, self.is_twin_known = None, False
        self.powers = {beacon: POWERS[0] for beacon in BEACONS if beacon.startswith("fleet")}
        # What people call a member.
        self.display = {}
        # Of each zone that is one the zone in Home Assistant; without any, each zone and room is home.
        self.places = {}
        # What each app reported last to this run of the gateway.
        self.app, self.definitions = {}, {}
        # Configured with an identity that is not heard.
        self.exchanged = set()
        self.place = {beacon: "silent" for beacon in BEACONS}
        self.blind = set()
        self.entries = set(ENTRIES)
        self.called = {name: name for name in ENTRIES}
        self.zones = {
            "hall": {"receivers": ["hci0"], "beacons": None, "enter": -66, "exit": -76, "near": -44},
            "yard": {"receivers": ["hci1"], "beacons": None, "enter": -66, "exit": -76, "near": None},
            "site": {"receivers": None, "beacons": None, "enter": -66, "exit": -76, "near": None},
            "vans": {"receivers": ["hci0"], "beacons": ["fleet"], "enter": -66, "exit": -76, "near": None},
            "wet": {"rooms": ["kitchen", "bath"], "beacons": None},
            # In metres; there are no levels between -65 and -79 dBm, which would be 2 and 10 m.
            "close": {"metres": (2, 10), "receivers": None, "beacons": None, "enter": -65, "exit": -79, "near": None},
        }
        # What the configured ones are called, and who is in which. Where nobody can know it, the beacon is in `unclear`.
        self.rooms = {room: room for room in ROOMS}
        self.room = {beacon: None for beacon in BEACONS}
        self.unclear = set()
        # Since when each beacon is heard without a pause: before it is known how often it is heard, a silence takes long.
        self.since = {beacon: time.time() for beacon in BEACONS}
        self.members = {zone: set() for zone in self.zones}
        self.near = {zone: set() for zone in self.zones}
        # The receivers that heard each beacon since the gateway knows it.
        self.heard = {beacon: set() for beacon in BEACONS}
        # Receivers that are blind since before the gateway was started: through a restart it may forget whom they heard.
        self.forgetful = set()
        self.announces, self.entities, self.form, self.device_limit = True, "normal", "device", 200
        # Filters of topics: what the broker forbids, and of which nobody can know what it keeps.
        self.denied, self.unknowable = set(), set()
        self.settle()

    @property
    def base(self):
        return f"{self.root}/{self.gateway}/"

    def move_base(self, gateway, root):
        self.former.add(self.base)
        self.gateway, self.root = gateway, root
        self.former.discard(self.base)

    def payload(self, beacon):
        return ibeacon(*map(int, beacon[6:].split(".")), self.powers[beacon]) if beacon in self.powers else BEACONS[beacon][1]

    def levels(self, beacon):
        """The level at which each receiver hears it. Of twins the first one counts, and the other while that is silent."""
        if beacon == TWIN and self.is_twin_alone():
            return PLACES[self.twin] | dict.fromkeys(ELSEWHERE)
        return PLACES[self.place[beacon]]

    def is_twin_alone(self):
        return self.twin is not None and self.place[TWIN] == "silent"

    def forget_twins(self):
        """Who then is heard first is the first one: not the twin."""
        self.is_twin_known = False
        if self.is_twin_alone() or set(HERE) <= self.blind or entry(TWIN) not in self.entries:
            self.twin = None

    def configured(self):
        return self.entries | self.exchanged

    def phones(self):
        """Those whose beacon a zone can see near."""
        return [phone for phone, (beacon, _, _) in PHONES.items() if any(
            zone.get("near") and (zone["beacons"] is None or entry(beacon) in zone["beacons"]) for zone in self.zones.values())
            and entry(beacon) in self.configured()]

    def definition(self, phone):
        """What a phone is to the gateway: its beacon, and the near of each zone that watches it."""
        beacon = PHONES[phone][0]
        return self.name(beacon), [(name, str(zone["near"])) for name, zone in self.zones.items() if zone.get("near") and (
            zone["beacons"] is None or entry(beacon) in zone["beacons"])]

    def forget_apps(self, definitions):
        """A phone with another definition begins anew: nobody told what its app does."""
        for phone, definition in definitions.items():
            if self.definitions.get(phone) != definition:
                self.app.pop(phone, None)
        self.definitions = definitions

    def yaml(self, port, page):
        lines = [f"gateway: {{ name: {self.gateway}, state_directory: state }}",
                 f"broker: {{ url: 'mqtt://127.0.0.1:{port}', username: gateway, password_file: password,"
                 f" protocol: {self.protocol}, base_topic: {self.root} }}",
                 f"http: {{ listen: '127.0.0.1:{page}', write_password_file: password }}",
                 "receivers: [" + ", ".join(f"{{ name: {r} }}" for r in self.receivers() if r not in ELSEWHERE) + "]"]
        if self.announces:
            places = ", ".join(f"{zone}: {place}" for zone, place in self.places_of_zones().items())
            lines.append(f"home_assistant: {{ entities: {self.entities}, form: {self.form}, members: {self.device_limit}"
                         + (f", zones: {{ {places} }}" if places else "") + " }")
        else:
            lines.append("home_assistant: off")
        if self.configured():
            lines.append("beacons:")
        for name in sorted(self.configured()):
            address = UNHEARD if name in self.exchanged else BEACONS.get(name, (None,))[0]
            how = f"address: '{address}'" if address else f"ibeacon: {{ uuid: {UUID} }}"
            if name == "fleet" and self.display:
                how += ", names: { " + ", ".join(f"'{b[6:]}': {called}" for b, called in self.display.items()) + " }"
            lines.append(f"  - {{ name: {self.called[name]}, {how} }}")
        lines.append("scanners: [{ kind: espresense, prefix: esp- }, { kind: beaconkeeper }]")
        if self.rooms:
            lines.append("rooms:")
        for room, name in self.rooms.items():
            lines.append(f"  - {{ name: {name}, receivers: [{ROOMS[room]}] }}")
        lines.append("zones:")
        for name, zone in self.zones.items():
            parts = [f"name: {name}"]
            if zone["beacons"]:
                parts.append(f"beacons: [{', '.join(self.called[b] for b in zone['beacons'])}]")
            if "rooms" in zone:
                parts.append(f"rooms: [{', '.join(self.rooms[r] for r in zone['rooms'])}], exit: {{ dwell: 0.3 s }}")
                lines.append(f"  - {{ {', '.join(parts)} }}")
                continue
            if zone["receivers"]:
                parts.append(f"receivers: [{', '.join(zone['receivers'])}]")
            if zone["near"]:
                parts.append(f"near: {{ signal: {zone['near']} dBm, dwell: 0.2 s, rearm: {zone['near'] - 4} dBm }}")
            enter, exit = (f"distance: {m} m" for m in zone["metres"]) if "metres" in zone else (
                f"signal: {zone[edge]} dBm" for edge in ("enter", "exit"))
            parts.append(f"enter: {{ {enter}, dwell: 0.2 s }}")
            parts.append(f"exit: {{ {exit}, dwell: 0.3 s, lost: 1.5 s }}")
            lines.append(f"  - {{ {', '.join(parts)} }}")
        phones = self.phones()
        self.forget_apps({phone: self.definition(phone) for phone in phones})
        if phones:
            lines.append("phones:")
        for phone in phones:
            beacon, system, strategy = PHONES[phone]
            lines.append(f"  - {{ name: {phone}, beacon: '{self.name(beacon)}', os: {system}, strategy: {strategy} }}")
        lines.append("telemetry: { beacon_state: 1 s, health: 2 s }")
        return "\n".join(lines) + "\n"

    def receivers(self):
        """The configured ones."""
        return RECEIVERS + ((ABSENT,) if any(ABSENT in (z.get("receivers") or ()) for z in self.zones.values()) else ())

    def required(self):
        """Receivers that the configuration names."""
        named = set(HERE) | {ROOMS[room] for room in self.rooms}
        return named.union(*(zone.get("receivers") or () for zone in self.zones.values()))

    def sighted(self, zone):
        """The receivers of a zone that see, or its rooms."""
        if "rooms" in self.zones[zone]:
            return [r for r in self.zones[zone]["rooms"] if ROOMS[r] not in self.blind]
        return [r for r in self.zones[zone]["receivers"] or RECEIVERS if r != ABSENT and r not in self.blind]

    def watches(self, zone, beacon):
        named = self.zones[zone]["beacons"]
        return entry(beacon) in self.entries and (named is None or entry(beacon) in named)

    def now(self):
        """By the gateway's calendar."""
        return time.time() + self.ahead

    def is_bare(self, beacon):
        """Whether Home Assistant may have no entity of a beacon at all."""
        return (self.form == "component" and self.entities == "minimal" and not self.rooms
                and not any(self.watches(zone, beacon) for zone in self.zones))

    def step_clock(self, ahead):
        self.latest = max(self.latest, self.now())
        self.ahead = ahead

    def is_later_than_ever(self):
        """Epochs are made of the time: one that begins from nothing is then later than all others."""
        return self.now() > self.latest + 5

    def restarted(self):
        self.forgetful = set(self.blind)
        self.forget_twins()
        # What apps said is not kept.
        self.app = {}

    def settle(self):
        """Who is where once the world stands still."""
        self.forgetful &= self.blind
        for beacon in BEACONS:
            levels = self.levels(beacon)
            if entry(beacon) in self.entries:
                self.heard[beacon] |= {r for r in RECEIVERS if r not in self.blind and levels[r] is not None}
            else:
                self.heard[beacon] = set()
            self.settle_room(beacon, levels)
            for name in self.zones:
                self.settle_in(name, beacon, levels)

    def settle_room(self, beacon, levels):
        self.unclear.discard(beacon)
        sighted = [ROOMS[r] for r in self.rooms if ROOMS[r] not in self.blind]
        self.room[beacon] = levels["room"] if levels["room"] in self.rooms else None
        if not self.rooms or entry(beacon) not in self.entries:
            self.room[beacon] = None
        elif beacon == TWIN and self.is_twin_alone():
            self.unclear.add(beacon)
        elif levels["room"] is None:
            # Who heard it last may be blind, and then it stays.
            if len(sighted) < len(self.rooms):
                self.unclear.add(beacon)
        elif levels["room"] not in self.rooms:
            self.unclear.add(beacon)
        else:
            # A blind room keeps who is in it, or others take it for theirs. Two receivers tell a room of theirs, but not soon
            # where they hear the beacon 30 dB weaker than before.
            own = ROOMS[levels["room"]]
            if own in self.blind or len(sighted) < (3 if levels[own] < -70 else 2):
                self.unclear.add(beacon)

    def is_unclear(self, zone, beacon):
        """Whether nobody can know if it is in a zone of rooms: its room is open, or the zone keeps who was in it."""
        return "rooms" in self.zones[zone] and self.watches(zone, beacon) and (
            beacon in self.unclear or not self.sighted(zone))

    def settle_in(self, name, beacon, levels):
        zone, sighted = self.zones[name], self.sighted(name)
        if not self.watches(name, beacon):
            self.leave(name, beacon)
        elif "rooms" in zone:
            if self.room[beacon] in zone["rooms"] and not self.is_unclear(name, beacon):
                self.members[name].add(beacon)
            else:
                self.members[name].discard(beacon)
        elif not sighted:
            # A blind zone keeps who is in it, and who is near; but not whom none of its receivers ever heard.
            if not self.heard[beacon] & set(zone["receivers"] or RECEIVERS):
                self.leave(name, beacon)
        else:
            best = max((levels[r] for r in sighted if levels[r] is not None), default=-200)
            if best >= zone["enter"]:
                self.members[name].add(beacon)
            elif best < zone["exit"]:
                self.members[name].discard(beacon)
            if zone["near"] and best >= zone["near"]:
                self.near[name].add(beacon)
            else:
                self.near[name].discard(beacon)

    def leave(self, zone, beacon):
        self.members[zone].discard(beacon)
        self.near[zone].discard(beacon)

    def forget(self, zone):
        """Nobody is in it, as far as the gateway knows."""
        self.members[zone], self.near[zone] = set(), set()

    def leave_rooms(self, beacons):
        """What the gateway learnt of them there is gone."""
        for beacon in beacons:
            self.room[beacon] = None
            self.since[beacon] = time.time()

    def is_all_clear(self):
        return not self.unclear and all(self.sighted(z) for z in self.zones if "rooms" in self.zones[z])

    def move(self, beacon, place):
        if self.place[beacon] == "silent":
            self.since[beacon] = time.time()
        self.place[beacon] = place

    def heard_here(self, beacon):
        """Whether the gateway's own radios hear it."""
        return any(self.levels(beacon)[r] is not None and r not in self.blind for r in HERE)

    def places_of_zones(self):
        return {zone: place for zone, place in self.places.items() if zone in self.zones} if self.announces else {}

    def places_of(self, beacon):
        """What may be said of where it is: the names of the places of its zones."""
        places = {place for zone, place in self.places_of_zones().items() if beacon in self.members[zone]}
        return {"home" if p == "zone.home" else p.removeprefix("zone.").capitalize() for p in places} or {"not_home"}

    def zones_of(self, beacon):
        return {zone for zone in self.zones if beacon in self.members[zone]}

    def name(self, beacon):
        """As it is configured."""
        parts = beacon.split(":")
        return ":".join([self.called[parts[0]]] + parts[1:])

    def names(self, members):
        return sorted(self.name(beacon) for beacon in members)

    def members_of(self, room):
        return {beacon for beacon in BEACONS if self.room[beacon] == room and beacon not in self.unclear}

    def named_members(self):
        members = {f"zone/{zone}": set(self.names(members)) for zone, members in self.members.items()}
        return members | {f"room/{name}": set(self.names(self.members_of(room))) for room, name in self.rooms.items()}

    def deny(self, filters):
        self.denied = set(filters)
        self.unknowable = set(filters)

    def said_again(self):
        """Everything that is retained was told to the broker once more."""
        self.unknowable = set(self.denied)
