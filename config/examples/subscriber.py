#!/usr/bin/env python3
"""Prints each enter, near and exit once, also across restarts. Needs paho-mqtt (python3-paho-mqtt).

    subscriber.py --host broker.lan --username anna --password-file ~/.mqtt-password
"""
import argparse, json, os, pathlib, paho.mqtt.subscribe
options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
options.add_argument("--host", default="localhost")
options.add_argument("--port", type=int, help="default 1883, with TLS 8883")
options.add_argument("--username")
options.add_argument("--password-file", type=pathlib.Path, help="else what the environment's MQTT_PASSWORD says")
options.add_argument("--tls", action="store_true", help="encrypted; trusts the authorities that this machine trusts")
options.add_argument("--ca-file", help="encrypted; trusts these authorities")
options.add_argument("--kept", type=pathlib.Path, default="told.json", help="what was told (default %(default)s)")
options = options.parse_args()
password = os.environ.get("MQTT_PASSWORD")
if options.password_file: password = options.password_file.expanduser().read_text().splitlines()[0]
encrypted = options.tls or options.ca_file is not None
told = json.loads(options.kept.read_text()) if options.kept.exists() else {}
def on_message(client, userdata, message):
    t = json.loads(message.payload)
    key = f'{t["gateway"]} {t["epoch"]}'
    seen, seq = told.setdefault(key, {"last": 0, "missing": []}), t["seq"]
    # Messages that the broker refused for a while arrive later; until then their numbers are missing.
    if seq > seen["last"]: seen["missing"], seen["last"] = (seen["missing"] + list(range(seen["last"] + 1, seq)))[-1000:], seq
    elif seq in seen["missing"]: seen["missing"].remove(seq)
    else: return
    # Saved atomically, and first: if the program ends in between, this one is lost rather than reported twice.
    new = options.kept.with_name(options.kept.name + ".new")
    new.write_text(json.dumps(told))
    new.replace(options.kept)
    print(t["time"], t["event"], t["zone"], t["beacon"], flush=True)
paho.mqtt.subscribe.callback(
    on_message, ["beaconkeeper/+/zone/+/" + e for e in ("enter", "near", "exit")], 1,
    hostname=options.host, port=options.port or (8883 if encrypted else 1883),
    auth={"username": options.username, "password": password} if options.username else None,
    tls={"ca_certs": options.ca_file} if encrypted else None,
    client_id="beaconkeeper-subscriber", clean_session=False)
