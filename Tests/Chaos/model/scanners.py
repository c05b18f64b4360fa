"""Receivers elsewhere, as their owners have them: an ESPresense board in the kitchen, and in the bath another Beaconkeeper."""
import json, threading, time
from .broker import new_client
from .world import BEACONS, ELSEWHERE, PLACES, UUID, entry

# What they hear besides, so that nobody takes them for silent.
STRANGER = "c90000000009"


def identity(beacon):
    """As ESPresense calls it."""
    if entry(beacon) == "fleet":
        return "iBeacon:" + "-".join([UUID.lower()] + beacon.split(":")[1].split("."))
    return "known:" + BEACONS[beacon][0].replace(":", "").lower()


def key(beacon):
    """As a Beaconkeeper calls it."""
    if entry(beacon) == "fleet":
        return " ".join(["ibeacon", UUID.replace("-", "").lower()] + beacon.split(":")[1].split("."))
    return f"entry address {BEACONS[beacon][0].replace(':', '').lower()} {beacon}"


class Scanners:
    """They publish what `world` lets them hear, and say again every second how they are, as those do that reconnect."""

    def __init__(self, world, port):
        self.world, self.sequence = world, 0
        self.client = new_client("", True)
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()
        threading.Thread(target=self.transmit, daemon=True).start()

    def transmit(self):
        turn = 0
        while True:
            if turn % 5 == 0:
                for receiver in ELSEWHERE:
                    self.tell_health(receiver)
            if "esp-kitchen" not in self.world.blind:
                self.kitchen()
            if "bath/hci0" not in self.world.blind:
                self.bath()
            turn += 1
            time.sleep(0.2)

    def tell_health(self, receiver):
        is_blind = receiver in self.world.blind
        if receiver == "esp-kitchen":
            self.client.publish("espresense/rooms/kitchen/status", "offline" if is_blind else "online", retain=True)
            return
        base = self.world.root + "/bath/"
        self.client.publish(base + "status", "online", retain=True)
        radio = {"name": "hci0", "state": "gone" if is_blind else "ok", "reason": "pulled out" if is_blind else ""}
        self.client.publish(base + "health", json.dumps({"v": 1, "gateway": "bath", "receivers": [radio]}), retain=True)

    def heard(self, receiver):
        levels = {beacon: PLACES[self.world.place[beacon]][receiver] for beacon in BEACONS}
        return {beacon: rssi for beacon, rssi in levels.items() if rssi is not None}

    def kitchen(self):
        said = [("known:" + STRANGER, STRANGER, -90)]
        said += [(identity(b), BEACONS[b][0].replace(":", "").lower(), rssi) for b, rssi in self.heard("esp-kitchen").items()]
        for id, mac, rssi in said:
            message = {"mac": mac, "id": id, "rssi@1m": -59, "rssi": rssi, "raw": 2.0, "distance": 2.0, "int": 200}
            self.client.publish(f"espresense/devices/{id}/kitchen", json.dumps(message))

    def bath(self):
        self.sequence += 1
        beacons = [{"beacon": "entry address " + STRANGER + " stranger", "heard": [[0, -90, 0]]}]
        beacons += [{"beacon": key(b), "heard": [[0, rssi, 5]]} for b, rssi in self.heard("bath/hci0").items()]
        message = {"v": 1, "gateway": "bath", "boot": "0123456789abcdef", "seq": self.sequence,
                   "sent_ms": int(time.monotonic() * 1000), "receivers": ["hci0"], "beacons": beacons}
        self.client.publish(self.world.root + "/bath/observations/0", json.dumps(message))
