# Another program switches the scan off and does not switch it on again.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 hcitool -i hci0 cmd 0x08 0x000c 00 00; heal true; }
hearing
runs fault
grep -q 'restarting its scan' gateway.log || fail "it does not report the restart of the scan"
leaves
