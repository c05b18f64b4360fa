"""Is all there that gateways count as acknowledged? A reader beside the workers, of RabbitMQ or of a plain broker."""
import json
import paho.mqtt.client as mqtt
import pika


class Count:
    """Observations of each batch once, however often it came."""

    def __init__(self):
        self.seen = {}

    def take(self, topic, payload):
        words = json.loads(payload)
        self.seen[topic, words["boot"], words["seq"]] = sum(len(beacon["heard"]) for beacon in words["beacons"])

    @property
    def observations(self):
        return sum(self.seen.values())


class Recorder(Count):
    """Of an MQTT broker: a session that outlives the connection."""

    def __init__(self, port):
        super().__init__()
        self.port = port
        self.come()

    def come(self):
        version = [mqtt.CallbackAPIVersion.VERSION1] if hasattr(mqtt, "CallbackAPIVersion") else []
        self.client = mqtt.Client(*version, client_id="audit", clean_session=False)
        self.client.on_connect = lambda client, *_: client.subscribe("beaconkeeper/+/observations/+", 1)
        self.client.on_message = lambda _client, _data, message: self.take(message.topic, message.payload)
        self.client.reconnect_delay_set(1, 1)
        self.client.connect("127.0.0.1", self.port)
        self.client.loop_start()

    def leave(self):
        self.client.disconnect()
        self.client.loop_stop()


class FleetRecorder(Count):
    """Of RabbitMQ: a quorum queue of its own, read at the end."""

    def __init__(self, fleet, patience=5):
        super().__init__()
        self.fleet, self.patience = fleet, patience
        with self.connect() as connection:
            channel = connection.channel()
            channel.queue_declare("audit", durable=True, arguments={"x-queue-type": "quorum"})
            channel.queue_bind("audit", "amq.topic", "beaconkeeper.*.observations.*")

    def connect(self):
        return pika.BlockingConnection([pika.ConnectionParameters(node.address, node.amqp) for node in self.fleet.nodes])

    def read(self):
        with self.connect() as connection:
            channel = connection.channel()
            channel.basic_qos(prefetch_count=1000)
            for method, _, payload in channel.consume("audit", inactivity_timeout=self.patience):
                if method is None:
                    break
                self.take(method.routing_key, payload)
                if method.delivery_tag % 500 == 0:
                    channel.basic_ack(method.delivery_tag, multiple=True)
