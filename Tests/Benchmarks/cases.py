"""The cases: how each is run, what it is compared with, and what was promised."""
import dataclasses
import json
import os
import re
import resource
import socket
import subprocess
import time

from dashboard import Visited

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGE = os.path.dirname(os.path.dirname(HERE))


@dataclasses.dataclass
class Goal:
    """What was promised: a figure of our own, and a ratio to the peer; None where there is none."""
    text: str
    least: float = None
    most: float = None
    least_ratio: float = None
    most_ratio: float = None

    def met(self, ours, ratio):
        checks = [(self.least, ours, 1), (self.most, ours, -1), (self.least_ratio, ratio, 1), (self.most_ratio, ratio, -1)]
        known = [sign * (value - limit) >= 0 for limit, value, sign in checks if limit is not None and value is not None]
        return all(known) if known else None


@dataclasses.dataclass
class Case:
    name: str
    unit: str
    goal: Goal
    ours: callable
    peer: callable = None


class Cases:
    def __init__(self, options, folder):
        self.binary, self.python, self.quick, self.folder = options.binary, options.peers, options.quick, folder
        self.measure = os.path.join(os.path.dirname(options.binary), "bench")
        self.bluez = options.bluez
        self.corpora = {}
        for source in ("feed", "peers/floor", "peers/gather", "peers/publish", "peers/connect", "peers/records"):
            libraries = ["-lmosquitto"] if source in ("peers/publish", "peers/connect") else []
            subprocess.run(
                ["cc", "-O2", "-o", self.path(os.path.basename(source)), f"{HERE}/{source}.c", *libraries], check=True)
        subprocess.run(
            ["cc", "-O2", "-shared", "-fPIC", "-o", self.path("allocations.so"), f"{HERE}/allocations.c"], check=True)

    def path(self, *names): return os.path.join(self.folder, *names)

    def corpus(self, name, *words):
        """A folder with a corpus, made once."""
        if name not in self.corpora:
            self.corpora[name] = self.path(name)
            subprocess.run([f"{HERE}/corpus", self.corpora[name], *words], check=True)
        return self.corpora[name]

    # The corpora
    def mixed(self): return self.corpus("mixed", "--devices", "2000", "--repeat", "5" if self.quick else "20")
    def calm(self): return self.corpus("calm", "--adverts", "5000" if self.quick else "40000")
    def few(self): return self.corpus("few", "--devices", "300", "--zones", "10", "--seed", "3")
    def many(self): return self.corpus("many", "--devices", "100000", "--adverts", "400000", "--seed", "4")
    def beacons(self): return self.corpus("beacons", "--only", "ibeacon")
    def zones(self): return self.corpus("zones", "--only", "ibeacon", "--zones", "1000")
    def crowd(self): return self.corpus(
        "crowd", "--only", "ibeacon", "--devices", "100000", "--zones", "1000", "--adverts", "400000")
    def passers(self, count): return keys(self.corpus(f"passers-{count}", "--crowd", "--adverts", str(count)))

    # Ways to run a program
    def run(self, *words, environment=None):
        result = subprocess.run(
            words, capture_output=True, text=True, cwd=PACKAGE, env={**os.environ, **(environment or {})})
        if result.returncode: raise SystemExit(f"{' '.join(words)}\n{result.stderr}")
        return result.stdout

    def bench(self, *words, **more): return json.loads(self.run(self.measure, *words, **more))

    def feed(self, words, corpus, passes, rate=None, environment=None, form="hci"):
        """Starts a program that reads a socket, whose number is put in place of {fd}, and feeds it."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ours, theirs:
            reader = subprocess.Popen(
                [word.format(fd=ours.fileno()) for word in words], pass_fds=[ours.fileno()], stdout=subprocess.PIPE, text=True,
                stderr=subprocess.DEVNULL, env={**os.environ, **(environment or {})})
            feeder = subprocess.Popen(
                [self.path("feed"), form, corpus, str(passes), str(theirs.fileno()), *([str(rate)] if rate else [])],
                pass_fds=[theirs.fileno()])
        output = reader.communicate()[0]
        feeder.wait()
        return json.loads(output.splitlines()[-1])

    def socket(self, folder, config, passes, **more):
        words = [self.measure, "socket", "--fd", "{fd}", "--config", f"{folder}/{config}"]
        return self.feed(words, f"{folder}/adverts.bin", passes, **more)

    def adverts(self, folder, passes): return sum(1 for _ in records(f"{folder}/adverts.bin")) * passes

    # The cases
    def all(self):
        passes = 4 if self.quick else 10
        for name, folder, config in (
                ("socket to outbox, 2,000 devices, each known", self.mixed, "site.yaml"),
                ("socket to outbox, 300 devices, regions", self.few, "regions.yaml"),
                ("socket to outbox, 100,000 devices, regions", self.many, "regions.yaml")):
            yield Case(
                name, "adverts/CPU-s", Goal("≥ 1 M, ≥ 20 ×", least=1e6, least_ratio=20),
                lambda f=folder, c=config: rate(self.socket(f(), c, passes)), lambda f=folder: self.habluetooth(f()))
        for name, folder in (("2,000 devices", self.mixed), ("100,000 devices", self.many)):
            yield Case(
                f"the kernel's part, {name}: C that does read() and nothing else", "adverts/CPU-s", Goal(""),
                lambda f=folder: rate(self.feed([self.path("floor"), "{fd}"], f"{f()}/adverts.bin", passes)),
                lambda f=folder: self.habluetooth(f()))
        yield Case(
            "decode in memory, every reading; bleparser", "adverts/CPU-s", Goal("≥ 50 M, ≥ 300 ×", least=50e6, least_ratio=300),
            lambda: rate(self.bench("decode", f"{self.mixed()}/adverts.bin")), lambda: self.decoder("bleparser_decode.py"))
        yield Case(
            "decode in memory, frames only; TheengsDecoder", "adverts/CPU-s", Goal("≥ 50 M", least=50e6),
            lambda: rate(self.bench("decode", f"{self.mixed()}/adverts.bin", "--frames-only")),
            lambda: self.decoder("theengs_decode.py"))
        yield Case(
            "decode in memory, frames only; BlueZ's splitter, which decodes nothing", "adverts/CPU-s",
            Goal("≥ 5 ×", least_ratio=5),
            lambda: rate(self.bench("decode", f"{self.mixed()}/adverts.bin", "--frames-only")), self.split_by_bluez)
        yield Case(
            "decode, identity, estimate, zones: mixed air, 100 zones, 2,000 beacons", "adverts/CPU-s",
            Goal("≥ 20 M", least=20e6), lambda: self.decided(self.mixed(), self.mixed(), "site.yaml"))
        yield Case(
            "the same, iBeacons only", "adverts/CPU-s", Goal("≥ 20 M", least=20e6),
            lambda: self.decided(self.beacons(), self.beacons(), "majors.yaml"))
        yield Case(
            "iBeacons, 1,000 zones, 2,000 beacons; as a peer 100 zones", "adverts/CPU-s", Goal("flat: ≥ 0.8 ×", least_ratio=0.8),
            lambda: self.decided(self.beacons(), self.zones(), "majors.yaml"),
            lambda: self.decided(self.beacons(), self.beacons(), "majors.yaml"))
        yield Case(
            "iBeacons, 1,000 zones, 100,000 beacons; as a peer 2,000", "adverts/CPU-s", Goal("≥ 0.5 ×", least_ratio=0.5),
            lambda: self.decided(self.crowd(), self.crowd(), "majors.yaml", passes=4),
            lambda: self.decided(self.beacons(), self.beacons(), "majors.yaml"))
        yield Case(
            "rooms with outlines and zones by position: mixed air, three receivers, 2,000 beacons", "adverts/CPU-s",
            Goal("≥ 0.2 M", least=200e3), lambda: self.decided(self.mixed(), self.mixed(), "rooms.yaml", 4))
        yield Case(
            "the memory's part, 100,000 beacons: C that reads and writes tables like ours; as a peer one record a beacon",
            "adverts/CPU-s", Goal(""), lambda: self.remembered("16", "48", "40", "128", "88", "8"),
            lambda: self.remembered("16", "312"))
        # The gateway remembers 16,384 addresses. 5 ms apart, each is tried when it is heard first.
        yield Case(
            "1,000 keys, 4,000 strangers' changing addresses, each tried before; without keys", "µs CPU an advert",
            Goal("≤ 3 µs", most=3), lambda: self.passed(4000, "keys.yaml", 250), lambda: self.passed(4000, "strangers.yaml", 250))
        yield Case(
            "1,000 keys, an address that was not tried before; without keys", "µs CPU an advert", Goal(""),
            lambda: self.passed(20000, "keys.yaml", 1), lambda: self.passed(20000, "strangers.yaml", 50))
        for quality in ("0", "1"):
            yield Case(
                f"decision to JSON to broker, QoS {quality}; C libmosquitto", "µs CPU a message", Goal("≤ 1.3 ×", most_ratio=1.3),
                lambda q=quality: self.published(q), lambda q=quality: self.published_in_c(q))
        yield Case("replay of a btsnoop file, start included", "adverts/CPU-s", Goal("≥ 10 M", least=10e6), self.replay)
        yield Case(
            "policy: 1,000 phones, 24 h", "s", Goal("≤ 1 s", most=1),
            lambda: self.bench("policy", "--phones", "1000")["cpu_s"])
        yield Case(
            "start to CONNECT; C libmosquitto", "ms", Goal("≤ 20 ms", most=20), self.start, self.start_in_c)
        yield Case("RSS idle: run, discovery, outbox", "MiB", Goal("≤ 16", most=16), lambda: self.at_rest()[0])
        yield Case(
            "RSS with 10,000 beacons: bench socket", "MiB", Goal("≤ 30", most=30),
            lambda: self.memory(self.corpus("ten", "--only", "ibeacon", "--devices", "10000"), "majors.yaml"))
        yield Case(
            "RSS after 1 M random addresses: bench socket", "MiB", Goal("≤ 48", most=48),
            lambda: self.memory(self.corpus("street", "--crowd", "--adverts", "1000000"), "site.yaml"))
        yield Case(
            "CPU at 1,000 adverts/s: bench socket, paced; C that is woken as often and decides nothing", "% of a core",
            Goal("≤ 0.3 %", most=0.3),
            lambda: self.paced(self.measure, "socket", "--fd", "{fd}", "--config", f"{self.calm()}/site.yaml"),
            lambda: self.paced(self.path("gather"), "{fd}"))

        yield Case(
            "dashboard, no page: RSS more than without", "MiB", Goal("≤ 6", most=6),
            lambda: self.visited(0).memory - self.visited(None).memory)
        yield Case(
            "dashboard, ten pages at 1,000 adverts/s: RSS more than without", "MiB", Goal("≤ 10", most=10),
            lambda: self.visited(10).memory - self.visited(None).memory)
        yield Case(
            "dashboard, ten pages at 1,000 adverts/s: CPU more than without", "% of a core", Goal("≤ 2 %", most=2),
            lambda: self.visited(10).cpu - self.visited(None).cpu)

    def visited(self, pages):
        config = self.path("visited.yaml")
        with Broker(self.folder) as port:
            lines = [line for line in gateway(port, self.path("visited")).splitlines() if not line.startswith("http:")]
            if pages is not None: lines.append('http: { listen: "127.0.0.1:0" }')
            write(config, "\n".join(lines) + "\n")
            return Visited(self.binary, config, pages)

    def habluetooth(self, folder):
        if not self.python: return None
        used = self.feed([self.python, f"{HERE}/peers/habluetooth_socket.py", "{fd}"], f"{folder}/adverts.bin", 1, form="mgmt")
        return self.adverts(folder, 1) / used["cpu_s"]

    def decoder(self, script):
        if not self.python: return None
        return rate(json.loads(self.run(self.python, f"{HERE}/peers/{script}", f"{self.mixed()}/adverts.bin")))

    def split_by_bluez(self):
        return rate(json.loads(self.run(self.bluez, f"{self.mixed()}/adverts.bin", "10"))) if self.bluez else None

    def decided(self, adverts, site, config, passes=20):
        return rate(self.bench(
            "zones", f"{adverts}/adverts.bin", "--config", f"{site}/{config}", "--passes", str(passes)))

    def passed(self, addresses, config, passes):
        folder = self.passers(addresses)
        used = self.bench(
            "zones", f"{folder}/adverts.bin", "--config", f"{folder}/{config}", "--passes", str(passes), "--spacing", "5000")
        return used["cpu_s"] / used["adverts"] * 1e6

    def remembered(self, *octets): return rate(json.loads(self.run(self.path("records"), *octets)))

    def published(self, quality):
        with Broker(self.folder) as port:
            used = self.bench("publish", "--port", str(port), "--qos", quality, "--count", "30000")
        if used["left"]: raise SystemExit(f"{used['left']} messages stayed unacknowledged")
        return used["cpu_s"] / used["messages"] * 1e6

    def published_in_c(self, quality):
        with Broker(self.folder) as port:
            used = json.loads(self.run(self.path("publish"), str(port), quality, "30000", "323"))
        return used["cpu_s"] / used["messages"] * 1e6

    def replay(self):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        told = subprocess.run(
            [self.binary, "replay", "--config", f"{self.mixed()}/regions.yaml", "--capture", f"{self.mixed()}/adverts.btsnoop"],
            capture_output=True, text=True, check=True).stderr
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return int(told.splitlines()[-1].split()[0]) / cpu

    def start(self):
        config = self.path("start.yaml")
        return first_word(
            lambda port: [self.binary, "run", "--config", config, "--capture", "config/walk.jsonl"],
            lambda port: write(config, gateway(port, self.path("start"))))

    def start_in_c(self): return first_word(lambda port: [self.path("connect"), str(port)])

    def at_rest(self):
        """MiB resident after some seconds of the recorded walk, and the share of a core."""
        config = self.path("rest.yaml")
        with Broker(self.folder) as port:
            write(config, gateway(port, self.path("rest")))
            process = subprocess.Popen(
                [self.binary, "run", "--config", config, "--capture", "config/walk.jsonl"], cwd=PACKAGE,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(5)
            found = resident(process.pid)
            process.terminate()
            process.wait()
        return found, None

    def memory(self, folder, config):
        """MiB resident once a corpus has gone through and the gateway, as it does two seconds after its start, has given back
        what it does not use; the socket is still open."""
        started = time.monotonic()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        reader = subprocess.Popen(
            [self.measure, "socket", "--fd", str(ours.fileno()), "--config", f"{folder}/{config}"],
            pass_fds=[ours.fileno()], stdout=subprocess.DEVNULL)
        ours.close()
        subprocess.run(
            [self.path("feed"), "hci", f"{folder}/adverts.bin", "1", str(theirs.fileno())], pass_fds=[theirs.fileno()], check=True)
        time.sleep(max(0.3, started + 3 - time.monotonic()))
        found = resident(reader.pid)
        theirs.close()
        reader.wait()
        return found

    def paced(self, *words):
        """Half a minute or more from nothing, so that newcomers are not most of it."""
        used = self.feed(words, f"{self.calm()}/adverts.bin", 6 if self.quick else 1, rate=1000)
        return used["cpu_s"] / used["wall_s"] * 100


class Broker:
    """A mosquitto on a port of its own, which drops nothing."""
    def __init__(self, folder): self.folder = folder

    def __enter__(self):
        for _ in range(5):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            config = os.path.join(self.folder, "mosquitto.conf")
            write(config, f"listener {port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\nmax_inflight_messages 0\n")
            self.process = subprocess.Popen(["/usr/sbin/mosquitto", "-c", config], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
            for _ in range(100):
                if self.process.poll() is not None: break
                try: socket.create_connection(("127.0.0.1", port)).close()
                except OSError: time.sleep(0.02)
                else: return port
        raise SystemExit("no mosquitto")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def write(path, text):
    with open(path, "w") as out: out.write(text)


def gateway(port, state):
    os.makedirs(state, exist_ok=True)
    # Without the house, so that figures can be compared with earlier ones.
    demo = open(f"{PACKAGE}/config/demo.yaml").read()
    demo = re.sub(r"(?m)^(rooms|doors):\n(  .*\n)+", "", demo)
    demo = re.sub(r"(?m)^  - \{ name: (kitchen|lounge|bedroom|clara|david|emma|finn),.*\n", "", demo)
    demo = demo.replace("{ name: forecourt }", f"{{ name: forecourt, state_directory: {state} }}")
    return demo.replace("broker: embedded", f"broker: {{ url: mqtt://127.0.0.1:{port} }}")


def first_word(words, prepare=lambda port: None):
    """Milliseconds from the start of a program until its CONNECT arrives here."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        prepare(port)
        start = time.perf_counter()
        process = subprocess.Popen(words(port), cwd=PACKAGE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        server.settimeout(10)
        with server.accept()[0] as connection:
            connection.recv(1)
            found = time.perf_counter() - start
        process.kill()
        process.wait()
    return found * 1000


def resident(pid):
    line = next(line for line in open(f"/proc/{pid}/status") if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def rate(used): return used["adverts"] / used["cpu_s"]


def records(path):
    data, offset = open(path, "rb").read(), 0
    while offset < len(data):
        yield offset
        offset += 9 + data[offset + 8]


def keys(folder):
    """Adds a configuration that knows 1,000 phones by their keys, none of which is in the air."""
    names = [f"p{number}" for number in range(1000)]
    write(f"{folder}/phones.yaml", "".join(f"{name}: {at + 1:032x}\n" for at, name in enumerate(names)))
    os.chmod(f"{folder}/phones.yaml", 0o600)
    write(f"{folder}/keys.yaml", open(f"{folder}/strangers.yaml").read() + f"keys_file: {folder}/phones.yaml\nbeacons:\n" + "".join(
        f"  - {{ name: {name}, irk: {name} }}\n" for name in names))
    return folder


def buttons(folder, numbers):
    """A folder with ten buttons, each of which sends packets of these numbers in turn."""
    os.makedirs(folder)
    with open(f"{folder}/adverts.bin", "wb") as out:
        for number in numbers:
            payload = bytes.fromhex(f"020106 0816d2fc4400{number:02x}3a01")
            for button in range(10): out.write(bytes([button, 0, 0, 0, 0, 0xC1, 2, 256 - 60, len(payload)]) + payload)
    write(f"{folder}/site.yaml", "gateway: { name: bench }\nbroker: embedded\ntelemetry: { beacon_state: 24 h }\nbeacons:\n" + "".join(
        f'  - {{ name: b{button}, address: "C1:00:00:00:00:0{button}" }}\n' for button in range(10)))
    return folder


def thresholds(cases):
    """What must not get worse, whatever the machine: lines to print; one that is BROKEN fails the run."""
    allowed = json.load(open(f"{HERE}/thresholds.json"))
    folder = cases.corpus("still", "--still")
    site = open(f"{folder}/site.yaml").read()
    write(f"{folder}/dashboard.yaml", site + "http: { listen: 127.0.0.1:8099 }\n")
    # Zones so small that nobody enters one, although the receivers place everybody between them.
    small = site
    for metres, less in ((2, 0.2), (6, 0.4), (9, 0.9), (5, 0.6)): small = small.replace(f": {metres} m", f": {less} m")
    corners = ((0, 0), (12, 0), (0, 9), (12, 9))
    write(f"{folder}/positions.yaml", small + "receivers:\n" + "".join(
        f"  - {{ name: hci{number}, position: [{x} m, {y} m, 2 m] }}\n" for number, (x, y) in enumerate(corners)))
    lines = []

    def allocations(run):
        out = cases.path("allocations.txt")
        run({"LD_PRELOAD": cases.path("allocations.so"), "ALLOCATIONS": out})
        return int(open(out).read())

    def zones(config, folder=folder, *more):
        return lambda passes, e: cases.bench(
            "zones", f"{folder}/adverts.bin", "--config", f"{folder}/{config}", "--passes", str(passes), *more, environment=e)

    def feed(config): return lambda passes, e: cases.socket(folder, config, passes, environment=e)

    presses, press = buttons(cases.path("presses"), [*range(256)] * 8), buttons(cases.path("press"), [7] * 2048)
    more = 10
    for name, fed, run in (
            # No more of them than are told.
            ("presses of buttons, each an event", presses, zones("site.yaml", presses, "--spacing", "60000")),
            ("one press that is repeated", press, zones("site.yaml", press)),
            ("memory to decision", folder, zones("site.yaml")),
            ("memory to decision, four receivers with positions", folder, zones("positions.yaml")),
            # Rooms take some for each window of 300 ms, in which 2,000 beacons are heard here.
            ("rooms, memory to decision", folder, zones("rooms.yaml")),
            ("socket to decision", folder, feed("site.yaml")),
            # The dashboard's history takes 16 KiB for some 2,000 sightings, until it has those of an hour or is full.
            ("socket to decision, with the dashboard's history", folder, feed("dashboard.yaml"))):
        first = allocations(lambda e: run(5, e))
        second = allocations(lambda e: run(5 + more, e))
        # A process takes a few from the heap by itself, now more and now less: one in ten thousand advertisements is none.
        each = round(max(0, second - first) / cases.adverts(fed, more), 4)
        kind = "allocations_per_advertisement" + (
            "_in_rooms" if name.startswith("rooms") else "_in_history" if name.endswith("history") else "")
        state = "ok" if each <= allowed[kind] else "BROKEN"
        lines.append(f"{state}: {each:g} heap allocations an advertisement in steady state, {name} ({second - first} in all)")
    return lines
