# With CAP_NET_RAW only. The gateway's own scan keeps the radio scanning, or bluetoothd's discovery once there is a bluetoothd.
# Both restart after another program ends them, and the gateway reports which capability is missing.
. "$RADIOLAB/fault.sh"
mgmt() { python3 -IS "$RADIOLAB/mgmt.py" "$@" >>mgmt.log; }
# Another program's discovery takes over our scan, and ends it.
fault() {
  mgmt 0023 0 06
  mgmt 0024 0 06 || true
  heal true
}
watch_site
tags 1
controller --script air --loop 1000
hciconfig hci0 up
gateway $(as_nobody -all,+net_raw)
grep -q 'runs its own scan' gateway.log && grep -q CAP_NET_ADMIN gateway.log || fail "it does not report how it hears"
runs fault

start_bus
start_bluetoothd
discovers() { grep -q "bluetoothd's discovery keeps it scanning" gateway.log; }
within 60 discovers || fail "it does not use bluetoothd"
heal sleep 5
kill_bluetoothd
heal true
leaves
