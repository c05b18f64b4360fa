# The adapter is reset, as by `hciconfig reset`.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 hciconfig hci0 reset; heal true; }
hearing
runs fault
leaves
