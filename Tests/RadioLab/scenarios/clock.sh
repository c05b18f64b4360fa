# The clock steps ten years back and a day forward while a tag stays in place: there must be no exit and no enter, and since when
# it is there must be right by the new clock, which nothing had set before. Then the tag falls silent, and its exit must have the
# right time.
python3 -IS -c '
for step in range(400):
    print(step * 100, "C1:00:00:00:00:01 1 NONCONN", -59, "'$ibeacon'")
' >air
cat >site.yaml <<'YAML'
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:18883" }
beacons:
  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
zones:
  - name: pump
    near:  { distance: 2 m, dwell: 1 s, rearm: 4 m }
    enter: { distance: 6 m, dwell: 1 s }
    exit:  { distance: 9 m, dwell: 2 s, lost: 5 s }
YAML
subscribe '%t %p'

controller --script air
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
within 60 grep -q '/near ' heard || { cat gateway.log heard; fail "no near was published"; }
transitions() { grep -cE 'zone/pump/(enter|near|exit) ' heard; }
# stays SECOND: what is retained says that the tag entered in the minute before.
stays() {
  mosquitto_sub -p 18883 -C 1 -W 5 -t beaconkeeper/lab/zone/pump/occupancy >occupancy || fail "no occupancy is retained"
  python3 -IS - "$1" <<'PYTHON' || { cat gateway.log occupancy; fail "since when the tag is there is wrong"; }
import datetime, json, sys
since = json.load(open("occupancy"))["beacons"][0]["since"]
at = datetime.datetime.fromisoformat(since.replace("Z", "+00:00")).timestamp()
print("in place since %.1f s before the step" % (float(sys.argv[1]) - at))
assert 0 < float(sys.argv[1]) - at < 60
PYTHON
}
now=$(date +%s)
date -s "@$((now - 315360000))" >/dev/null
sleep 8
stays "$((now - 315360000))"
date -s "@$((now + 86400))" >/dev/null
sleep 8
stays "$((now + 86400))"
date -s "@$((now + 16))" >/dev/null
[ "$(transitions)" = 2 ] || { cat gateway.log heard; fail "a step of the clock caused a transition"; }
within 90 grep -q '/exit ' heard || { cat gateway.log heard; fail "the true exit was not published"; }
python3 -IS - "$now" <<'PYTHON'
import datetime, json, sys
line = [line for line in open("heard") if "/exit " in line][-1]
at = datetime.datetime.fromisoformat(json.loads(line.split(" ", 1)[1])["time"].replace("Z", "+00:00")).timestamp()
print("exit %.1f s after the first step" % (at - float(sys.argv[1])))
assert 0 < at - float(sys.argv[1]) < 100, "the exit has a wrong time"
PYTHON
kill -INT "$gateway"
wait "$gateway" || fail "the gateway did not end well: $?"
