# A program sends HCI_Reset to the controller behind the kernel's back. The scan and the event mask are lost.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 hcitool -i hci0 cmd 0x03 0x0003; heal true; }
hearing
runs fault
grep -q 'reset and not configured again' gateway.log || fail "it does not report why it was deaf"
leaves
