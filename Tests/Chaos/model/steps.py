"""The steps. Each changes the world, the gateway or the broker and returns words for the log."""
import shutil, signal, time
from .broker import until
from .judge import level
from .world import ABSENT, BEACONS, ENTRIES, HERE, PLACES, POWERS, RECEIVERS, ROOMS, ROOTS, TWIN, entry


class Steps:
    def __init__(self, chance, world, broker, observer, gateway, scanners):
        self.chance, self.world, self.broker, self.observer, self.gateway = chance, world, broker, observer, gateway
        self.scanners = scanners
        self.kept_members = None
        self.denied_since = self.broker_since = 0.0
        # How often each comes; those of `alone` want a world that stands still.
        self.kinds = {
            "walk": (self.walk, 16), "leave": (self.leave, 6), "restart": (self.restart, 4), "kill": (self.kill, 4),
            "reload": (self.reload, 10), "broker": (self.broker_restart, 4), "forget": (self.broker_forgets, 2),
            "crash": (self.broker_crash, 1), "acl": (self.access, 4), "blind": (self.sight, 4), "twice": (self.twice, 2),
            "early": (self.early, 2), "quick": (self.quick, 2), "back": (self.back, 2), "pause": (self.pause, 1),
            "empty": (self.empty, 1), "rollback": (self.rollback, 2),
            "press": (self.press, 4), "door": (self.door, 4), "save": (self.save, 4),
            "name": (self.rename_gateway, 2), "base": (self.move_base, 2), "twin": (self.twin, 4), "power": (self.power, 2),
            "app": (self.app, 4), "clock": (self.clock, 3), "disk": (self.disk, 3),
        }
        self.alone = {self.sight, self.broker_forgets, self.broker_crash, self.empty, self.rollback, self.disk,
                      self.rename_gateway, self.move_base}
        # What may happen while nothing can be kept. Who ended then would lose something, and a save by the page waits for the disk.
        self.without_disk = {self.walk, self.leave, self.press, self.door, self.reload, self.access, self.sight,
                             self.broker_restart, self.clock, self.disk}

    def next(self, bag, burst):
        bag = [step for step in bag if burst == 1 or step not in self.alone]
        if self.world.disk:
            # Not for long.
            bag = [step for step in bag if step in self.without_disk] + [self.disk] * 10
        self.gateway.wait_for_twins(60)
        return self.chance.choice(bag)()

    # Beacons.

    def walk(self, to=None):
        beacon = self.chance.choice(list(BEACONS))
        places = list(PLACES)
        # A beacon leaves its room 30 s after its last word until it is known how often it is heard: not every time.
        if time.time() - self.world.since[beacon] < 12 and self.chance.random() < 0.95:
            places.remove("silent")
        self.world.move(beacon, to if to in places else self.chance.choice(places))
        return f"{beacon} goes to {self.world.place[beacon]}"

    def leave(self):
        return self.walk(to="silent")

    def is_heard(self, beacon):
        return entry(beacon) in self.world.entries and self.world.heard_here(beacon)

    def press(self):
        if not self.is_heard("bell"):
            return self.walk()
        button, words = self.world.button, self.chance.choices(["press", "double_press", "long_press"], k=self.chance.randint(1, 4))
        for word in words:
            with self.gateway.air:
                button.next()
                button.note(self.world.name("bell"), word)
                self.gateway.hear_button({"press": 1, "double_press": 2, "long_press": 4}[word])
                button.next()
        return f"the bell: {', '.join(words)}"

    def door(self):
        """Each change, however soon after the one before."""
        if not self.is_heard("bell"):
            return self.walk()
        button, times = self.world.button, self.chance.randint(1, 3)
        for _ in range(times):
            with self.gateway.air:
                button.next()
                button.is_open = not button.is_open
                button.note(self.world.name("bell"), "open" if button.is_open else "closed")
                self.gateway.hear_button()
                if time.time() - self.world.since["bell"] < 2:
                    # The first that is heard of a door is no event.
                    button.doubtful.add(button.packet)
        return f"the bell's door changes {times} times, and is {'open' if button.is_open else 'shut'}"

    def twin(self):
        """A second device with the id of the first, which counts while the first is silent."""
        world = self.world
        if world.twin and self.chance.random() < 0.5:
            world.twin = None
            return f"the twin of {TWIN} is gone"
        if not world.twin and (not self.is_heard(TWIN) or world.blind):
            return self.walk()
        world.twin = self.chance.choice([place for place in PLACES if place != "silent"])
        return f"the twin of {TWIN} goes to {world.twin}"

    def power(self):
        beacon = self.chance.choice(list(self.world.powers))
        self.world.powers[beacon] = self.chance.choice(POWERS)
        return f"{beacon} states that it sends {self.world.powers[beacon]} dBm at 1 m"

    def app(self):
        """A phone's app says what it does."""
        phones = self.world.phones()
        # Nobody keeps a report for a gateway that has not come back yet.
        if not phones or time.time() - max(self.broker_since, self.gateway.started) < 5:
            return self.walk()
        if self.chance.random() < 0.3:
            phone = self.chance.choice(phones)
            self.observer.client.publish(f"{self.world.base}phone/{phone}/app/seen", '{"event":"near"}', qos=1)
            return f"{phone}'s app reports that it noticed its beacon"
        phone, word = self.chance.choice(phones), self.chance.choice(["foreground", "foreground", "background", "terminated force-quit"])
        self.observer.client.publish(f"{self.world.base}phone/{phone}/app/set", word, qos=1)
        self.world.app[phone] = word
        return f"{phone}'s app reports: {word}"

    def sight(self):
        """Of the receivers in rooms one at a time, so that the others can tell the room."""
        hanging = set(ROOMS.values())
        receiver = self.chance.choice([r for r in RECEIVERS if r not in hanging or not self.world.blind & hanging - {r}])
        self.world.blind ^= {receiver}
        if set(HERE) <= self.world.blind:
            self.world.twin = None
        if receiver in HERE:
            self.gateway.tell_health(receiver)
        else:
            self.scanners.tell_health(receiver)
        return f"{receiver} {'goes blind' if receiver in self.world.blind else 'sees again'}"

    # The gateway.

    def restart(self):
        self.gateway.stop(signal.SIGTERM)
        words = self.elsewhere()
        self.gateway.start()
        return f"the gateway stops, {words}and starts"

    def kill(self):
        self.gateway.stop(signal.SIGKILL)
        words = self.elsewhere()
        self.gateway.start()
        return f"the gateway is killed, {words}and starts"

    def elsewhere(self):
        """What may happen while nobody looks."""
        words = self.walk() + ", " if self.chance.random() < 0.5 else ""
        if self.chance.random() < 0.3:
            words += self.edit() + ", "
            self.gateway.configure()
        return words

    def early(self):
        self.gateway.stop(signal.SIGTERM)
        told = self.gateway.told()
        self.gateway.start(until_ready=False)
        self.gateway.wait_until_it_hears_signals()
        words = self.edit()
        self.gateway.configure()
        self.gateway.process.send_signal(signal.SIGHUP)
        self.gateway.wait_for("watch: ", told)
        return f"the gateway stops and starts, and at once it is to reload: {words}"

    def quick(self):
        how = self.chance.choice([signal.SIGTERM, signal.SIGKILL])
        self.gateway.stop(signal.SIGTERM)
        self.gateway.start(until_ready=False)
        pause = self.chance.choice([0, 0.05, 0.2, 0.6])
        time.sleep(pause)
        self.gateway.stop(how)
        self.gateway.start()
        return f"the gateway stops, starts, after {pause} s {'stops' if how == signal.SIGTERM else 'is killed'}, and starts"

    def clock(self):
        """What has to be told later is due as before."""
        day = 86_400
        ahead = self.chance.choice([0, 0, 5, -5, 3600, -3600, day, -day, 3 * 365 * day, -2 * 365 * day])
        self.gateway.set_clock(ahead)
        # What was decided before is told; what comes now may have an earlier time.
        self.observer.since = ""
        return f"the gateway's calendar is {ahead} s ahead"

    def disk(self):
        if self.world.disk:
            words = f"the disk is {self.world.disk} no more"
            self.gateway.mend_disk()
            return words
        if self.chance.random() < 0.3:
            self.gateway.stop(signal.SIGTERM)
            self.gateway.spoil_disk("full")
            self.gateway.start()
            return "the gateway stops, and starts with a full disk"
        self.gateway.spoil_disk(self.chance.choice(["full", "hanging"]))
        return f"the disk is {self.world.disk}"

    def pause(self):
        words, seconds = self.walk(), self.chance.choice([3, 8, 20])
        self.gateway.pause(seconds)
        return f"{words}, and the gateway stands still for {seconds} s"

    def empty(self):
        """Nobody says who was where; from then on the transitions begin with nobody."""
        if not self.world.is_later_than_ever():
            return self.walk()
        self.world.leave_rooms(BEACONS)
        self.gateway.stop(signal.SIGTERM)
        shutil.rmtree(self.gateway.state)
        self.broker.is_haunted = True
        self.observer.forget({}, gateway_forgets=True)
        for zone in self.world.zones:
            self.world.forget(zone)
        self.world.heard = {beacon: set() for beacon in BEACONS}
        self.gateway.start()
        return "the gateway's state is emptied"

    def rename_gateway(self):
        """Under another name it is somebody else, who knows nobody, and clears what it left."""
        world, old = self.world, self.world.base
        if world.denied or not world.is_all_clear() or not world.is_later_than_ever():
            return self.walk()
        self.gateway.stop(signal.SIGTERM)
        self.differs(self.broker.retained().get(old + "status"), "offline", old + "status")
        self.rebase("world" + str(int(world.gateway[5:] or 1) + 1), self.chance.choice(ROOTS))
        self.broker.is_haunted = True
        world.leave_rooms(BEACONS)
        self.observer.forget({}, gateway_forgets=True)
        for zone in world.zones:
            world.forget(zone)
        world.heard = {beacon: set() for beacon in BEACONS}
        if self.kept_members is not None:
            shutil.rmtree(self.gateway.state + ".kept")
            self.kept_members = None
        self.gateway.configure()
        self.gateway.start()
        return f"the gateway {old} is {world.base}"

    def move_base(self):
        """Below another root it is still the same."""
        world, old = self.world, self.world.base
        if world.denied:
            return self.walk()
        how = self.chance.choice([signal.SIGTERM, signal.SIGKILL])
        self.gateway.stop(how)
        self.rebase(world.gateway, next(root for root in ROOTS if root != world.root))
        self.gateway.configure()
        self.gateway.start()
        return f"the gateway {old} {'stops' if how == signal.SIGTERM else 'is killed'}, and starts as {world.base}"

    def rebase(self, gateway, root):
        self.broker.bases = [self.world.base]
        self.world.move_base(gateway, root)
        self.broker.bases.append(self.world.base)
        self.broker.allow(self.world.denied)

    def differs(self, said, true, place):
        if said != true:
            raise SystemExit(f"FAILED: {place} is {said}, should be {true}")

    def rollback(self):
        """Who was where when the copy was made is where the transitions go on."""
        if self.world.blind and self.kept_members is not None or not self.world.is_all_clear() or not self.world.is_later_than_ever():
            return self.walk()
        self.gateway.stop(signal.SIGTERM)
        if self.kept_members is None:
            self.gateway.keep_state()
            self.kept_members, words = self.world.named_members(), "the gateway's state is copied"
        else:
            self.gateway.roll_state_back()
            self.observer.forget(self.kept_members, gateway_forgets=True)
            self.kept_members, words = None, "the gateway's state is that of the copy again"
        self.gateway.start()
        return words

    # The configuration.

    def reload(self):
        words = self.edit()
        self.gateway.reload()
        return f"reload: {words}"

    def save(self):
        """By the page."""
        world = self.world
        name = self.chance.choice([n for n, z in world.zones.items() if not {"rooms", "metres"} & set(z)] or [None])
        if not name:
            return self.walk()
        words, zone = self.new_threshold(name), world.zones[name]
        change = {"enter": {"threshold": zone["enter"], "unit": "dBm", "dwell_s": 0.2},
                  "exit": {"threshold": zone["exit"], "unit": "dBm", "dwell_s": 0.3, "lost_s": 1.5}}
        until, status = time.time() + 60, None
        # Before a reload just now is through, the file is another one than the page was made from.
        while status != 200:
            if time.time() > until:
                raise SystemExit(f"FAILED: the page does not save {words}: {status} {answer}")
            time.sleep(0.05)
            status, answer = self.gateway.ask("overview") or (None, None)
            if status == 200:
                change["revision"] = answer["configuration_revision"]
                status, answer = self.gateway.ask(f"zones/{name}", "PUT", change) or (None, None)
        return f"saved on the page: {words}"

    def new_threshold(self, name):
        zone = self.world.zones[name]
        zone["enter"] = -66 + self.chance.choice([-2, 0, 2])
        zone["exit"] = zone["enter"] - self.chance.choice([8, 10, 12])
        return f"{name}: enter {zone['enter']}, exit {zone['exit']}"

    def twice(self):
        # Whether a zone that is renamed and changed is the same one depends on whether the gateway has read both.
        first = self.edit(renames=False)
        self.gateway.reload()
        time.sleep(self.chance.choice([0, 0.01, 0.1]))
        second = self.edit(renames=False)
        self.gateway.reload()
        return f"reload: {first}; at once again: {second}"

    def back(self):
        world = self.world
        if len(world.zones) < 2 or not world.is_all_clear():
            return self.walk()
        name = self.chance.choice(list(world.zones))
        zone = world.zones.pop(name)
        self.gateway.reload(until_read=True)
        time.sleep(self.chance.choice([0, 0.5, 2]))
        world.zones[name] = zone
        world.forget(name)
        self.gateway.reload(until_read=True)
        return f"reload: {name} removed; reload: it is back"

    def edit(self, renames=True):
        kinds = ["threshold", "threshold", "watch", "entry", "zone", "zone name", "beacon name", "order",
                 "announcing", "announcing", "room", "room name", "zone of rooms", "display name"]
        # Whom a zone keeps that is given to a receiver which forgot whom it heard, nobody can know.
        if not self.world.forgetful and (self.gateway.process or not self.world.blind):
            kinds += ["receivers", "receivers", "swap"]
        kind = self.chance.choice(kinds)
        world = self.world
        if not world.zones:
            world.zones["extra"] = {"receivers": None, "beacons": None, "enter": -66, "exit": -76, "near": None}
            world.forget("extra")
            return "zone extra added"
        if kind in ("room", "room name", "zone of rooms"):
            return self.edit_rooms(kind)
        if kind == "display name":
            names = self.chance.sample(["Bella", "Max"], len(world.powers))
            world.display = {b: called for b, called in zip(world.powers, names) if self.chance.random() < 0.7}
            return f"people call {world.display or 'nobody anything'}"
        signals = [name for name in world.zones if not {"rooms", "metres"} & set(world.zones[name])]
        if not signals:
            kind = "order"
        name = self.chance.choice(signals if kind in ("threshold", "receivers", "swap") else list(world.zones))
        zone = world.zones[name]
        if kind == "threshold":
            return self.new_threshold(name)
        if kind == "watch":
            zone["beacons"] = self.chance.choice([None, sorted(world.entries) or None, sorted(world.entries)[:1] or None])
            return f"{name} watches {zone['beacons'] or 'all'}"
        if kind == "receivers":
            zone["receivers"] = self.chance.choice([None, ["hci0"], ["hci1"], ["hci0", "hci1"], ["hci0", ABSENT], [ABSENT]])
            return f"{name} is heard by {zone['receivers'] or 'all'}"
        if kind == "swap":
            other = self.chance.choice(signals)
            zone["receivers"], world.zones[other]["receivers"] = world.zones[other]["receivers"], zone["receivers"]
            return f"{name} and {other} swap their receivers"
        if kind == "order":
            items = list(world.zones.items())
            self.chance.shuffle(items)
            world.zones = dict(items)
            return "the zones in another order"
        if kind == "announcing":
            return self.edit_announcing()
        if kind == "entry":
            return self.edit_entries()
        if kind == "beacon name":
            return self.rename_beacon()
        new = name + "2" if not name.endswith("2") else name[:-1]
        if kind == "zone name" and not renames:
            kind = "zone"
        if kind == "zone name" and new not in world.zones:
            # The same zone under another name: who is in it stays.
            for kept in (world.zones, world.members, world.near):
                kept[new] = kept.pop(name)
            return f"{name} is called {new}"
        if len(world.zones) > 2:
            del world.zones[name], world.members[name], world.near[name]
            return f"{name} removed"
        world.zones["extra"] = dict(zone)
        world.members.setdefault("extra", set())
        world.near.setdefault("extra", set())
        return "zone extra added"

    def edit_rooms(self, kind):
        world = self.world
        missing = [room for room in ROOMS if room not in world.rooms]
        if kind == "room name" and world.rooms:
            room = self.chance.choice(list(world.rooms))
            old = world.rooms[room]
            world.rooms[room] = room if old != room else room + "2"
            return f"room {old} is called {world.rooms[room]}"
        if kind == "zone of rooms" and world.rooms:
            zones = [name for name in world.zones if "rooms" in world.zones[name]]
            rooms = self.chance.sample(list(world.rooms), self.chance.randint(1, len(world.rooms)))
            if zones:
                name = self.chance.choice(zones)
                world.zones[name]["rooms"] = rooms
                return f"{name} is made of {rooms}"
            world.zones["wet"] = {"rooms": rooms, "beacons": None}
            world.forget("wet")
            return f"zone wet added, made of {rooms}"
        if missing:
            for room in missing:
                world.rooms[room] = room
            if len(missing) == len(ROOMS):
                world.leave_rooms(BEACONS)
            return f"rooms {missing} configured again"
        # Without a room it is open where a beacon is that was there, so there are soon all of them again, or none.
        gone = list(ROOMS) if self.chance.random() < 0.5 else [self.chance.choice(list(ROOMS))]
        for room in gone:
            del world.rooms[room]
        for name, zone in list(world.zones.items()):
            if "rooms" in zone:
                zone["rooms"] = [room for room in zone["rooms"] if room in world.rooms]
                if not zone["rooms"]:
                    del world.zones[name], world.members[name], world.near[name]
        return f"rooms {gone} removed"

    def edit_entries(self):
        world = self.world
        missing = set(ENTRIES) - world.entries
        if missing:
            world.entries |= missing
            world.exchanged.clear()
            world.leave_rooms(BEACONS)
            # Of twins that stayed configured it has told, and does not tell again.
            if entry(TWIN) in missing:
                self.gateway.twins_since = self.gateway.told()
                world.forget_twins()
            return f"{sorted(missing)} configured again"
        gone = self.chance.choice(sorted(world.entries))
        world.entries.discard(gone)
        if gone == entry(TWIN):
            world.forget_twins()
        for other in world.zones.values():
            if other["beacons"]:
                other["beacons"] = [b for b in other["beacons"] if b != gone] or None
        if gone != "fleet" and self.chance.random() < 0.5:
            world.exchanged.add(gone)
            return f"{gone} has another address, which nobody hears"
        return f"{gone} dropped"

    def rename_beacon(self):
        """Under another name it is somebody else, who has not entered yet."""
        world, name = self.world, self.chance.choice(ENTRIES)
        old = world.called[name]
        if self.chance.random() < 0.3:
            # Or two exchange their identities.
            one, other = self.chance.sample([e for e in ENTRIES if e != "fleet"], 2)
            world.called[one], world.called[other] = world.called[other], world.called[one]
            names, words = {one, other}, f"{one} and {other} swap their identities"
        else:
            free = [n for n in (name, name + "2", name + "3") if n not in world.called.values()]
            world.called[name] = self.chance.choice(free)
            names, words = {name}, f"{old} is called {world.called[name]}"
        for beacon in BEACONS:
            if beacon.split(":")[0] in names:
                for zone in world.zones:
                    world.leave(zone, beacon)
                world.leave_rooms([beacon])
        return words

    def edit_announcing(self):
        world = self.world
        kind = self.chance.choice(["entities", "entities", "members", "members", "form", "off", "places", "places"])
        if kind == "places":
            zones = self.chance.sample(list(world.zones), self.chance.randint(0, min(3, len(world.zones))))
            world.places = {zone: self.chance.choice(["zone.home", "zone.school"]) for zone in zones}
            return f"places {world.places or 'none'}"
        if kind == "entities":
            world.entities = self.chance.choice(["minimal", "normal", "all"])
        elif kind == "members":
            world.device_limit = self.chance.choice([0, 1, 200])
        elif kind == "form":
            world.form = "component" if world.form == "device" else "device"
        else:
            world.announces = not world.announces
        if not world.announces:
            return "nothing for Home Assistant"
        return f"for Home Assistant {world.entities} entities, {world.form} form, {world.device_limit} members"

    # The broker.

    def broker_restart(self):
        self.broker.stop()
        words = self.walk() + ", " if self.chance.random() < 0.5 else ""
        time.sleep(self.chance.random())
        self.broker_start()
        return f"the broker stops, {words}and starts"

    def waits_at_the_gateway(self):
        """Whether transitions may wait there for a broker that refuses them: nobody can then say what it lost."""
        return any("/zone/" in topic or "/room/" in topic or "/event" in topic for topic in self.world.denied)

    def is_foreseeable(self):
        """Whether it is known who is where as far as the gateway goes, when what was on its way is lost."""
        return not self.waits_at_the_gateway() and self.world.is_all_clear()

    def broker_forgets(self):
        if not self.is_foreseeable():
            return self.walk()
        how = self.chance.choice([signal.SIGTERM, signal.SIGKILL])
        self.observer.forget(self.world.named_members())
        self.broker.stop(forget=True, how=how)
        self.broker_start(until_observed=True)
        return f"the broker {'stops' if how == signal.SIGTERM else 'is killed'} and forgets everything"

    def broker_crash(self):
        """What it keeps is then what it had written down when it last stopped."""
        if not self.is_foreseeable() or self.broker.is_haunted:
            return self.walk()
        self.observer.forget(self.world.named_members())
        self.broker.stop(how=signal.SIGKILL)
        self.broker_start(until_observed=True)
        return "the broker is killed and remembers what was long ago"

    def broker_start(self, until_observed=False):
        told, since, self.broker_since = self.gateway.told(), self.broker.size_of_log(), time.time()
        self.broker.start()
        if until_observed:
            self.observer.is_subscribed.wait(120)
            self.broker.wait_for_subscribers(since)
        if self.world.unknowable - self.world.denied:
            self.gateway.wait_for("reconnected to the broker", told)

    def access(self):
        world = self.world
        if world.denied:
            if world.protocol != "5":
                # What was dropped, and is allowed before the gateway has asked, nobody can tell from what was taken.
                time.sleep(3)
            world.deny(set())
            self.broker.allow(world.denied)
            # What was refused is tried again by itself: soon, and later more and more seldom. But who starts anew may not see what
            # is forbidden, and does not know what an earlier run left there.
            is_soon = self.gateway.started < self.denied_since > time.time() - 50
            if self.chance.random() < 0.2 and is_soon and world.protocol == "5":
                return "the broker allows everything"
            told = self.gateway.told()
            self.gateway.process.send_signal(signal.SIGHUP)
            self.gateway.wait_for("configuration reloaded", told)
            return "the broker allows everything; reload"
        zone, beacon = self.chance.choice(list(world.zones) or ["none"]), level(world.name(self.chance.choice(list(BEACONS))))
        topic = self.chance.choice([
            self.world.base + t for t in (f"zone/{zone}/enter", f"zone/{zone}/exit", f"zone/{zone}/occupancy", f"zone/{zone}/+",
                               "zone/+/enter", "room/+/enter", "room/+/occupancy", f"beacon/{beacon}/room",
                               f"beacon/{beacon}/state", f"beacon/{beacon}/zone", f"beacon/{beacon}/event", "beacon/+/event", "health")
        ] + ["homeassistant/#"])
        world.deny({topic})
        self.denied_since = time.time()
        if world.protocol == "5":
            self.broker.allow(world.denied)
            return f"the broker forbids {topic}"
        # With MQTT 3.1.1 it does not say so: a reload has the gateway ask. Nothing is to happen in between.
        self.gateway.process.send_signal(signal.SIGSTOP)
        self.broker.allow(world.denied)
        told = self.gateway.told()
        self.gateway.process.send_signal(signal.SIGHUP)
        self.gateway.process.send_signal(signal.SIGCONT)
        self.gateway.wait_for("configuration reloaded", told)
        return f"the broker forbids {topic}; reload"
