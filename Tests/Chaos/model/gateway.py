"""The gateway, and the radio that it hears."""
import http.client, json, mmap, os, shutil, signal, struct, subprocess, threading, time
from .ports import free_port
from .world import BEACONS, HERE, PLACES, TWIN, TWIN_ADDRESS


class Gateway:
    def __init__(self, world, port, binary, folder):
        self.world, self.port, self.binary, self.folder, self.process = world, port, binary, folder, None
        self.log, self.started, self.twins_since = open(f"{folder}/gateway.log", "ab"), 0.0, 0
        self.page = free_port()
        shim = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "shim.c")
        subprocess.run(["cc", "-shared", "-fPIC", "-o", f"{folder}/shim.so", shim, "-ldl"], check=True)
        with open(f"{folder}/clock", "w+b") as file:
            file.write(bytes(8))
            file.flush()
            self.ahead = mmap.mmap(file.fileno(), 8)
        # An old frame of the button must not come after a new one.
        self.air = threading.Lock()
        threading.Thread(target=self.transmit, daemon=True).start()

    def configure(self):
        temporary = f"{self.folder}/world.yaml.new"
        open(temporary, "w").write(self.world.yaml(self.port, self.page))
        os.replace(temporary, f"{self.folder}/world.yaml")

    def start(self, until_ready=True):
        told = self.twins_since = self.told()
        spoiled = {"LD_PRELOAD": f"{self.folder}/shim.so", "CLOCK": f"{self.folder}/clock",
                   "FULL_DISK": f"{self.folder}/full", "HANGING_DISK": f"{self.folder}/hanging"}
        self.process = subprocess.Popen([self.binary, "run", "--config", "world.yaml", "--capture", "-"], stdin=subprocess.PIPE,
                                        stdout=self.log, stderr=self.log, cwd=self.folder, env=os.environ | spoiled)
        self.started = time.time()
        self.world.restarted()
        for receiver in HERE:
            self.tell_health(receiver)
        if until_ready:
            self.wait_for("watch: ", told)

    def told(self):
        return os.path.getsize(f"{self.folder}/gateway.log")

    def wait_for(self, words, told):
        """Until it says something that it had not said when `told` was taken."""
        until = time.time() + 120
        while words.encode() not in open(f"{self.folder}/gateway.log", "rb").read()[told:]:
            if time.time() > until or self.process.poll() is not None:
                raise SystemExit(f"FAILED: the gateway does not say {words!r} within 120 s; its status is {self.process.poll()}")
            time.sleep(0.05)
        self.world.said_again()

    def wait_for_twins(self, seconds):
        """Until it tells that two send one id. The receiver that it asks about that may be one that hears only one of them."""
        if self.world.twin and not self.world.is_twin_known:
            words, until = f"several devices send as {self.world.name(TWIN)}".encode(), time.time() + seconds
            while words not in open(f"{self.folder}/gateway.log", "rb").read()[self.twins_since:]:
                if time.time() > until:
                    raise SystemExit(f"FAILED: the gateway does not tell of the twins of {TWIN}; logs in {self.folder}")
                time.sleep(0.05)
            self.world.is_twin_known = True

    def wait_until_it_hears_signals(self):
        """Before that, a signal ends any program."""
        until = time.time() + 60
        while time.time() < until:
            if self.hears(signal.SIGHUP):
                return
            time.sleep(0.001)
        raise SystemExit(f"the gateway does not hear signals; logs in {self.folder}")

    def hears(self, number):
        return any(line.startswith(("SigIgn:", "SigCgt:", "SigBlk:")) and int(line.split()[1], 16) & 1 << number - 1
                   for line in open(f"/proc/{self.process.pid}/status"))

    def reload(self, until_read=False):
        told = self.told()
        self.configure()
        self.process.send_signal(signal.SIGHUP)
        if until_read or self.world.unknowable:
            self.wait_for("configuration reloaded", told)

    def stop(self, how):
        hears = how == signal.SIGTERM and self.hears(how)
        self.world.button.doubt()
        process, self.process = self.process, None
        process.send_signal(how)
        try:
            process.wait(120)
        except subprocess.TimeoutExpired:
            process.kill()
            raise SystemExit("the gateway does not stop")
        if how == signal.SIGTERM and process.returncode != 0 and (hears or process.returncode != -how):
            raise SystemExit(f"the gateway ended with status {process.returncode}; logs in {self.folder}")

    def pause(self, seconds):
        self.process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self.process.send_signal(signal.SIGCONT)

    def ask(self, path, method="GET", body=None):
        """What the page gets: the status and the answer, or None where nobody answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.page, timeout=30)
        try:
            headers = {"Authorization": "Bearer secret"} | ({"Content-Type": "application/json"} if body else {})
            connection.request(method, "/api/v1/" + path, json.dumps(body) if body else None, headers)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())
        except (OSError, http.client.HTTPException):
            return None
        finally:
            connection.close()

    def set_clock(self, ahead):
        self.world.step_clock(ahead)
        self.ahead[:] = struct.pack("=q", ahead)

    def spoil_disk(self, how):
        self.world.disk = how
        open(f"{self.folder}/{how}", "w").close()

    def mend_disk(self):
        """Until all is kept again that has to be."""
        os.remove(f"{self.folder}/{self.world.disk}")
        until = time.time() + 120
        while True:
            status, answer = self.ask("overview") or (None, {})
            if status == 200 and answer["health"]["outbox"]["durable"]:
                break
            if time.time() > until:
                raise SystemExit(f"FAILED: the disk is mended, and health says {answer.get('health')}; logs in {self.folder}")
            time.sleep(0.1)
        self.world.disk = None

    @property
    def state(self):
        return f"{self.folder}/state"

    def keep_state(self):
        shutil.copytree(self.state, self.state + ".kept")

    def roll_state_back(self):
        shutil.rmtree(self.state)
        os.rename(self.state + ".kept", self.state)

    def write(self, entry):
        process = self.process
        try:
            if process:
                process.stdin.write((json.dumps(entry) + "\n").encode())
                process.stdin.flush()
        except (BrokenPipeError, ValueError):
            pass

    def tell_health(self, receiver):
        health = "gone" if receiver in self.world.blind else "ok"
        self.write({"t": time.time(), "receiver": receiver, "health": health, "reason": "pulled out" if health == "gone" else ""})

    def transmit(self):
        while True:
            process = self.process
            for receiver in HERE:
                # Who is heard first of twins counts, so each run hears a round from its beginning.
                if receiver in self.world.blind or self.process is not process:
                    continue
                # A stranger shows that the receiver sees.
                self.hear(receiver, "C9:00:00:00:00:09", -90, "020106")
                for beacon in BEACONS:
                    if self.process is not process:
                        break
                    if beacon == "bell":
                        with self.air:
                            self.hear_beacon(receiver, beacon, self.world.button.payload())
                    else:
                        self.hear_beacon(receiver, beacon, self.world.payload(beacon))
                if (twin := self.world.twin) and self.process is process:
                    self.hear(receiver, TWIN_ADDRESS, PLACES[twin][receiver], self.world.payload(TWIN))
            time.sleep(0.1)

    def hear_beacon(self, receiver, beacon, payload):
        rssi = PLACES[self.world.place[beacon]][receiver]
        if rssi is not None and receiver not in self.world.blind:
            self.hear(receiver, BEACONS[beacon][0], rssi, payload)

    def hear_button(self, button=0):
        """As buttons do: a few times the same."""
        for _ in range(3):
            for receiver in HERE:
                self.hear_beacon(receiver, "bell", self.world.button.payload(button))

    def hear(self, receiver, address, rssi, payload):
        self.write({"t": time.time(), "receiver": receiver, "address": address, "address_type": "random", "rssi": rssi,
                    "payload": payload})
