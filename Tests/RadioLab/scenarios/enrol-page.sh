# From the page of a gateway that is no root, as the package's, while it hears with the same adapter: a phone pairs, after a wrong
# number, and is then known by its changing address. Neither a page that falls silent nor a gateway that is killed leaves
# anything open.
. "$RADIOLAB/enrol.sh"
pairs
caps=-all,+net_raw,+net_admin
mkdir -m 700 site run
echo "open sesame" >site/password
chmod 600 site/password
cat >site/page.yaml <<'YAML'
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:1" }
http: { listen: "127.0.0.1:8099", write_password_file: password }
YAML
chown -R 65534:65534 site run
RUNTIME_DIRECTORY=$PWD/run setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$caps" --ambient-caps="$caps" \
  --bounding-set="$caps" "$BEACONKEEPER" run --config site/page.yaml >gateway.log 2>&1 &
gateway=$!
within 60 grep -q 'hci0 is ok' gateway.log || { cat gateway.log; fail "the gateway does not hear"; }
before=$(settings)
timeout 120 python3 -IS "$RADIOLAB/page.py" ben phone1.log >page.log &
page=$!
within 60 grep -q "'open'" page.log || { cat page.log gateway.log; fail "the page does not open it"; }
phone 1 $irk pair "$address"
wait "$page" || { cat page.log gateway.log phone1.log; fail "the page does not enrol it"; }
cat page.log
shut
[ -e run/beaconkeeper-enrol ] && [ ! -s run/beaconkeeper-enrol ] || fail "something is still to be undone"
[ "$(stat -c '%a %u' site/keys.yaml)" = "600 65534" ] || fail "the keys are not the gateway's alone"
grep -q '^ben: "0f0e0d0c0b0a09080706050403020100"' site/keys.yaml || { cat site/keys.yaml; fail "the key is not there"; }
grep -q 'irk: ben' site/page.yaml || { cat site/page.yaml; fail "the configuration is not as meant"; }
phone 1 $irk advertise
timeout 60 python3 -IS "$RADIOLAB/page.py" ben || { cat gateway.log; fail "it is not heard under its name"; }

timeout 120 python3 -IS "$RADIOLAB/page.py" silent - || fail "the page does not open it"
# Root's command keeps out of it, too.
script -qec "$BEACONKEEPER enrol other --keys other.yaml" second.log </dev/null >/dev/null && fail "a second enrol opens, too"
grep -q 'another enrol is at work' second.log || { cat second.log; fail "the second is not told why"; }
! is_shut || fail "nothing was open, so that this tries nothing"
shut

timeout 120 python3 -IS "$RADIOLAB/page.py" killed - || fail "the page does not open it again"
! is_shut || fail "nothing was open, so that this tries nothing"
kill -KILL "$gateway"
shut
cat gateway.log
