"""A real mosquitto for one test, the subscriber of the examples as a program, and transitions to send."""
import json, os, pathlib, shutil, signal, socket, subprocess, tempfile, threading, time, itertools
import paho.mqtt.client as mqtt


class Failure(Exception):
    """Something did not happen. `found` is what there was instead."""

    def __init__(self, what, found=""):
        super().__init__(what)
        self.found = found


def until(what, is_so, patience=120):
    """Waits for what happens; a busy machine needs patience."""
    end = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > end:
            raise Failure(what, f"it did not come within {patience} s")
        time.sleep(0.02)


ids = itertools.count()


def transition(event, leave_out=None, **more):
    """Another one at each call, even if all it says is the same."""
    number = next(ids)
    told = dict(v=1, id=f"{number:032x}", epoch=7, seq=number + 1, event=event, time="2026-11-20T21:49:20.541Z", gateway="forecourt",
                zone="pump-3", beacon="van", distance_m=1.4, distance_sd_m=0.9, rssi_dbm=-62, because={}) | more
    told.pop(leave_out, None)
    return told


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


class Broker:
    def __init__(self, settings="allow_anonymous true\n", refuses_subscriptions=False, starts=True):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="beaconkeeper-examples-"))
        self.port = free_port()
        self.settings, self.process, self.server = settings, None, None
        if refuses_subscriptions:
            self.server = socket.create_server(("127.0.0.1", self.port))
            threading.Thread(target=self._refuse, daemon=True).start()
            return
        user = "user root\n" if os.geteuid() == 0 else ""
        (self.folder / "mosquitto.conf").write_text(
            f"listener {self.port} 127.0.0.1\n{settings}{user}persistence true\npersistence_location {self.folder}/\nautosave_interval 1\nautosave_on_changes true\n")
        if starts:
            self.start()

    def start(self):
        program = shutil.which("mosquitto") or "/usr/sbin/mosquitto"
        self.process = subprocess.Popen([program, "-c", self.folder / "mosquitto.conf"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        def is_open():
            with socket.socket() as one:
                return one.connect_ex(("127.0.0.1", self.port)) == 0
        until("mosquitto listens", is_open)

    def stop(self):
        self.process.terminate()
        self.process.wait()

    def publish(self, told):
        self.publish_bytes(json.dumps(told).encode(), f"beaconkeeper/{told['gateway']}/zone/{told['zone'].replace(' ', '%20')}/{told['event']}")

    def publish_bytes(self, payload, topic="beaconkeeper/forecourt/zone/pump-3/enter"):
        """Returns once the broker has it."""
        client = new_client("", True)
        client.connect("127.0.0.1", self.port)
        client.loop_start()
        message = client.publish(topic, payload, qos=1)
        until("the broker has the message", message.is_published)
        client.disconnect()
        client.loop_stop()

    def _refuse(self):
        """Lets everybody in and refuses each subscription (0x80), as brokers with access lists for them do."""
        while True:
            client, _ = self.server.accept()
            with client:
                while head := client.recv(2):
                    body = client.recv(head[1])
                    if head[0] >> 4 == 1:
                        client.sendall(b"\x20\x02\x00\x00")
                    elif head[0] >> 4 == 8:
                        client.sendall(b"\x90\x05" + body[:2] + b"\x80\x80\x80")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process:
            self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)


def new_client(name, clean, protocol=mqtt.MQTTv311):
    version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    more = {} if protocol == mqtt.MQTTv5 else {"clean_session": clean}
    return mqtt.Client(*version, client_id=name, protocol=protocol, **more)


class Subscriber:
    """The program as it is shipped, in a folder of its own."""

    def __init__(self, program, broker, folder=None):
        self.program, self.broker, self.own = program, broker, folder is None
        self.folder = folder or pathlib.Path(tempfile.mkdtemp(prefix="beaconkeeper-subscriber-"))
        self.out, self.errors, self.process = self.folder / f"out-{id(self)}", self.folder / f"errors-{id(self)}", None

    def start(self, *options, waits=True):
        with open(self.out, "ab") as out, open(self.errors, "ab") as errors:
            self.process = subprocess.Popen(["/usr/bin/python3", self.program, "--host", "127.0.0.1", "--port", str(self.broker.port), *options],
                                            cwd=self.folder, stdout=out, stderr=errors)
        if not waits:
            return
        # It listens once something arrives; that is taken out again.
        def listens():
            if self.process.poll() is not None:
                raise Failure("the subscriber runs", self.said())
            self.broker.publish(transition("near", beacon="probe"))
            return any(line.endswith("probe") for line in self._all()[before:])
        before = len(self._all())
        until("the subscriber listens", listens)

    def _all(self):
        return self.out.read_text().splitlines() if self.out.exists() else []

    def lines(self):
        return [line for line in self._all() if not line.endswith("probe")]

    def said(self):
        return self.errors.read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        self.process.wait(60)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process and self.process.poll() is None:
            self.kill()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)
