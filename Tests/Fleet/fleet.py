"""A fleet on this machine, for those who try one and for tests: RabbitMQ nodes, a mosquitto for the results, workers, a crowd.

Everything listens on loopback only, on ports of its own, and lives in one folder. On request each node has a network of its own.
"""
import atexit, json, os, random, re, shutil, socket, subprocess, sys, tempfile, time
from network import Network
from processes import PREFIX, Process, leave_id

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SITE = "site"
STRATEGIES = (("ios7", "background-task"), ("ios7", "stock"))
BREATH = 0.1
faults = []


def expect(condition, what):
    """`what` says what is expected, and what was seen."""
    print(f"  {'ok  ' if condition else 'FAIL'} {what}", flush=True)
    if not condition:
        faults.append(what)


def verdict():
    """Ends a test. What failed comes last; after it only where everything is."""
    for what in faults:
        print(f"FAILED: {what}")
    print(f"{len(faults)} failed" if faults else "passed")
    sys.exit(1 if faults else 0)


given_out = set()


def free_ports(count):
    """Ports on which nothing listens now, of those that the kernel does not lend to the connections of others, each given out once."""
    ports = []
    while len(ports) < count:
        port = random.randrange(10_000, 32_768)
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
        if port not in given_out:
            given_out.add(port)
            ports.append(port)
    return ports


def listens(port, address="127.0.0.1"):
    try:
        socket.create_connection((address, port), 1).close()
        return True
    except OSError:
        return False


def until(condition, seconds, what):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"FAILED: {what} did not come within {seconds} s")
        time.sleep(BREATH)


