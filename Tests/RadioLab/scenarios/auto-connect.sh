# Another program waits for a device to connect to: the kernel would rather listen for that one alone.
. "$RADIOLAB/fault.sh"
mgmt() { python3 -IS "$RADIOLAB/mgmt.py" "$@" >>mgmt.log; }
device=0900000000c102   # C1:00:00:00:00:09, random
count() { grep -c '/beacon/van/state' heard; }
fault() {
  mgmt 0033 0 ${device}02
  heal true
  # It must not be heard in turns only: nine of ten for ten seconds.
  local before=$(count)
  sleep 10
  [ $(($(count) - before)) -ge 85 ] || fail "only $(($(count) - before)) of 100 advertisements are heard"
  mgmt 0034 0 $device
  heal true
}
hearing
runs fault
leaves
