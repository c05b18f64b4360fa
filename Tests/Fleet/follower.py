"""What a subscriber that keeps the last number of each partition makes of a fleet's transitions, and what is wrong with them.

Transitions of a partition have numbers that go up by one. Repetitions are counted and allowed. A gap, another content under the
same number, an entry without an exit from the room before, and an exit from a room that a beacon is not in, are faults.
"""
import bisect, collections, json
from datetime import datetime


def seconds(text):
    return datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


class Follower:
    """What the transitions say. `late`: it did not hear the first ones, so it takes each partition's first number, and each beacon's
    first room, as it comes."""

    def __init__(self, site="site", late=False):
        self.late = late
        self.base = f"beaconkeeper/{site}/"
        self.last, self.contents = {}, {}
        self.places = {}  # (beacon, kind) → rooms or zones it is in
        self.verdicts = {}  # id of the near → payload
        self.ways = collections.defaultdict(list)  # beacon → [(time, room or None)]
        self.transitions = self.repeats = self.messages = 0
        self.epochs = set()
        self.faults = []
        self.fault_counts = collections.Counter()
        self.delays = []  # (arrival, how long after the event)

    def fault(self, kind, text):
        self.fault_counts[kind] += 1
        if len(self.faults) < 1000:
            self.faults.append(f"{kind}: {text}")

    def take(self, topic, payload, arrival):
        self.messages += 1
        if topic.endswith("/verdict"):
            near = json.loads(payload)["transition"]
            if self.verdicts.setdefault(near, payload) != payload:
                self.fault("contradiction", f"two verdicts on {near}: {self.verdicts[near][:200]} and {payload[:200]}")
            return
        if not topic.endswith(("/enter", "/exit", "/near", "/event")):
            return
        words = json.loads(payload)
        if "partition" not in words:
            return self.fault("no partition", topic)
        partition, number = words["partition"], (words["epoch"], words["seq"])
        content = hash(payload)
        before = self.contents.get((partition, number))
        if before is not None:
            self.repeats += 1
            if before != content:
                self.fault("contradiction", f"partition {partition} says {number} twice, at last {payload[:200]}")
            return
        self.contents[partition, number] = content
        last = self.last.get(partition, (number[0], number[1] - 1 if self.late else 0))
        if number < last:
            self.fault("late", f"partition {partition}: {number} comes after {last}")
        elif number[0] != last[0]:
            self.fault("epoch", f"partition {partition}: {last} is followed by {number}")
        elif number[1] != last[1] + 1:
            self.fault("gap", f"partition {partition}: {last} is followed by {number}")
        self.last[partition] = max(number, last)
        self.transitions += 1
        event = seconds(words["time"])
        self.delays.append((arrival, arrival - event))
        if topic.endswith(("/enter", "/exit")):
            self.follow(words, event, number)

    def follow(self, words, event, number):
        kind = "room" if "room" in words and "zone" not in words else "zone"
        place, beacon = words[kind], words["beacon"]
        is_new = (beacon, kind) not in self.places
        inside = self.places.setdefault((beacon, kind), [])
        if words["event"] == "enter":
            if inside and kind == "room":
                self.fault("enter", f"{beacon} enters {place} without leaving {inside[0]} ({words['partition']}: {number})")
                inside.clear()
            inside.append(place)
        elif place in inside:
            inside.remove(place)
        elif not (self.late and is_new):
            self.fault("exit", f"{beacon} leaves {place}, but is in {inside} ({words['partition']}: {number})")
        if kind == "room":
            self.ways[beacon].append((event, inside[0] if inside else None))

    def differences(self, payloads):
        """What another says of the same transitions: (missing here, other content here, missing there). `payloads`: all of its."""
        own = {**self.contents, **{near: hash(payload) for near, payload in self.verdicts.items()}}
        told = {}
        for payload in payloads:
            words = json.loads(payload)
            told[words["transition"] if "outcome" in words else (words["partition"], (words["epoch"], words["seq"]))] = hash(payload)
        both = told.keys() & own.keys()
        return len(told.keys() - both), sum(told[name] != own[name] for name in both), len(own.keys() - both)

    def rooms(self):
        return {beacon: inside[0] for (beacon, kind), inside in self.places.items() if kind == "room" and inside}

    def compare(self, retained):
        """What retained messages say otherwise."""
        rooms, wrong = self.rooms(), []
        said, occupants = {}, collections.defaultdict(set)
        for topic, payload in retained.items():
            levels = topic[len(self.base):].split("/")
            if levels[0] == "beacon" and levels[-1] == "room":
                words = json.loads(payload)
                said[words["beacon"]] = words["room"]
            elif levels[0] == "room" and levels[-1] == "occupancy":
                words = json.loads(payload)
                occupants[words["room"]] = {member["beacon"] for member in words["beacons"]}
        known = {beacon for beacon, kind in self.places if kind == "room"}
        for beacon in known if self.late else rooms.keys() | {beacon for beacon, room in said.items() if room}:
            if said.get(beacon) != rooms.get(beacon):
                wrong.append(f"retained room of {beacon}: {said.get(beacon)}, transitions: {rooms.get(beacon)}")
        if self.late:
            return wrong
        inside = collections.defaultdict(set)
        for beacon, room in rooms.items():
            inside[room].add(beacon)
        for room in inside.keys() | occupants.keys():
            if inside[room] != occupants[room]:
                only = sorted(occupants[room] - inside[room])[:3], sorted(inside[room] - occupants[room])[:3]
                wrong.append(f"occupancy of {room}: {len(occupants[room])} retained, {len(inside[room])} by transitions; "
                             f"only retained: {only[0]}, only by transitions: {only[1]}")
        return wrong

    def right(self, truth):
        """The share of time, from the first room decided, for which rooms are the true ones. `truth`: path."""
        true = collections.defaultdict(list)
        with open(truth) as file:
            for line in file:
                words = json.loads(line)
                true[words["beacon"]].append((seconds(words["time"]), words["room"]))
        end = max((way[-1][0] for way in self.ways.values() if way), default=0)
        good = total = 0.0
        for beacon, way in self.ways.items():
            steps = sorted(true[beacon], key=lambda step: step[0])
            times = sorted({time for time, _ in way + steps if way[0][0] <= time <= end} | {end})
            for start, stop in zip(times, times[1:]):
                total += stop - start
                if at(way, start) == at(steps, start):
                    good += stop - start
        return good / total if total else 0.0

    def delay(self, share, start=0.0, end=float("inf")):
        """How late transitions came that arrived in this time: of 100 so many (`share`) were no later."""
        delays = sorted(delay for arrival, delay in self.delays if start <= arrival <= end)
        return delays[min(len(delays) * share // 100, len(delays) - 1)] if delays else 0.0


def at(steps, time):
    place = bisect.bisect_right(steps, time, key=lambda step: step[0])
    return steps[place - 1][1] if place else None
