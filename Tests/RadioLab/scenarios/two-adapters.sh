# Two adapters hear the tag. One is unplugged: health names it, and the zone stays occupied. The other goes down too: then the
# occupancy is unknown.
. "$RADIOLAB/fault.sh"
second() {
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/second" --log second.log --addr 00:AA:01:00:00:43 --script air --loop 1000 &
  both() { [ "$(adapters)" = 2 ]; }
  within 120 both || fail "the second controller got no adapter"
}
named_second() { grep '/health ' heard | tail -n 1 | grep -q "\"name\":\"hci1\",\"state\":\"$1\""; }
occupancy() { grep '/zone/pump/occupancy ' heard | tail -n 1 | grep -q "\"state\":\"$1\""; }
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
python3 -IS -c '
import socket, sys, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("\0two%d" % os.getpid())
s.sendto(("leave " + sys.argv[2]).encode(), sys.argv[1]); s.recv(10)' "$work/second" "$tag"
leaves
