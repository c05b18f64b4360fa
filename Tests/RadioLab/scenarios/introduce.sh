# Nothing is configured. The gateway starts its own broker and prints each beacon in the air once, with the
# YAML line that configures it. That line is valid in a configuration. Ctrl-C ends gateway and broker within 2 s.
for i in $(seq 0 40); do
  echo "$((i * 200)) C1:00:00:00:00:01 1 NONCONN -60 $ibeacon"
  # A RuuviTag, which is known by its address, and a phone, which has no lasting identity.
  echo "$((i * 200)) C1:00:00:00:00:05 1 NONCONN -70 0201061bff99040512fc5394c37c0004fffc040cac364200cdcbb8334c884f"
  echo "$((i * 200)) 4A:00:00:00:00:09 1 NONCONN -50 02011a0aff4c001005031c00a1b2"
done >air
controller --script air --loop 9000
"$BEACONKEEPER" run >gateway.log 2>&1 &
gateway=$!
within 60 grep -q 'C1:00:00:00:00:05' gateway.log || { cat gateway.log; fail "the RuuviTag was not introduced"; }
within 20 grep -q 'ibeacon: { uuid: ' gateway.log || { cat gateway.log; fail "the iBeacon was not introduced"; }
within 20 grep -q 'watch: XDG_CONFIG_HOME=.* mosquitto_sub' gateway.log || { cat gateway.log; fail "no line to watch with"; }
sleep 3
[ "$(grep -c 'ibeacon: { uuid: ' gateway.log)" = 1 ] || { cat gateway.log; fail "introduced more than once"; }
grep -q '4A:00:00:00:00:09' gateway.log && fail "a phone was introduced"

kill -INT "$gateway"
ended() { ! kill -0 "$gateway" 2>/dev/null; }
within 2 ended || fail "it does not end within 2 s"
wait "$gateway" || fail "it did not end well: $?"
pgrep -x mosquitto && fail "its broker still runs"

{ echo "beacons:"; grep -o -- '- { name: .* }' gateway.log | sed 's/^/  /'; } >pasted.yaml
"$BEACONKEEPER" check --config pasted.yaml >checked || { cat pasted.yaml checked; fail "what it says to paste is not accepted"; }
cat pasted.yaml