def find_binary():
    binary = os.environ.get("BEACONKEEPER")
    if not binary:
        words = ["swift", "build", "-c", "release"]
        subprocess.run([*words, "--product", "beaconkeeper"], cwd=ROOT, check=True, stdout=sys.stderr)
        path = subprocess.run([*words, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
        binary = path.stdout.strip() + "/beaconkeeper"
    return os.path.abspath(binary)


class Node(Process):
    """A RabbitMQ node with MQTT."""

    def __init__(self, number, fleet):
        self.number, self.fleet = number, fleet
        self.amqp, self.mqtt, self.dist = free_ports(3)
        self.home = os.path.join(fleet.folder, f"rabbit{number}")
        network = fleet.network
        self.address, host = (network.address(number), network.host(number)) if network else ("127.0.0.1", "localhost")
        self.node = f"{fleet.label}{number}@{host}"
        # In the node's network, if it has one.
        self.there = ["ip", "netns", "exec", network.space(number)] if network else []
        os.makedirs(self.home)
        super().__init__(f"rabbit{number}", fleet.folder, [*self.there, "/usr/lib/rabbitmq/bin/rabbitmq-server"])
        # Whoever wants something of a frozen node waits that long, and 7 s otherwise. Idle schedulers do not spin. Nobody from outside.
        # Nodes on one machine share its cores. With a scheduler for each core in each node they take more time, in longer bursts.
        schedulers = max(1, (os.cpu_count() or 1) // fleet.count)
        erlang = f"-kernel net_setuptime 1 +S {schedulers}:{schedulers} +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {{{self.address.replace('.', ',')}}}"
        self.environment = dict(
            os.environ, HOME=fleet.folder, RABBITMQ_NODENAME=self.node, ERL_EPMD_PORT=str(fleet.epmd_port),
            ERL_EPMD_ADDRESS=self.address, RABBITMQ_DIST_PORT=str(self.dist), RABBITMQ_MNESIA_BASE=self.home + "/mnesia",
            RABBITMQ_LOG_BASE=self.home + "/log", RABBITMQ_CONFIG_FILE=self.home + "/rabbitmq.conf",
            RABBITMQ_ENABLED_PLUGINS_FILE=self.home + "/enabled_plugins", RABBITMQ_USE_LONGNAME="false",
            RABBITMQ_PID_FILE=self.home + "/pid", LC_ALL="C.UTF-8", RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS=erlang)

    def configure(self, first):
        lines = [f"listeners.tcp.1 = {self.address}:{self.amqp}", f"mqtt.listeners.tcp.1 = {self.address}:{self.mqtt}",
                 "mqtt.allow_anonymous = true", "log.console = false", "heartbeat = 5",
                 f"vm_memory_high_watermark.absolute = {self.fleet.memory}MB", "disk_free_limit.absolute = 50MB",
                 # What quorum queues write first; 512 MB would be three times that in memory.
                 "raft.wal_max_size_bytes = 64000000",
                 # The smaller half of a divided cluster stops, and its clients go to the other one.
                 "cluster_partition_handling = pause_minority",
                 # A frozen node is noticed after 6 to 7.5 seconds, before clients come that had it.
                 "net_ticktime = 6",
                 "cluster_formation.peer_discovery_backend = classic_config",
                 # Whoever reaches a node's own network may be the user guest.
                 "loopback_users = none"]
        # The first knows no other: since version 4, RabbitMQ waits minutes for each that it knows and does not find.
        lines += [f"cluster_formation.classic_config.nodes.{n.number} = {n.node}" for n in dict.fromkeys([first, self])]
        with open(os.path.join(self.home, "rabbitmq.conf"), "w") as file:
            file.write("\n".join(lines) + "\n")
        with open(os.path.join(self.home, "enabled_plugins"), "w") as file:
            file.write("[rabbitmq_mqtt].\n")

    @property
    def is_up(self):
        if not self.runs:
            raise SystemExit(f"fleet: {self.name} ended: see {self.log}")
        return listens(self.amqp, self.address) and listens(self.mqtt, self.address)

    def part(self, others):
        """Cuts it off from other nodes, which all go on. Without networks of their own, they refuse each other."""
        if self.fleet.network:
            return self.fleet.network.cut(self.number)
        for node, peers in [(self, others), *((other, [self]) for other in others)]:
            for peer in peers:
                node.ctl("eval", f"erlang:set_cookie('{peer.node}', parted), erlang:disconnect_node('{peer.node}').")

    def join(self, others):
        """The network between them is mended."""
        if self.fleet.network:
            return self.fleet.network.mend(self.number)
        cookie = open(os.path.join(self.fleet.folder, ".erlang.cookie")).read()
        for node, peers in [(self, others), *((other, [self]) for other in others)]:
            for peer in peers:
                node.ctl("eval", f"erlang:set_cookie('{peer.node}', '{cookie}').")

    def ctl(self, *words):
        done = subprocess.run([*self.there, "/usr/lib/rabbitmq/bin/rabbitmqctl", "-n", self.node, "-q", *words],
                              env=self.environment, capture_output=True, text=True, timeout=60)
        if done.returncode:
            print(f"fleet: rabbitmqctl {' '.join(words)}: {(done.stderr or done.stdout).strip()}", flush=True)
        return done.stdout if done.returncode == 0 else ""

    def leaders(self):
        """The node that leads it, for each queue."""
        return [words[1] for line in self.ctl("list_queues", "name", "leader").splitlines() if len(words := line.split()) == 2]


class Fleet:
    """All of it. Use it with `with`, so that nothing stays behind."""

    def __init__(self, binary, nodes=3, memory=900, folder=None, keep=False, networks=False):
        self.folder = folder or tempfile.mkdtemp(prefix=PREFIX)
        leave_id(self.folder, "fleet", os.getpid())
        self.binary, self.memory, self.keep = binary, memory, keep
        self.crowd_binary = os.environ.get("BEACONKEEPER_CROWD", binary)
        self.label = "fleet" + str(os.getpid()) + "n"
        self.epmd_port, self.output_port = free_ports(2)
        with open(os.path.join(self.folder, ".erlang.cookie"), "w") as file:
            file.write(os.urandom(16).hex())
        os.chmod(file.name, 0o400)
        numbers = range(1, nodes + 1)
        self.count = nodes
        self.network = Network(numbers) if networks else None
        self.nodes = [Node(number, self) for number in numbers]
        # One for all, or one in each network.
        self.epmds = [Process(f"epmd{node.number}", self.folder,
                              [*node.there, "epmd", "-port", str(self.epmd_port), "-address", node.address],
                              dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/bin"))
                      for node in (self.nodes if networks else self.nodes[:1])]
        for node in self.nodes:
            node.configure(self.nodes[0])
        with open(os.path.join(self.folder, "mosquitto.conf"), "w") as file:
            file.write(f"listener {self.output_port} 127.0.0.1\nallow_anonymous true\nmax_queued_messages 0\n"
                       f"persistence true\npersistence_location {self.folder}/\npersistence_file output.db\n"
                       + ("user root\n" if os.geteuid() == 0 else ""))
        self.output = Process("mosquitto", self.folder, ["/usr/sbin/mosquitto", "-c", "mosquitto.conf"])
        self.workers = {}
        self.crowd = None
        # A folder in which workers keep all that comes out of the queues; None: they do not.
        self.journal = None

    def __enter__(self):
        return self

    def __exit__(self, _kind, error, _trace):
        parts = [self.crowd, *self.workers.values(), self.output, *self.nodes, *self.epmds]
        for part in filter(None, parts):
            part.kill()
        if self.network:
            self.network.end()
        # Whoever ends it has seen enough.
        is_ended = isinstance(error, KeyboardInterrupt) or getattr(error, "code", None) == 143
        if self.keep or faults or error and not is_ended:
            for name in os.listdir(self.folder):
                if name.endswith(".pid"):
                    os.remove(os.path.join(self.folder, name))
            # The last line of whatever ends it.
            atexit.register(print, f"logs: {self.folder}", flush=True)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    @property
    def config(self):
        return os.path.join(self.folder, "fleet.yaml")

    @property
    def output_url(self):
        return f"mqtt://127.0.0.1:{self.output_port}"

    def start_brokers(self):
        if self.network:
            self.network.start()
        for epmd in self.epmds:
            epmd.start()
        self.output.start()
        # The first makes the cluster, the others join it.
        for group in self.nodes[:1], self.nodes[1:]:
            for node in group:
                node.start()
            for node in group:
                until(lambda: node.is_up, 400, node.name)
        until(lambda: listens(self.output_port), 60, "mosquitto")

    def write_configuration(self, options, outlines=True, phones=()):
        """For a crowd of these options of `beaconkeeper crowd`. Without outlines a beacon costs a worker much less. `phones`: tags
        that phones carry, in turn of each strategy; with them there is a zone at the first room's receivers."""
        nodes = [word for node in self.nodes for word in ("--rabbitmq", f"amqp://{node.address}:{node.amqp}")]
        subprocess.run([self.crowd_binary, "crowd", *options, "--config-out", self.config, "--output-broker", self.output_url,
                        *nodes], check=True)
        with open(self.config) as file:
            text = file.read()
        if not outlines:
            text = re.sub(r", outline: \[\[.*\]\]", "", text)
        if phones:
            first = re.search(r"name: r001, receivers: (\[.*?\])", text)[1]
            text += ("zones:\n  - { name: desk, receivers: " + first + ", near: { distance: 4 m, rearm: 7 m }, "
                     "enter: { distance: 8 m }, exit: { distance: 12 m } }\nphones:\n")
            for number, tag in enumerate(phones):
                system, strategy = STRATEGIES[number % len(STRATEGIES)]
                text += f'  - {{ name: p{number}, beacon: "{tag}", os: {system}, strategy: {strategy} }}\n'
        text += f"metrics: {{ file: \"{self.folder}/metrics.prom\", every: 1 s }}\n"
        with open(self.config, "w") as file:
            file.write(text)

    def metrics(self, worker):
        """What a worker writes for Prometheus: values by name and partition, which is None for those of the worker."""
        values = {}
        try:
            with open(os.path.join(self.folder, f"metrics-{worker}.prom")) as file:
                for line in file:
                    found = re.fullmatch(r'(\w+)\{gateway="site",worker="(\w+)"(?:,partition="(\d+)")?.*\} ([\d.]+)\n', line)
                    if found and found[2] == worker:
                        values[found[1].removeprefix("beaconkeeper_"), found[3] and int(found[3])] = float(found[4])
        except OSError:
            pass
        return values

    def keep_journal(self):
        self.journal = os.path.join(self.folder, "journal")
        os.makedirs(self.journal)

    def replayed(self, *words):
        """What one worker without faults would have said: the payloads of transitions and verdicts, in lines."""
        words = [self.binary, "replay", "--config", self.config, "--journal", self.journal, "--verdicts", *words]
        done = subprocess.run(words, capture_output=True)
        if done.returncode:
            raise SystemExit(f"fleet: {done.stderr.decode().strip()}")
        return done.stdout.splitlines()

    def wait_for_owners(self, healths, partitions, patience=400):
        until(lambda: len(healths.owners()) == partitions, patience, "a worker for each partition")

    def start_worker(self, name):
        words = ["--journal", self.journal] if self.journal else []
        worker = Process(name, self.folder, [self.binary, "fuse", "--config", self.config, "--name", name, *words],
                         dict(os.environ, LD_PRELOAD=self.clock_library(), FLEET_CLOCK=self.clock(name)))
        self.workers[name] = worker
        return worker.start()

    def clock_library(self):
        """Lets a worker's clock be set."""
        library = os.path.join(self.folder, "clock.so")
        if not os.path.exists(library):
            source = os.path.join(os.path.dirname(os.path.realpath(__file__)), "clock.c")
            subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source, "-ldl"], check=True)
        return library

    def clock(self, name):
        path = os.path.join(self.folder, name + ".clock")
        if not os.path.exists(path):
            self.set_clock(name, 0)
        return path

    def set_clock(self, name, ahead):
        """How many seconds a worker's clock is ahead of the true time."""
        path = os.path.join(self.folder, name + ".clock")
        # In place, because the worker has mapped it.
        with open(path, "r+b" if os.path.exists(path) else "xb") as file:
            file.write(ahead.to_bytes(8, "little", signed=True))

    def start_crowd(self, options, seconds=None, brokers=None):
        brokers = brokers or [f"mqtt://{node.address}:{node.mqtt}" for node in self.nodes]
        words = [word for broker in brokers for word in ("--broker", broker)]
        words += ["--seconds", str(seconds)] if seconds else []
        self.crowd = Process("crowd", self.folder,
                             [self.crowd_binary, "crowd", *options, *words, "--json", "--truth", self.truth])
        return self.crowd.start()

    @property
    def truth(self):
        return os.path.join(self.folder, "truth.jsonl")

    def crowd_figures(self):
        """The crowd's last line; without a second it is the sum of all."""
        try:
            with open(os.path.join(self.folder, "crowd.log")) as file:
                lines = [line for line in file if line.startswith("{") and line.endswith("}\n")]
            return json.loads(lines[-1]) if lines else {}
        except OSError:
            return {}

    def waiting(self, partitions):
        """Messages in each partition's queue that no worker has yet; None while no node answers."""
        import pika
        for node in self.nodes:
            if node.runs and listens(node.amqp, node.address):
                try:
                    connection = pika.BlockingConnection(pika.ConnectionParameters(
                        node.address, node.amqp, socket_timeout=3, blocked_connection_timeout=3, stack_timeout=5))
                    channel = connection.channel()
                    counts = [channel.queue_declare(f"beaconkeeper.{SITE}.{number}", passive=True).method.message_count
                              for number in range(partitions)]
                    connection.close()
                    return counts
                except (pika.exceptions.AMQPError, OSError):
                    continue
        return None
