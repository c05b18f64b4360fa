# A tag walks in and out. The gateway hears it through the kernel, and a subscriber of a real mosquitto
# gets enter, near and exit, in order and at the right times.
#
# 20 m away for 3 s, to 1 m at 1 m/s, there for 8 s, and back, heard ten times a second: it is within 6 m at
# 17 s, within 2 m at 21 s, beyond 9 m at 38 s. Signal by the path-loss model: -59 dBm at 1 m, exponent 2.2.
python3 -IS -c '
import math
for step in range(520):
    t = step / 10
    distance = 20 - min(max(t - 3, 0), 19) + min(max(t - 30, 0), 19)
    print(step * 100, "C1:00:00:00:00:01 1 NONCONN", round(-59 - 22 * math.log10(distance)), "'$ibeacon'")
' >air

cat >site.yaml <<'YAML'
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:18883" }
receivers: [{ name: hci0, exponent: 2.2 }]
beacons:
  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
zones:
  - name: pump
    near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
    enter: { distance: 6 m, dwell: 1 s }
    exit:  { distance: 9 m, dwell: 2 s }
YAML
subscribe '%t %p'

controller --script air
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
within 90 grep -q '/exit ' heard || { cat gateway.log heard; fail "no exit was published"; }
kill -INT "$gateway"
wait "$gateway" || fail "the gateway did not end well: $?"
within 5 grep -q 'status offline' heard || fail "its status is not offline after the end"
within 5 grep -q 'scan stop' controller.log || fail "the monitor was not given back at the end"

python3 -IS - <<'PYTHON'
import datetime, json, re, sys
started = float(re.search(r"scan ON .* at ([\d.]+)", open("controller.log").read()).group(1))
heard = [line.split(" ", 1) for line in open("heard")]
said = [(topic.rsplit("/", 1)[1], json.loads(text)) for topic, text in heard
        if re.fullmatch(r"beaconkeeper/lab/zone/pump/(enter|near|exit)", topic)]
for word, transition in said: print(word, json.dumps(transition))
assert [word for word, _ in said] == ["enter", "near", "exit"], "wrong transitions"
assert [t["event"] for _, t in said] == ["enter", "near", "exit"], "an event under another's topic"
seqs = [t["seq"] for _, t in said]
assert seqs == list(range(seqs[0], seqs[0] + 3)), "seq has gaps: %s" % seqs
# Crossing plus dwell; the filter may lag a little.
for (word, t), due in zip(said, [17 + 1, 21 + 1, 38 + 2]):
    at = datetime.datetime.fromisoformat(t["time"].replace("Z", "+00:00")).timestamp() - started
    print("%s at %.1f s, due at %d s" % (word, at, due))
    assert t["beacon"] == "van" and t["because"]["receiver"] == "hci0", t
    assert -2 <= at - due <= 3, "%s at %.1f s, which is not within 3 s of %d s" % (word, at, due)
PYTHON
