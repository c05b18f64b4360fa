# The controller is unplugged and returns with another number.
. "$RADIOLAB/fault.sh"
back() { controller --script air --loop 1000; }
# Another program keeps it open, so that its number is still in use when it returns.
fault() { befall gone 8 tell close; heal back; }
hearing
runs fault
grep -q '"receiver":"hci0"' heard || fail "the receiver changed its name"
leaves
