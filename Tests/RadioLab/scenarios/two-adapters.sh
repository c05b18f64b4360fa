# Two adapters hear the tag. One goes down: health names it, and the zone stays occupied. The other goes down too: then the
# occupancy is unknown.
. "$RADIOLAB/fault.sh"
fault() {
  befall deaf 8 hciconfig hci0 down
  named_second ok || fail "the second adapter is not ok"
  occupancy occupied || fail "the zone is not occupied although one adapter hears"
  hciconfig hci1 down
  within 5 occupancy unknown || fail "the zone is not unknown although no adapter hears"
  sleep 8
  no_exit "while both are down"
  hciconfig hci1 up
  heal hciconfig hci0 up
  within 5 occupancy occupied || fail "the zone is not occupied again"
}
watch_site
tags 1
controller --script air --loop 1000
second
gateway
runs fault
second_tell "leave $tag"
leaves
