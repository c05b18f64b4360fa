"""What is said and is not so."""
import collections, datetime, json, os, time
import jinja2
import paho.mqtt.client as mqtt
from .world import ABSENT, BEACONS, RECEIVERS, ROOMS, entry

DISCOVERY = "homeassistant/"
# A receiver that was never heard is missed after ten seconds, and then health comes every two.
PATIENCE_FOR_RECEIVERS = 13


def level(name):
    return name.replace(":", "%3A")


def rendered(template, payload):
    """What Home Assistant shows for a payload."""
    environment = jinja2.Environment(extensions=["jinja2.ext.loopcontrols"])
    try:
        value_json = json.loads(payload)
    except ValueError:
        value_json = None
    return environment.from_string(template).render(value=payload, value_json=value_json).strip()


def disagreements(world, broker, observer, gateway):
    return Judgement(world, broker.retained(), gateway).all(observer)


class Judgement:
    def __init__(self, world, kept, gateway):
        self.world, self.kept, self.gateway, self.wrong, self.shown = world, kept, gateway, [], {}
        self.ours = {topic[len(world.base):]: payload for topic, payload in kept.items() if topic.startswith(world.base)}

    def differ(self, topic, what, said, true):
        if said != true:
            self.wrong.append(f"{topic}: {what} is {said}, should be {true}")

    def is_known(self, topic):
        """Whether it can be known what the broker keeps there."""
        return not any(mqtt.topic_matches_sub(f, topic) for f in self.world.unknowable)

    def is_ours_known(self, topic):
        return self.is_known(self.world.base + topic)

    def all(self, observer):
        self.differ("status", "it", self.ours.get("status"), "online")
        self.zones()
        self.rooms()
        self.beacons()
        self.page()
        self.phones()
        self.leftovers()
        self.health()
        if self.is_known(DISCOVERY + "device/x/y/config"):
            self.home_assistant()
        inside, contradictions = observer.added_up()
        if not self.world.denied:
            self.wrong += contradictions
            self.button(observer)
            self.verdicts(observer)
            with observer.lock:
                missing = [n for n, id in self.shown.items() if n > observer.last and observer.ids.get(n) != id]
            if missing:
                self.wrong.append(f"page: it shows {missing}, which was not told")
            members = self.world.named_members()
            for where in set(members) | set(inside):
                true = members.get(where, set())
                if not self.world.is_all_clear():
                    # Then they must agree with what is retained.
                    true = {m["beacon"] for m in json.loads(self.ours.get(where + "/occupancy", '{"beacons":[]}'))["beacons"]}
                self.differ(f"transitions at {where}", "who is in", sorted(inside.get(where, ())), sorted(true))
        return self.wrong

    def zones(self):
        world = self.world
        for zone in world.zones:
            topic = f"zone/{zone}/occupancy"
            if not self.is_ours_known(topic):
                continue
            if topic not in self.ours:
                self.wrong.append(f"{topic}: missing")
                continue
            self.zone(topic, zone, json.loads(self.ours[topic]))

    def zone(self, place, zone, said):
        world, members = self.world, self.world.members[zone]
        state = "unknown" if not world.sighted(zone) else "occupied" if members else "empty"
        if any(world.is_unclear(zone, beacon) for beacon in BEACONS):
            return
        self.differ(place, "state", said["state"], state)
        self.differ(place, "count", said["count"], len(members))
        self.differ(place, "who", sorted(m["beacon"] for m in said["beacons"]), world.names(members))
        self.differ(place, "near", sorted(m["beacon"] for m in said["beacons"] if m["near"]), world.names(world.near[zone]))

    def button(self, observer):
        """Each press and each change of the door once; and the state says how the door is."""
        button, told = self.world.button, {}
        for event in observer.events():
            told.setdefault(event["packet"], []).append((event["beacon"], event["event"]))
        for packet, (name, word, _) in button.said.items():
            least = 0 if packet in button.doubtful else 1
            if not least <= told.get(packet, []).count((name, word)) <= 1:
                self.wrong.append(f"events of packet {packet}: {told.get(packet, [])}, should be {name} {word} once")
        for packet, events in told.items():
            if len(set(events)) > 1 or len(events) > 1 or packet not in button.said and packet not in button.forgotten:
                self.wrong.append(f"events of packet {packet}: {events}, there is {button.said.get(packet, 'none')}")

    def rooms(self):
        """Who is in which, and that each beacon's own message says the same."""
        world, said = self.world, {}
        for room, name in world.rooms.items():
            topic = f"room/{name}/occupancy"
            if not self.is_ours_known(topic):
                continue
            if topic not in self.ours:
                self.wrong.append(f"{topic}: missing")
                continue
            said[name] = self.room(topic, room, json.loads(self.ours[topic]))
        for beacon in BEACONS:
            topic = f"beacon/{level(world.name(beacon))}/room"
            if topic in self.ours and not world.rooms and self.is_ours_known(topic):
                self.wrong.append(f"{topic}: no rooms are configured")
            if not self.is_ours_known(topic) or entry(beacon) not in world.entries or len(said) < len(world.rooms):
                continue
            rooms = [name for name in said if world.name(beacon) in said[name]]
            if len(rooms) > 1:
                self.wrong.append(f"{world.name(beacon)} is in {rooms}")
            elif topic not in self.ours:
                if rooms:
                    self.wrong.append(f"{topic}: missing")
            else:
                self.differ(topic, "room", json.loads(self.ours[topic])["room"], rooms[0] if rooms else None)

    def room(self, place, room, occupancy):
        world, said = self.world, {m["beacon"] for m in occupancy["beacons"]}
        self.differ(place, "count", occupancy["count"], len(said))
        state = "unknown" if ROOMS[room] in world.blind else "occupied" if said else "empty"
        self.differ(place, "state", occupancy["state"], state)
        clear = said - {world.name(b) for b in world.unclear}
        self.differ(place, "who", sorted(clear), world.names(world.members_of(room)))
        return said

    def page(self):
        """The same, whatever the broker forbids."""
        world, answers = self.world, {}
        for kind in ("zones", "rooms", "beacons", "transitions"):
            status, answer = self.gateway.ask(kind) or (None, None)
            if status != 200:
                self.wrong.append(f"page: the status of {kind} is {status}, should be 200")
                return
            answers[kind] = answer[kind]
        zones = {zone["zone"]: zone for zone in answers["zones"]}
        self.differ("page", "the zones", sorted(zones), sorted(world.zones))
        for zone in set(zones) & set(world.zones):
            self.zone(f"page: {zone}", zone, zones[zone])
        rooms = {room["room"]: room for room in answers["rooms"]}
        self.differ("page", "the rooms", sorted(rooms), sorted(world.rooms.values()))
        for room, name in world.rooms.items():
            if name in rooms:
                self.room(f"page: {name}", room, rooms[name])
        beacons = {beacon["beacon"]: beacon for beacon in answers["beacons"]}
        for beacon in BEACONS:
            zones = world.zones_of(beacon)
            if any(world.is_unclear(zone, beacon) for zone in world.zones):
                continue
            said = beacons.pop(world.name(beacon), None)
            if said or zones:
                self.differ(f"page: {world.name(beacon)}", "zones", sorted(said["zones"]) if said else None, sorted(zones))
        for name in beacons:
            if entry(name) not in {world.name(e) for e in world.configured()}:
                self.wrong.append(f"page: {name}: no such beacon is configured")
        self.shown = {(t["epoch"], t["seq"]): t["id"] for t in answers["transitions"]}

    def beacons(self):
        world = self.world
        for beacon in BEACONS:
            zones = world.zones_of(beacon)
            for kind in ("state", "zone", "place"):
                topic = f"beacon/{level(world.name(beacon))}/{kind}"
                if not self.is_ours_known(topic) or entry(beacon) not in world.entries:
                    continue
                if kind == "place" and not world.places_of_zones():
                    if topic in self.ours:
                        self.wrong.append(f"{topic}: no places are configured")
                    continue
                if topic not in self.ours:
                    if zones:
                        self.wrong.append(f"{topic}: missing")
                    continue
                if kind == "state":
                    self.distance(topic, beacon)
                if kind == "state" and beacon == "bell" and world.heard_here(beacon):
                    self.differ(topic, "door", (json.loads(self.ours[topic])["readings"] or {}).get("door"), world.button.is_open)
                if any(world.is_unclear(zone, beacon) for zone in world.zones):
                    continue
                if kind == "place":
                    if self.ours[topic] not in world.places_of(beacon):
                        self.wrong.append(f"{topic}: {self.ours[topic]}, should be one of {sorted(world.places_of(beacon))}")
                elif kind == "state":
                    self.differ(topic, "zones", sorted(json.loads(self.ours[topic])["zones"]), sorted(zones))
                elif zones and self.ours[topic] not in zones:
                    self.wrong.append(f"{topic}: {self.ours[topic]}, should be one of {sorted(zones)}")
                elif not zones and beacon not in world.unclear:
                    # Who is in a room is home, without any zone.
                    self.differ(topic, "it", self.ours[topic], "home" if world.room[beacon] else "not_home")

        for exchanged in world.exchanged:
            for kind, true in (("state", []), ("room", None), ("zone", "not_home")):
                topic = f"beacon/{level(world.name(exchanged))}/{kind}"
                if topic in self.ours and self.is_ours_known(topic):
                    said = self.ours[topic] if kind == "zone" else json.loads(self.ours[topic])[{"state": "zones"}.get(kind, kind)]
                    self.differ(topic, "it", said, true)

    def distance(self, topic, beacon):
        """Whatever power the beacon states."""
        levels = [l for r, l in self.world.levels(beacon).items() if r in RECEIVERS and r not in self.world.blind and l is not None]
        said = json.loads(self.ours[topic])["distance_m"]
        if levels and said is not None and (said > 2) != (max(levels) < -65):
            self.wrong.append(f"{topic}: {said} m, and the strongest level is {max(levels)} dBm")

    def phones(self):
        """What each app can do, on the broker and on the page."""
        world = self.world
        status, answer = self.gateway.ask("phones") or (None, None)
        if status != 200:
            self.wrong.append(f"page: the status of phones is {status}, should be 200")
            return
        shown = {phone["phone"]: phone for phone in answer["phones"]}
        self.differ("page", "the phones", sorted(shown), sorted(world.phones()))
        for phone in world.phones():
            topic = f"phone/{phone}/window"
            if not self.is_ours_known(topic) or phone not in shown:
                continue
            if topic not in self.ours:
                self.wrong.append(f"{topic}: missing")
                continue
            said, app = json.loads(self.ours[topic]), world.app.get(phone)
            self.differ(topic, "state", said["state"], shown[phone]["state"])
            if app == "foreground" and said["state"] not in ("foreground", "ranging"):
                self.wrong.append(f"{topic}: {said['state']} ({said['why']}), and its app is in the foreground")
            topic = f"phone/{phone}/record"
            records = [shown[phone]["record"]]
            if topic in self.ours:
                records.append(json.loads(self.ours[topic]))
            elif self.is_ours_known(topic):
                self.wrong.append(f"{topic}: missing")
            for record in records:
                self.differ(topic, "missed", record["missed"], record["predicted"] - record["seen"] + record["unpredicted"])
                if record["nears"] < record["seen"] + record["missed"] or record["seen"] < record["late"]:
                    self.wrong.append(f"{topic}: its counts do not add up")

    def verdicts(self, observer):
        """Each near has one verdict at most, of its own beacon and zone."""
        nears = observer.nears()
        with observer.lock:
            verdicts = {key: list(them) for key, them in observer.verdicts.items()}
        for (near, phone), them in verdicts.items():
            if len({json.dumps(v, sort_keys=True) for v in them}) > 1:
                self.wrong.append(f"phone {phone}: {len(them)} verdicts on near {near}")
            if near not in nears:
                self.wrong.append(f"phone {phone}: a verdict on {near}, which is no near that was told")
            elif nears[near]["beacon"] != them[0]["beacon"] or nears[near]["zone"] != them[0]["zone"]:
                self.wrong.append(f"phone {phone}: a verdict on {near} of another beacon or zone")

    def leftovers(self):
        names = {self.world.name(e) for e in self.world.configured()}
        databases = {name for name in os.listdir(self.gateway.state) if name.endswith(".sqlite")}
        self.differ("the state directory", "what is in it", databases, {self.world.gateway + ".sqlite"})
        for topic in self.kept:
            if topic.startswith(tuple(self.world.former)):
                self.wrong.append(f"{topic}: the gateway is {self.world.base} now")
        for topic in self.ours:
            levels = topic.split("/")
            if not self.is_ours_known(topic):
                continue
            if levels[0] == "zone" and levels[1] not in self.world.zones:
                self.wrong.append(f"{topic}: no such zone is configured")
            if levels[0] == "room" and levels[1] not in self.world.rooms.values():
                self.wrong.append(f"{topic}: no such room is configured")
            if levels[0] == "phone" and levels[1] not in self.world.phones():
                self.wrong.append(f"{topic}: no such phone is configured")
            if levels[0] == "beacon" and entry(levels[1].replace("%3A", ":")) not in names:
                self.wrong.append(f"{topic}: no such beacon is configured")

    def health(self):
        if not self.is_ours_known("health"):
            return
        if "health" not in self.ours:
            self.wrong.append("health: missing")
            return
        said, world = json.loads(self.ours["health"]), self.world
        age = world.now() - datetime.datetime.fromisoformat(said["time"].replace("Z", "+00:00")).timestamp()
        if age > 8:
            self.wrong.append(f"health: {age:.0f} s old")
        true = {r: "gone" if r in world.blind else "ok" for r in RECEIVERS}
        if ABSENT in world.receivers() and time.time() - self.gateway.started > PATIENCE_FOR_RECEIVERS:
            true[ABSENT] = "missing"
        receivers = {r["name"]: r["state"] for r in said["receivers"]}
        # One that the configuration does not name, and that this run has not heard, nobody need know.
        true = {r: s for r, s in true.items() if s != "gone" or r in receivers or r in world.required()}
        if ABSENT in world.receivers() and ABSENT not in true:
            receivers.pop(ABSENT, None)  # Not yet, or just now.
        else:
            blind = [r for r in true if true[r] != "ok"]
            state = "blind" if len(blind) == len(true) else "partial" if blind else "ok"
            # One that is not configured, or not any more, does not make it partial.
            if state != "partial" or said["state"] != "ok" or set(blind) & world.required():
                self.differ("health", "state", said["state"], state)
        self.differ("health", "the state of its receivers", receivers, true)
        outbox = said["outbox"]
        if not world.disk:
            self.differ("health", "durable", outbox["durable"], True)
        self.differ("health", "lost", outbox["lost"], 0)
        for topic in outbox.get("refused", []):
            if not any(mqtt.topic_matches_sub(f, topic) for f in world.denied):
                self.wrong.append(f"health: refused is {topic}, which the broker takes")
        if not world.denied:
            self.differ("health", "parked", outbox["parked"], 0)
            self.differ("health", "queued", said["queued"], 0)
        self.differ("health", "readings_refused", {k: v for k, v in said["readings_refused"].items() if v}, {})
        self.differ("health", "members_refused", said["members_refused"], 0)

    # What Home Assistant makes of it.

    def home_assistant(self):
        world = self.world
        # Of each device the keys of its components, and what it is called; the gateways; the entities.
        said, called, nodes, entities = {}, {}, set(), collections.Counter()
        for topic, payload in self.kept.items():
            if not topic.startswith(DISCOVERY) or topic == DISCOVERY + "status":
                continue
            _, platform, node, subject, _ = topic.split("/")
            nodes.add(node)
            subject, _, key = subject.partition("__")
            message = json.loads(payload)
            if "migrate_discovery" in message:
                self.wrong.append(f"{topic}: still on its way to another form")
                continue
            if world.announces and (platform == "device") != (world.form == "device"):
                self.wrong.append(f"{topic}: of another form")
            components = message["components"] if platform == "device" else {key: message | {"platform": platform}}
            # With no more than its platform it is being taken back.
            components = {k: c for k, c in components.items() if len(c) > 1}
            called[subject] = message["device"]["name"]
            entities.update(c[key] for c in components.values() for key in ("unique_id", "default_entity_id") if key in c)
            said.setdefault(subject, set()).update(components)
            for component in components.values():
                self.entity(component)
        self.devices(said)
        if len(nodes) > 1:
            self.wrong.append(f"Home Assistant: one gateway announces as {sorted(nodes)}")
        for name in (name for name, count in entities.items() if count > 1):
            self.wrong.append(f"Home Assistant: two entities are {name}")
        for name in list(BEACONS):
            subject, name = "beacon_" + identifier(world.name(name)), world.display.get(name, world.name(name))
            if called.get(subject, name) != name:
                self.wrong.append(f"Home Assistant: {subject} is called {called[subject]}, should be {name}")

    def devices(self, said):
        world = self.world
        standing = {"gateway"} | {"zone_" + identifier(z) for z in world.zones}
        standing |= {"room_" + identifier(name) for name in world.rooms.values()}
        standing |= {"beacon_" + identifier(world.name(e)) for e in world.configured() if e != "fleet"}
        region = "beacon_" + identifier(world.name("fleet") + ":")
        members = {s for s in said if "fleet" in world.entries and s.startswith(region)}
        standing |= {"phone_" + phone for phone in world.phones()}
        # Without a device's message there are only its entities, and what is nowhere asked for may have none.
        bare = {"beacon_" + identifier(world.name(e)) for e in world.configured() if world.is_bare(e)}
        if not world.announces:
            standing, members = set(), set()
        for subject in sorted(standing - set(said) - bare):
            self.wrong.append(f"Home Assistant: {subject} is not announced")
        for subject in sorted(set(said) - standing - members):
            self.wrong.append(f"Home Assistant: {subject} is announced, and not configured")
        if len(members) > world.device_limit:
            self.wrong.append(f"Home Assistant: {len(members)} members of regions, {world.device_limit} are allowed")
        for subject in sorted(set(said) & (standing | members)):
            if subject.startswith("beacon_"):
                self.differ(f"Home Assistant: {subject}", "that it has a room", "room" in said[subject], bool(world.rooms))
                self.differ(f"Home Assistant: {subject}", "that it has a signal", "rssi" in said[subject], world.entities == "all")
                self.differ(f"Home Assistant: {subject}", "that it has a distance", "distance" in said[subject],
                            world.entities != "minimal")

    def entity(self, component):
        world, topic = self.world, component.get("state_topic") or ""
        if topic.startswith(tuple(world.former)) and world.former:
            self.wrong.append(f"Home Assistant: an entity is of {topic}, and the gateway is {world.base} now")
        if not topic.startswith(world.base) or topic not in self.kept or not self.is_known(topic):
            return
        shown = rendered(component.get("value_template", "{{ value }}"), self.kept[topic])
        levels = topic[len(world.base):].split("/")
        if component["platform"] == "device_tracker":
            beacons = [b for b in BEACONS if level(world.name(b)) == levels[1] and entry(b) in world.entries]
            for beacon in beacons:
                if beacon in world.unclear or any(world.is_unclear(zone, beacon) for zone in world.zones):
                    continue
                true = {"home" if world.zones_of(beacon) or world.room[beacon] else "not_home"}
                if world.places_of_zones():
                    true = world.places_of(beacon)
                if shown not in true:
                    self.wrong.append(f"tracker of {world.name(beacon)} shows {shown}, should be {' or '.join(sorted(true))}")
        elif component["platform"] == "sensor" and levels[0] == "beacon" and levels[2:] == ["room"]:
            said = json.loads(self.kept[topic])
            if "last_room" in component["value_template"]:
                self.differ(f"last room of {levels[1]} in Home Assistant", "it", shown, said["room"] or said.get("last_room") or "None")
            else:
                self.differ(f"room of {levels[1]} in Home Assistant", "it", shown, said["room"] or "not_home")
        elif component.get("device_class") == "occupancy" and levels[0] == "room":
            said = {"unknown": "None", "empty": "OFF", "occupied": "ON"}[json.loads(self.kept[topic])["state"]]
            words = {str(component.get("payload_on", "ON")): "ON", str(component.get("payload_off", "OFF")): "OFF"}
            shown = words.get(shown, shown)
            self.differ(f"occupancy of {levels[1]}", "it", shown, said)
        elif component.get("device_class") == "occupancy" and levels[0] == "zone" and levels[1] in world.zones:
            if any(world.is_unclear(levels[1], beacon) for beacon in BEACONS):
                return
            if not world.sighted(levels[1]):
                self.differ(f"occupancy of {levels[1]}", "it", shown, "None")
                return
            is_on = shown == str(component.get("payload_on", "ON"))
            if is_on != bool(world.members[levels[1]]):
                self.wrong.append(f"occupancy of {levels[1]} shows {shown}, members are {sorted(world.members[levels[1]])}")


def identifier(name):
    """As in discovery topics."""
    return "".join(c if c.isalnum() or c == "-" else f"_{ord(c):02X}" for c in name)
