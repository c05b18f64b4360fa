# An ordinary user with ambient capabilities hears everything. Without them the program says that it cannot hear, and which
# capabilities to grant.
. "$RADIOLAB/fault.sh"
watch_site
tags 1
controller --script air --loop 1000
hciconfig hci0 up
status=0
$(as_nobody -all) timeout 30 "$BEACONKEEPER" run --config site.yaml >without.log 2>&1 || status=$?
cat without.log
[ "$status" != 0 ] && [ "$status" != 124 ] || fail "it does not end with an error, but with $status"
grep -q 'setcap cap_net_raw,cap_net_admin' without.log || fail "it does not say what to grant"
grep -q 'AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN' without.log || fail "it does not say what to put into a unit"

gateway $(as_nobody -all,+net_raw,+net_admin)
no_exit "at the start"
fault() { befall deaf 8 hciconfig hci0 down; heal hciconfig hci0 up; }
runs fault
leaves
