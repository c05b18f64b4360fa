"""A real mosquitto, what it keeps, and a subscriber that keeps its session."""
import collections, datetime, json, os, random, re, signal, subprocess, threading, time
import paho.mqtt.client as mqtt
from .ports import answers, free_port
from .world import ROOTS

class Broker:
    def __init__(self, folder):
        self.folder = folder
        self.port = free_port()
        self.process, self.log = None, open(f"{folder}/broker.log", "ab")
        for user in ("gateway", "observer"):
            subprocess.run(["mosquitto_passwd", "-b"] + ([] if user != "gateway" else ["-c"])
                           + [f"{folder}/passwords", user, "secret"], check=True, capture_output=True)
        open(f"{folder}/password", "w").write("secret\n")
        os.chmod(f"{folder}/password", 0o600)
        # What the gateway may write to: whoever moves it lets it clear what it leaves.
        self.subscribers, self.bases = [], ["beaconkeeper/world/"]
        # Whether what it last wrote to its disk may have topics that nobody remembers any more.
        self.is_haunted = False
        lines = [f"listener {self.port} 127.0.0.1", "allow_anonymous false", f"password_file {folder}/passwords",
                 f"acl_file {folder}/acl", "persistence true", f"persistence_location {folder}/",
                 "max_queued_messages 100000"] + [f"log_type {kind}" for kind in ("error", "warning", "notice", "information", "subscribe")]
        if os.geteuid() == 0:
            lines.append("user root")
        open(f"{folder}/mosquitto.conf", "w").write("\n".join(lines) + "\n")
        self.allow(set())

    def allow(self, denied):
        """Writes the access list, with these topics forbidden to the gateway, and returns once the broker has read it."""
        lines = ["user observer", "topic readwrite #", "", "user gateway"]
        lines += [f"topic deny {topic}" for topic in sorted(denied)]
        lines += [f"topic readwrite {base}#" for base in self.bases] + ["topic readwrite homeassistant/#"]
        lines += ["topic read espresense/#"] + [f"topic read {root}/#" for root in ROOTS]
        open(f"{self.folder}/acl", "w").write("\n".join(lines) + "\n")
        os.chmod(f"{self.folder}/acl", 0o600)
        if self.process and self.process.poll() is None:
            # Sessions whose clients are not back yet would end with it.
            self.wait_for_subscribers(self.begun)
            before = self.reloads()
            self.process.send_signal(signal.SIGHUP)
            until(lambda: self.reloads() > before, "mosquitto does not read its files again")

    def reloads(self):
        return open(f"{self.folder}/broker.log", "rb").read().count(b"Reloading config.")

    def start(self):
        self.begun = self.size_of_log()
        self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", f"{self.folder}/mosquitto.conf"], stdout=self.log, stderr=self.log)
        until(lambda: answers("127.0.0.1", self.port), "mosquitto does not start")

    def wait_for_subscribers(self, since):
        """Until all of them have subscribed again, after this place in its log."""
        def have():
            said = open(f"{self.folder}/broker.log", "rb").read()[since:].decode()
            return all(re.search(pattern, said) for pattern in self.subscribers)
        until(have, "not all subscribers come back")

    def size_of_log(self):
        return os.path.getsize(f"{self.folder}/broker.log")

    def stop(self, forget=False, how=signal.SIGTERM):
        self.process.send_signal(how)
        self.process.wait(120)
        if forget or how == signal.SIGTERM:
            self.is_haunted = False
        if forget:
            for name in os.listdir(self.folder):
                if name.startswith("mosquitto.db"):
                    os.remove(f"{self.folder}/{name}")

    def retained(self):
        """Everything that is kept, as a newcomer gets it."""
        kept, end, is_over = {}, f"truth/end/{random.getrandbits(64)}", threading.Event()

        def on_message(_, __, message):
            # The others are those that scanners send all the time.
            if message.retain:
                kept[message.topic] = message.payload.decode()
            if message.topic == end:
                is_over.set()
        client = new_client("", True)
        client.on_message = on_message
        # Comes after everything that is kept.
        client.on_subscribe = lambda *_: client.publish(end, qos=1)
        client.connect("127.0.0.1", self.port)
        client.subscribe("#", 1)
        client.loop_start()
        is_over.wait(30)
        client.loop_stop()
        client.disconnect()
        return kept


def until(condition, fault):
    """Waits for what comes at once on an idle machine."""
    end = time.time() + 60
    while not condition():
        if time.time() > end:
            raise SystemExit(fault)
        time.sleep(0.02)


def new_client(name, clean):
    if hasattr(mqtt, "CallbackAPIVersion"):
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION1, client_id=name, clean_session=clean)
    else:
        client = mqtt.Client(client_id=name, clean_session=clean)
    client.username_pw_set("observer", "secret")
    return client


