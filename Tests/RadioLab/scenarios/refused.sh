# The broker refuses the password while the radio hears. The gateway says why, and exits with status 77.
for i in $(seq 0 40); do echo "$((i * 200)) C1:00:00:00:00:01 1 NONCONN -60 $ibeacon"; done >air
controller --script air --loop 9000
: >"$work/users"; echo wrong-secret >"$work/password"; chmod 600 "$work/password"
chmod 755 "$work"
printf 'listener 18833 127.0.0.1\nallow_anonymous false\npassword_file %s\nuser root\n' "$work/users" >mosquitto.conf
mosquitto -c mosquitto.conf >broker.log 2>&1 &
listens() { grep -q 'Opening ipv4 listen socket' broker.log; }
within 60 listens || { cat broker.log; fail "no broker"; }
echo "broker: { url: 'mqtt://127.0.0.1:18833', username: gw, password_file: $work/password }" >refused.yaml
status=0
timeout -k 5 120 "$BEACONKEEPER" run --config refused.yaml >gateway.log 2>&1 || status=$?
cat gateway.log
[ "$status" = 77 ] || fail "it ended with status $status"
grep -q password gateway.log || fail "it does not say why"
