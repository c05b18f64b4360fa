#!/usr/bin/env python3
"""Prints each enter, near and exit of zones and rooms once, also across restarts. Needs paho-mqtt (python3-paho-mqtt).

    subscriber.py --host broker.lan --username anna --password-file ~/.mqtt-password

While it is stopped, the broker keeps what comes, under a name that is made at the first start. That name and what was told are in a
file. Each copy needs a file of its own (--kept): two of one name would share the transitions. Whoever needs it no more ends it
with --forget, or else the broker goes on keeping.
"""
import argparse, json, os, pathlib, secrets, sqlite3, sys, paho.mqtt.client as mqtt
options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--host", default="localhost")
options.add_argument("--port", type=int, help="default 1883, with TLS 8883")
options.add_argument("--username")
options.add_argument("--password-file", type=pathlib.Path, help="else what the environment's MQTT_PASSWORD says")
options.add_argument("--tls", action="store_true", help="encrypted; trusts the authorities that this machine trusts")
options.add_argument("--ca-file", help="encrypted; trusts these authorities")
options.add_argument("--kept", type=pathlib.Path, default="told.db", help="what was told (default %(default)s)")
options.add_argument("--forget", action="store_true", help="removes the file, and what the broker keeps")
options = options.parse_args()
password = os.environ.get("MQTT_PASSWORD")
if options.password_file: password = options.password_file.expanduser().read_text().splitlines()[0]
encrypted = options.tls or options.ca_file is not None
topics = [f"beaconkeeper/+/+/+/{event}" for event in ("enter", "near", "exit")]
def say(text): print(text, file=sys.stderr, flush=True)

try:
    kept = sqlite3.connect(options.kept, timeout=0, isolation_level=None)
    kept.executescript("""PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; BEGIN EXCLUSIVE;
        CREATE TABLE IF NOT EXISTS told(place INTEGER PRIMARY KEY, id TEXT UNIQUE);
        CREATE TABLE IF NOT EXISTS client(id TEXT); COMMIT""")
except sqlite3.Error as error:
    sys.exit(f"{options.kept}: {error}. Does another copy use it? Each needs a file of its own: --kept FILE")
if not kept.execute("SELECT id FROM client").fetchone():
    kept.execute("INSERT INTO client VALUES (?)", ("beaconkeeper" + secrets.token_hex(5),))
name = kept.execute("SELECT id FROM client").fetchone()[0]

# Callbacks of paho 2 get more, or other, last arguments than those of paho 1.
def on_connect(client, userdata, flags, code, *more):
    if code != 0: say(f"the broker refuses {options.username or 'anonymous'}: {mqtt.connack_string(code)}")
    elif options.forget: client.disconnect()
    else: client.subscribe([(topic, 1) for topic in topics])

def on_subscribe(client, userdata, mid, codes, *more):
    if any(getattr(code, "value", code) >= 128 for code in codes): sys.exit(f"the broker refuses to send {', '.join(topics)}")

def on_disconnect(client, userdata, *more):
    if not options.forget: say(f"the connection has ended; trying again. If that goes on, somebody else has the name {name}")

def on_message(client, userdata, message):
    try:
        t = json.loads(message.payload)
        line, id = " ".join([t["time"], t["event"], t.get("zone") or t["room"], t["beacon"]]), t["id"] + ""
    except Exception:
        return say(f"{message.topic}: no transition")
    # By ids, not by numbers: what the broker refused for a while comes late, and others take numbers, too.
    if kept.execute("SELECT 1 FROM told WHERE id = ?", (id,)).fetchone(): return
    # Told first: if the program ends in between, this one is told again rather than never. The broker has its receipt afterwards.
    print(line, flush=True)
    place = kept.execute("INSERT INTO told(id) VALUES (?)", (id,)).lastrowid
    kept.execute("DELETE FROM told WHERE place <= ?", (place - 100_000,))

paho2 = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
client = mqtt.Client(*paho2, client_id=name, clean_session=options.forget)
client.on_connect, client.on_subscribe, client.on_disconnect, client.on_message = on_connect, on_subscribe, on_disconnect, on_message
if options.username: client.username_pw_set(options.username, password)
if encrypted: client.tls_set(options.ca_file)
client.connect_async(options.host, options.port or (8883 if encrypted else 1883))
try: client.loop_forever(retry_first_connection=True)
except KeyboardInterrupt: pass
kept.close()
if options.forget: options.kept.unlink()
