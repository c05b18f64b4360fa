"""The real gateway with its own broker, playing the demo walk or what a test feeds it, and what it publishes."""
import json, os, re, shutil, signal, subprocess, tempfile, threading, time, urllib.request


class Gateway:
    """`beaconkeeper run` with a door."""

    def __init__(self, binary, root):
        self.binary, self.root = binary, root
        self.folder = tempfile.mkdtemp(prefix="beaconkeeper-dashboard-")
        self.password = self.write("password", "open sesame\n")
        os.chmod(self.password, 0o600)
        self.messages, self.processes, self.output, self.port = [], [], [], None
        self.host, self.capture, self.standard_input = "127.0.0.1", "-", subprocess.PIPE

    def demo(self, name):
        """The demo, in which the van has this name."""
        text = open(f"{self.root}/config/demo.yaml").read()
        region = "uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }"
        assert region in text, "the demo has another region"
        text = text.replace(region, region[:-1] + f", names: {{ \"1.2\": {json.dumps(name)} }} }}")
        text = text.replace("{ name: forecourt }", f"{{ name: forecourt, state_directory: {self.folder}/state }}")
        text = re.sub(r"(?m)^http:.*\n", "", text)
        self.configuration = text + f"http: {{ listen: \"127.0.0.1:0\", write_password_file: {self.password} }}\n"
        self.capture, self.standard_input = f"{self.root}/config/walk.jsonl", subprocess.DEVNULL
        return self

    def start(self, has_own_broker=True):
        self.output = []
        path = self.write("run.yaml", self.configuration)
        environment = dict(os.environ, XDG_RUNTIME_DIR=self.folder, XDG_STATE_HOME=self.folder)
        self.process = subprocess.Popen([self.binary, "run", "--config", path, "--capture", self.capture],
                                        stdin=self.standard_input, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, cwd=self.folder)
        self.processes.append(self.process)
        threading.Thread(target=self._read, daemon=True).start()
        self.port = int(self._told(rf"dashboard: http://{re.escape(self.host)}:(\d+)/"))
        if not has_own_broker:
            return f"http://127.0.0.1:{self.port}/"
        home = self._told(r"XDG_CONFIG_HOME=(\S+) mosquitto_sub")
        listener = subprocess.Popen(["mosquitto_sub", "-v", "-t", "beaconkeeper/#"], stdout=subprocess.PIPE, text=True,
                                    env=dict(os.environ, XDG_CONFIG_HOME=home))
        self.processes.append(listener)
        threading.Thread(target=self._listen, args=(listener,), daemon=True).start()
        return f"http://127.0.0.1:{self.port}/"

    def read(self, name):
        with open(f"{self.folder}/{name}") as file:
            return file.read()

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path

    def _read(self):
        for line in self.process.stdout:
            self.output.append(line)

    def _listen(self, listener):
        for line in listener.stdout:
            self.messages.append((time.time(), line.split(" ", 1)[0]))

    def _told(self, pattern, patience=120):
        return self._until(lambda: next((found[1] for line in list(self.output) if (found := re.search(pattern, line))), None), pattern, patience)

    def wait(self, topic, patience):
        """When the first message of this topic came, s."""
        return self._until(lambda: next((at for at, name in list(self.messages) if name.endswith(topic)), None), topic, patience)

    def _until(self, look, what, patience):
        from chromium import Failure
        end = time.monotonic() + patience
        while time.monotonic() < end:
            found = look()
            if found is not None:
                return found
            if self.process.poll() is not None:
                break
            time.sleep(0.02)
        raise Failure(f"the gateway did not tell {what}")

    def hear(self, receiver, address, rssi, payload="020106"):
        """An advertisement of this moment."""
        line = dict(t=round(time.time(), 3), receiver=receiver, address=address, address_type="random", rssi=rssi, payload=payload)
        self.process.stdin.write(json.dumps(line) + "\n")
        self.process.stdin.flush()

    def tell(self, receiver, health):
        """How a receiver is from this moment on."""
        self.process.stdin.write(json.dumps(dict(t=round(time.time(), 3), receiver=receiver, health=health, reason="told by a test")) + "\n")
        self.process.stdin.flush()

    def remember(self, beacon):
        """Keeps each sighting of a beacon from now on. A history of many minutes is thinned."""
        self.sightings = {}
        threading.Thread(target=self._remember, args=(f"http://127.0.0.1:{self.port}/api/v1/beacons/{beacon}",), daemon=True).start()

    def _remember(self, url):
        while self.process.poll() is None:
            try:
                self._note(json.load(urllib.request.urlopen(f"{url}/history?minutes=0.5")))
                with urllib.request.urlopen(f"{url}/live") as stream:
                    event = None
                    for line in stream:
                        key, _, value = line.decode().rstrip("\n").partition(": ")
                        if key == "event":
                            event = value
                        elif key == "data" and event == "trace":
                            self._note(json.loads(value))
            except OSError:
                # It was not heard yet.
                time.sleep(0.1)

    def _note(self, told):
        columns = told["sightings"]
        for t, receiver, rssi in zip(columns["t"], columns["receiver"], columns["rssi"]):
            self.sightings[t, told["receivers"][receiver]] = rssi

    def replayed(self, changes, until):
        """What `replay` decides until then (ms) over the sightings since `remember`, with changed lines of the first zone: events and times, ms."""
        self._until(lambda: True if max(t for t, _ in list(self.sightings)) >= until - 1000 else None, "the last sightings", 120)
        known = next(json.loads(line) for line in open(f"{self.root}/config/walk.jsonl") if "4425000100" in line and '"C2:' in line)
        heard = [dict(known, t=t / 1000, rssi=rssi, receiver=receiver) for (t, receiver), rssi in sorted(self.sightings.items())]
        # Time passes until then, also after the last sighting.
        heard.append(dict(known, t=max(until / 1000, heard[-1]["t"]), address="C2:00:00:00:00:FF", payload="020106"))
        capture = self.write("remembered.jsonl", "".join(json.dumps(one) + "\n" for one in heard))
        lines = self.configuration.splitlines()
        for key, line in changes.items():
            place = next(i for i, one in enumerate(lines) if one.strip().startswith(key))
            lines[place] = f"    {line}"
        path = self.write("tried.yaml", "\n".join(lines) + "\n")
        reply = subprocess.run([self.binary, "replay", "--config", path, "--capture", capture], capture_output=True, text=True, timeout=300)
        from datetime import datetime
        events = [json.loads(line) for line in reply.stdout.splitlines()]
        decided = [[one["event"], round(datetime.fromisoformat(one["time"].replace("Z", "+00:00")).timestamp() * 1000)]
                   for one in events if one.get("zone") == "pump-3" and one.get("event")]
        return [one for one in decided if one[1] <= until]

    def stop(self):
        for process in self.processes:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(60)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()

    def tail(self):
        return "".join(self.output[-30:])

    def clear(self):
        shutil.rmtree(self.folder, ignore_errors=True)
