# No capabilities, but a bluetoothd. The gateway hears what bluetoothd passes on, and reports that this is little. While
# bluetoothd restarts, the gateway is deaf; then it hears again.
. "$RADIOLAB/fault.sh"
start_bluetoothd() {
  /usr/libexec/bluetooth/bluetoothd -n >>bluetoothd.log 2>&1 &
  bluetoothd=$!
  named() { dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez | grep -q true; }
  within 40 named || fail "bluetoothd does not come up"
}
kill_bluetoothd() { kill -9 "$bluetoothd"; wait "$bluetoothd" || true; }
mkdir -p /run/dbus
pgrep -x dbus-daemon >/dev/null || dbus-daemon --system --fork
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
