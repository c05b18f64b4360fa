# rfkill blocks and unblocks Bluetooth. There is no bluetoothd that would switch the adapter on again.
. "$RADIOLAB/fault.sh"
switch() { echo "$1" | tee /sys/class/bluetooth/hci0/rfkill*/soft >/dev/null; }
fault() {
  befall deaf 8 switch 1
  grep -q '/health .*rfkill unblock' heard || fail "health does not say how to unblock it"
  heal switch 0
}
hearing
runs fault
leaves
