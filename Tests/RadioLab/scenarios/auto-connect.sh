# Another program waits for a device to connect to. The kernel would then listen for that device only.
. "$RADIOLAB/fault.sh"
mgmt() { python3 -IS "$RADIOLAB/mgmt.py" "$@" >>mgmt.log; }
device=0900000000c102   # C1:00:00:00:00:09, random
# The rate in the second health message from now, which covers only the time after the fault.
rate() {
  local before=$(grep -c '/health ' heard)
  later() { [ "$(grep -c '/health ' heard)" -ge $((before + 2)) ]; }
  within 40 later || fail "health is not published"
  grep '/health ' heard | tail -n 1 | grep -o '"advertisements_per_s":[0-9.]*' | cut -d: -f2
}
fault() {
  mgmt 0033 0 ${device}02
  heal true
  # The tag must be heard all the time, not only in turns with the other device.
  at_most 9 "$(rate)" || fail "less than nine of ten advertisements a second are heard"
  mgmt 0034 0 $device
  heal true
}
hearing
runs fault
leaves
