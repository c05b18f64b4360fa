#!/usr/bin/env python3
"""Prints each enter, near and exit once, also across restarts. Needs paho-mqtt: subscriber.py [HOST [PORT]]"""
import json, pathlib, sys, paho.mqtt.subscribe
host, port = (sys.argv[1:] + ["localhost", 1883][len(sys.argv) - 1:])[:2]
kept = pathlib.Path("last-seq.json")
last = json.loads(kept.read_text()) if kept.exists() else {}
def on_message(client, userdata, message):
    t = json.loads(message.payload)
    key = f'{t["gateway"]} {t["epoch"]}'
    if t["seq"] <= last.get(key, 0): return
    print(t["time"], t["event"], t["zone"], t["beacon"], flush=True)
    last[key] = t["seq"]; kept.write_text(json.dumps(last))
paho.mqtt.subscribe.callback(on_message, ["beaconkeeper/+/zone/+/" + e for e in ("enter", "near", "exit")], 1,
                             hostname=host, port=int(port), client_id="beaconkeeper-subscriber", clean_session=False)
