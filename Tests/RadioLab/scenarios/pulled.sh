# The controller is pulled out and comes back under another number.
. "$RADIOLAB/fault.sh"
back() { controller --script air --loop 1000; }
# Somebody else holds on to it, so that its number is not free when it returns.
fault() { befall gone 8 tell close; heal back; }
hearing
runs fault
grep -q '"receiver":"hci0"' heard || fail "the receiver changed its name"
leaves
