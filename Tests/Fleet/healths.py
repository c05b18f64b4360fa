"""What the workers of a fleet say of themselves."""
import json, threading
import paho.mqtt.client as mqtt


class Healths:
    def __init__(self, port, site="site"):
        version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.workers, self.lock = {}, threading.Lock()
        self.client = mqtt.Client(*version)
        self.client.on_connect = lambda client, *_: client.subscribe(f"beaconkeeper/{site}/worker/+/health", 1)
        self.client.on_message = self.take
        self.client.reconnect_delay_set(1, 2)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def take(self, _client, _data, message):
        name = message.topic.split("/")[3]
        with self.lock:
            if message.payload:
                self.workers[name] = json.loads(message.payload)
            else:
                self.workers.pop(name, None)

    def owners(self):
        """Worker by partition."""
        with self.lock:
            return {part["partition"]: name for name, health in sorted(self.workers.items()) for part in health["partitions"]}

    def lines(self):
        with self.lock:
            for name, health in sorted(self.workers.items()):
                parts = health["partitions"]
                lag = max((part.get("lag_ms", 0) for part in parts), default=0)
                beacons = sum(part["beacons"] for part in parts)
                heard = sum(part["observations"] for part in parts)
                made = sum(part["transitions"] for part in parts)
                unsaved = sum(part.get("unsaved", 0) for part in parts)
                held = " ".join(str(part["partition"]) for part in parts)
                yield (f"  {name}: {beacons} beacons, {heard} observations, {made} transitions, lag {lag} ms, {unsaved} messages unsaved; partitions {held or '–'}"
                       + ("; leads" if health.get("leads") else ""))
