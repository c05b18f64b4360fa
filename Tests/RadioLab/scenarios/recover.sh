# The adapter goes down and up, and is unplugged and plugged in again. The recording resumes each time with the same
# receiver, and says when it was blind.
for i in $(seq 0 9); do
  echo "$((i * 100)) C1:00:00:00:00:01 1 NONCONN -60 $ibeacon"
done >air
controller --script air --loop 1000
"$BEACONKEEPER" record --output - >heard.jsonl &
recorder=$!

# resumes REASON: something new is heard within 5 s.
resumes() {
  local before=$(grep -c '"rssi"' heard.jsonl || true)
  more() { [ "$(grep -c '"rssi"' heard.jsonl)" -gt "$((before + 5))" ]; }
  within "${2:-5}" more || fail "nothing is heard after $1"
}
last_health() { [ "$(grep '"health"' heard.jsonl | tail -n 1 | grep -o '"health": "[a-z]*"')" = "\"health\": \"$1\"" ]; }

resumes "the start" 30
last_health ok || fail "health is not ok at the start"

hciconfig hci0 down
within 5 last_health deaf || fail "an adapter that is down is not called deaf"
hciconfig hci0 up
resumes "power came back"
last_health ok || fail "health is not ok after power came back"

tell close
within 5 last_health gone || fail "a pulled controller is not called gone"
controller --script air --loop 1000
resumes "the controller came back"
last_health ok || fail "health is not ok after the controller came back"

kill -INT "$recorder"
wait "$recorder"
! grep '"rssi"' heard.jsonl | grep -v '"receiver": "hci0"' || fail "the receiver changed its name"
within 5 grep -q 'scan stop' controller.log || fail "the monitor was not given back at the end"
