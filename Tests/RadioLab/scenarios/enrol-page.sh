# From the page, while the gateway hears with the same adapter: a phone pairs, after a wrong number, and is then known by its
# changing address. Neither a page that falls silent nor a gateway that is
# killed leaves anything open.
. "$RADIOLAB/enrol.sh"
pairs
echo "open sesame" >password
chmod 600 password
cat >page.yaml <<'YAML'
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:1" }
http: { listen: "127.0.0.1:8099", write_password_file: password }
YAML
"$BEACONKEEPER" run --config page.yaml >gateway.log 2>&1 &
gateway=$!
phone 1 $irk pair "$address"
timeout 120 python3 -IS "$RADIOLAB/page.py" ben phone1.log || { cat gateway.log phone1.log; fail "the page does not enrol it"; }
cat gateway.log
[ "$(instances)" = 00 ] || fail "the adapter is still open: $(instances)"
[ ! -s /run/beaconkeeper-enrol ] || fail "something is still to be undone"
grep -q '^ben: "0f0e0d0c0b0a09080706050403020100"' keys.yaml || { cat keys.yaml; fail "the page's key is not there"; }
grep -q 'irk: ben' page.yaml || { cat page.yaml; fail "the configuration is not as meant"; }
phone 1 $irk advertise
timeout 60 python3 -IS "$RADIOLAB/page.py" ben || { cat gateway.log; fail "it is not heard under its name"; }

timeout 120 python3 -IS "$RADIOLAB/page.py" silent - || fail "the page does not open it"
is_shut() { [ "$(instances)" = 00 ]; }
within 20 is_shut || fail "the adapter stays open: $(instances)"

# Killed while it is open: nothing stays open either.
timeout 120 python3 -IS "$RADIOLAB/page.py" killed - || fail "the page does not open it again"
! is_shut || fail "nothing was open, so that this tries nothing"
kill -KILL "$gateway"
within 20 is_shut || fail "the adapter stays open: $(instances)"
