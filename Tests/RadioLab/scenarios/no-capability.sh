# No capabilities, but a bluetoothd. The gateway hears what bluetoothd passes on, and reports that this is little. While
# bluetoothd restarts, the gateway is deaf; then it hears again.
. "$RADIOLAB/fault.sh"
start_bus
start_bluetoothd
watch_site
tags 1
controller --script air --loop 1000
hciconfig hci0 up || true
gateway $(as_nobody "${rights:--all}")
grep -q 'DEGRADED' gateway.log || fail "it does not report that it hears little"
fault() { befall deaf 8 kill_bluetoothd; heal start_bluetoothd; }
runs fault
leaves
