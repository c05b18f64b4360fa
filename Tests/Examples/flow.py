"""The Node-RED flow: its functions in a browser's JavaScript engine, and its broker's settings in a real client."""
import dataclasses, json
import paho.mqtt.client as mqtt
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from broker import new_client, until
from chromium import Chromium

# What Node-RED gives a function: a message of its own, and the memory of its flow, which holds copies.
engine = """
window.memory = {};
window.started = false;
window.flow = { get: (key) => structuredClone(memory[key]), set: (key, value) => { memory[key] = structuredClone(value); } };
window.node = { error() {}, warn() {}, log() {}, status() {} };
window.pass = (nodes, first, messages) => {
  const byId = Object.fromEntries(nodes.map((one) => [one.id, one])), shown = [];
  const go = (id, msg) => {
    const one = byId[id];
    if (one.type === 'debug') { shown.push(msg.payload); return; }
    const out = one.type === 'function' ? new Function('msg', 'flow', 'node', one.func)(structuredClone(msg), flow, node) : msg;
    // An array has what goes to each output: a message, or several.
    const sent = Array.isArray(out) ? [out[0]].flat() : out ? [out] : [];
    for (const next of sent) for (const to of one.wires[0]) go(to, next);
  };
  const start = (one) => { new Function('flow', 'node', one.initialize || '')(flow, node); };
  if (!window.started) nodes.filter((one) => one.type === 'function').forEach(start);
  window.started = true;
  for (const msg of messages) go(first, msg);
  return shown;
};
0
"""


class Flow:
    def __init__(self, path):
        self.nodes = json.loads(path.read_text())
        self.browser = Chromium()
        self.page = self.browser.page()
        self.page.run(engine)

    def shown(self, first, payloads, topic="beaconkeeper/forecourt/zone/pump-3/enter"):
        """What the debug nodes show of messages that come in at a node."""
        messages = json.dumps([{"topic": topic, "payload": payload} for payload in payloads])
        return self.page.run(f"pass({json.dumps(self.nodes)}, {json.dumps(first)}, {messages})")

    def restart(self, keeps):
        """With contextStorage in files, or without."""
        memory = self.page.run("JSON.stringify(memory)")
        self.page.run(engine)
        if keeps:
            self.page.run(f"window.memory = {memory}; 0")

    def kept(self):
        return self.page.run("memory.seen.length")

    def close(self):
        self.browser.close()


@dataclasses.dataclass(frozen=True)
class Settings:
    """As the nodes of the file have them."""
    client: str
    clean: bool
    expiry: int
    unsubscribes: bool
    protocol: str
    topics: tuple
    qos: frozenset

    def but(self, **change):
        return dataclasses.replace(self, **change)


def settings(path):
    nodes = json.loads(path.read_text())
    broker = next(one for one in nodes if one["type"] == "mqtt-broker")
    inputs = [one for one in nodes if one["type"] == "mqtt in"]
    assert all(one["broker"] == broker["id"] for one in inputs)
    return Settings(broker["clientid"], broker["cleansession"], int(broker["sessionExpiry"]), broker["autoUnsubscribe"],
                    broker["protocolVersion"], tuple(one["topic"] for one in inputs), frozenset(one["qos"] for one in inputs))


class Session:
    """Connects, subscribes and leaves as Node-RED does with these settings."""

    def __init__(self, broker, told):
        self.broker, self.told, self.heard, self.client = broker, told, [], None

    def come(self):
        self.client = new_client(self.told.client, None, mqtt.MQTTv5)
        subscribed = []
        self.client.on_connect = lambda client, *_: client.subscribe([(topic, 1) for topic in self.told.topics])
        self.client.on_subscribe = lambda *_: subscribed.append(True)
        self.client.on_message = lambda client, data, message: self.heard.append(message.payload.decode())
        properties = Properties(PacketTypes.CONNECT)
        if self.told.expiry:
            properties.SessionExpiryInterval = self.told.expiry
        self.client.connect("127.0.0.1", self.broker.port, clean_start=self.told.clean, properties=properties)
        self.client.loop_start()
        until("the broker has the subscription", lambda: subscribed)

    def go(self, forever=False):
        if self.told.unsubscribes or forever:
            gone = []
            self.client.on_unsubscribe = lambda *_: gone.append(True)
            self.client.unsubscribe(list(self.told.topics))
            until("the broker has forgotten the subscription", lambda: gone)
        self.client.disconnect()
        self.client.loop_stop()

    def away(self):
        """The broker is gone; the client tries no more for now."""
        self.client.loop_stop()
