# bluetoothd starts, is killed, and is started again. The gateway misses nothing, because it has its own monitor.
. "$RADIOLAB/fault.sh"
fault() {
  start_bluetoothd
  heal true
  kill_bluetoothd
  heal true
  start_bluetoothd
  heal true
  kill_bluetoothd
}
start_bus
hearing
runs fault
leaves
