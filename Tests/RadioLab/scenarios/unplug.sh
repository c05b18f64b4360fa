# Two adapters, which have one address as cheap ones do, hear the tag. One is unplugged and plugged in again: health names it, the
# other goes on hearing, and the zone stays occupied all the time.
. "$RADIOLAB/fault.sh"
back() { controller --script air --loop 1000; }
fault() {
  befall gone 8 tell close
  named_second ok || fail "the second adapter is not ok"
  local start=$(now)
  still() { since "$start" /beacon/van/state '"receiver":"hci1"' >/dev/null; }
  # A state comes every 10 s at most.
  within 30 still || { cat gateway.log; fail "the second adapter is not heard any more"; }
  heal back
  named_second ok || fail "the second adapter is not ok after the first is back"
}
watch_site
tags 1
controller --script air --loop 1000
second 00:AA:01:00:00:42
gateway
runs fault
! grep -q 'hci1 is gone' gateway.log || fail "the healthy adapter was given up"
awk '/\/enter / { entered = 1 } entered && /\/occupancy / && /"state":"unknown"/ { exit 1 }' heard || fail "the zone was unknown for a while"
second_tell "leave $tag"
leaves
grep -q 'have one address' gateway.log || fail "nothing says that both have one address"
