# The petrol station: would the phones' own apps have noticed the pump? A van with a beacon arrives, carrying two
# phones. The stock app may range for 10 s after the beacon is first heard, and misses the pump. The app that
# holds a background task does not. Both verdicts, and both apps' windows, reach a subscriber of a real
# mosquitto. A third phone is in the foreground, according to a report; an invalid report does no harm.
#
# From 20 m away to 1 m at 1 m/s, there for 4 s, and away again twice as fast, heard ten times a second: within 2 m at 18 s,
# within 4 m at 16 s, beyond 4 m at 24.5 s. Signal by the path-loss model: -59 dBm at 1 m, exponent 2.2. The van comes three
# seconds after the scan begins, so that the gateway is connected by then, and its subscriber sees the apps suspended first.
python3 -IS -c '
import math
for step in range(340):
    t = step / 10
    distance = 20 - min(max(t, 0), 19) + min(max(t - 23, 0) * 2, 19)
    print(3000 + step * 100, "C1:00:00:00:00:01 1 NONCONN", round(-59 - 22 * math.log10(distance)), "'$ibeacon'")
' >air

cat >site.yaml <<'YAML'
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:18883" }
receivers: [{ name: hci0, exponent: 2.2 }]
beacons:
  - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
zones:
  - name: pump
    near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
    enter: { distance: 6 m, dwell: 1 s }
    exit:  { distance: 9 m, dwell: 2 s }
phones:
  - { name: stock, beacon: "fleet:1.2", os: ios7, strategy: stock }
  - { name: task, beacon: "fleet:1.2", os: ios7, strategy: background-task, countdown: true }
  - { name: open, beacon: "fleet:1.2", os: ios7, strategy: stock }
YAML
subscribe '%t %p'

controller --script air
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
within 60 grep -q 'phone/open/window' heard || { cat gateway.log heard; fail "no window was published"; }
mosquitto_pub -p 18883 -q 1 -t beaconkeeper/lab/phone/open/app/set -m '{"event":"foreground"}'
mosquitto_pub -p 18883 -q 1 -t beaconkeeper/lab/phone/open/app/set -m '{"event":"foregroun'
within 90 grep -q 'phone/stock/verdict' heard || { cat gateway.log heard; fail "no verdict on stock"; }
kill -INT "$gateway"
wait "$gateway" || fail "the gateway did not end well: $?"
grep -q 'rejected a message on beaconkeeper/lab/phone/open/app/set' gateway.log || fail "the invalid report was not logged"
cat gateway.log

python3 -IS - <<'PYTHON'
import json
heard = [line.rstrip("\n").split(" ", 1) for line in open("heard")]
def said(topic): return [json.loads(text) for name, text in heard if name == "beaconkeeper/lab/" + topic]
near = said("zone/pump/near")
assert len(near) == 1, near
verdicts = {phone: said("phone/%s/verdict" % phone) for phone in ("stock", "task", "open")}
for phone, told in verdicts.items():
    print(phone, json.dumps(told))
    assert len(told) == 1, "%s has %d verdicts on one near" % (phone, len(told))
    assert told[0]["transition"] == near[0]["id"], "a verdict on something else"
assert verdicts["stock"][0]["outcome"] == "GRACE_EXPIRED" and verdicts["stock"][0]["delivered_at"] is None
for phone in "task", "open":
    assert verdicts[phone][0]["outcome"] == "DELIVERED" and verdicts[phone][0]["late_s"] < 1, verdicts[phone]
states = {phone: [w["state"] for w in said("phone/%s/window" % phone)] for phone in verdicts}
print(states)
assert states["stock"][:3] == ["suspended", "ranging", "suspended"], states["stock"]
assert states["task"][:2] == ["suspended", "ranging"] and "suspended" not in states["task"][2:], states["task"]
assert "foreground" in states["open"], states["open"]
left = [w["remaining_s"] for w in said("phone/task/window") if w["remaining_s"]]
print("remaining:", left)
assert 180 in left and 179 in left and left == sorted(left, reverse=True), left
PYTHON