class Observer:
    """A subscriber that keeps what it got through restarts, and adds up the transitions."""

    def __init__(self, world, port):
        self.world = world
        self.lock, self.transitions, self.ids, self.base = threading.Lock(), {}, {}, {}
        self.last, self.since, self.clashes = (0, 0), "", []
        self.is_subscribed = threading.Event()
        self.client = new_client("truth-observer", False)
        kinds = [f"{kind}/+/{event}" for kind in ("zone", "room") for event in ("enter", "exit", "near")]
        filters = [(f"{root}/+/{kind}", 1) for root in ROOTS for kind in kinds + ["beacon/+/event", "phone/+/verdict"]]
        # Of each near of a phone what was told of it.
        self.verdicts = {}
        self.client.on_connect = lambda client, *_: client.subscribe(filters)
        self.client.on_subscribe = lambda *_: self.is_subscribed.set()
        self.client.on_disconnect = lambda *_: self.is_subscribed.clear()
        self.client.on_message = self.take
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        # What the shipped one must print, by id; and those of which it may be that only one of both got them.
        self.printed, self.either = {}, set()

    def take(self, _, __, message):
        transition = json.loads(message.payload)
        if "outcome" in transition:
            with self.lock:
                self.verdicts.setdefault((transition["transition"], transition["phone"]), []).append(transition)
            return
        number = (transition["epoch"], transition["seq"])
        with self.lock:
            self.transitions[number] = transition
            # The shipped one listens below the usual root.
            if "zone" in transition and message.topic.startswith(ROOTS[0] + "/"):
                self.printed[transition["id"]] = " ".join(transition[key] for key in ("time", "event", "zone", "beacon"))
            if self.ids.setdefault(number, transition["id"]) != transition["id"]:
                self.clashes.append(f"epoch {number[0]}, seq {number[1]} stands for two transitions")

    def forget(self, members, gateway_forgets=False):
        """Starts over: what was on its way is lost. What came before may come again; and if it is the gateway that knows no more
        what it said, what was decided before may come late."""
        with self.lock:
            self.transitions.clear()
            self.world.button.forget()
            self.base = {where: set(names) for where, names in members.items()}
            self.last = max(self.ids, default=(0, 0))
            self.either = set(self.printed)
            self.verdicts.clear()
            if gateway_forgets:
                self.since = datetime.datetime.fromtimestamp(self.world.now(), datetime.timezone.utc).isoformat()

    def dump(self, file):
        """What came since it started over, in the order in which it was decided."""
        with self.lock, open(file, "w") as out:
            for number in sorted(self.transitions):
                print(json.dumps(self.transitions[number] | {"counts": number > self.last}), file=out)

    def nears(self):
        """By id, since it started over."""
        with self.lock:
            return {t["id"]: t for number, t in self.transitions.items()
                    if t["event"] == "near" and number > self.last and t["time"] >= self.since}

    def events(self):
        """What happened to beacons, since it started over."""
        with self.lock:
            return [t for number, t in self.transitions.items() if "reading" in t and number > self.last and t["time"] >= self.since]

    def added_up(self):
        """Who is in each zone and room by the transitions alone, and what contradicts itself."""
        inside = {where: set(names) for where, names in self.base.items()}
        with self.lock:
            entries = [self.transitions[key] for key in sorted(self.transitions) if key > self.last]
            entries = [t for t in entries if t["time"] >= self.since]
            wrong = list(self.clashes)
        for before, t in zip(entries, entries[1:]):
            if t["epoch"] == before["epoch"] and t["seq"] > before["seq"] + 1:
                wrong.append(f"between seq {before['seq']} and {t['seq']} of epoch {t['epoch']} something is missing")
        for t in entries:
            if "reading" in t:
                continue
            where = next(f"{kind}/{t[kind]}" for kind in ("zone", "room") if kind in t)
            members, beacon = inside.setdefault(where, set()), t["beacon"]
            if t["event"] == "enter" and beacon in members:
                wrong.append(f"{beacon} entered {where} twice (epoch {t['epoch']}, seq {t['seq']})")
            if t["event"] != "enter" and beacon not in members:
                wrong.append(f"{t['event']} of {beacon} at {where} without an enter (epoch {t['epoch']}, seq {t['seq']})")
            if t["event"] == "enter":
                members.add(beacon)
            elif t["event"] == "exit":
                members.discard(beacon)
        return inside, wrong


class Shipped:
    """The subscriber of config/examples, as people run it."""

    def __init__(self, folder, broker):
        self.lines = f"{folder}/subscriber.out"
        program = os.path.join(os.path.dirname(__file__), "../../../config/examples/subscriber.py")
        self.process = subprocess.Popen(
            ["/usr/bin/python3", program, "--host", "127.0.0.1", "--port", str(broker.port), "--username", "observer",
             "--password-file", f"{folder}/password", "--kept", f"{folder}/told.db"],
            stdout=open(self.lines, "wb"), stderr=open(f"{folder}/subscriber.log", "wb"))

    def faults(self, observer):
        """What it printed twice, or not at all."""
        printed = collections.Counter(open(self.lines).read().splitlines())
        with observer.lock:
            known = collections.Counter(observer.printed.values())
            due = {line for id, line in observer.printed.items() if id not in observer.either}
        return [f"subscriber.py: printed {n} times: {line}" for line, n in printed.items() if n > max(1, known[line])] + [
            f"subscriber.py: not printed: {line}" for line in due if line not in printed]
