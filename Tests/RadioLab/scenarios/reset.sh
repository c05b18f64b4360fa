# Somebody resets the adapter, as `hciconfig reset` does.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 hciconfig hci0 reset; heal true; }
hearing
runs fault
leaves
