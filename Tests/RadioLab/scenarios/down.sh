# The adapter is switched off, and on again.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 8 hciconfig hci0 down; heal hciconfig hci0 up; }
hearing
runs fault
leaves
