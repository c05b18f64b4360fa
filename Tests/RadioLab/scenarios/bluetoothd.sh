# bluetoothd starts, is killed, and is started again. The gateway misses nothing, because it has its own monitor.
. "$RADIOLAB/fault.sh"
start_bluetoothd() {
  /usr/libexec/bluetooth/bluetoothd -n >>bluetoothd.log 2>&1 &
  bluetoothd=$!
  named() { dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez | grep -q true; }
  within 40 named || fail "bluetoothd does not come up"
}
kill_bluetoothd() { kill -9 "$bluetoothd"; wait "$bluetoothd" || true; }
fault() {
  start_bluetoothd
  heal true
  kill_bluetoothd
  heal true
  start_bluetoothd
  heal true
  kill_bluetoothd
}
mkdir -p /run/dbus
pgrep -x dbus-daemon >/dev/null || dbus-daemon --system --fork
hearing
runs fault
leaves
