# Another program switches the scan off and forgets to switch it on.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 hcitool -i hci0 cmd 0x08 0x000c 00 00; heal true; }
hearing
runs fault
grep -q 'restarting its scan' gateway.log || fail "no word of what was done"
leaves
