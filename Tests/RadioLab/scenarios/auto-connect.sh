# Another program waits for a device to connect to: the kernel would rather listen for that one alone.
. "$RADIOLAB/fault.sh"
mgmt() { python3 -IS "$RADIOLAB/mgmt.py" "$@" >>mgmt.log; }
device=0900000000c102   # C1:00:00:00:00:09, random
# The rate that health tells next but one, which is of after the fault only.
rate() {
  local before=$(grep -c '/health ' heard)
  later() { [ "$(grep -c '/health ' heard)" -ge $((before + 2)) ]; }
  within 40 later || fail "health is not published"
  grep '/health ' heard | tail -n 1 | grep -o '"advertisements_per_s":[0-9.]*' | cut -d: -f2
}
fault() {
  mgmt 0033 0 ${device}02
  heal true
  # It must not be heard in turns only.
  at_most 9 "$(rate)" || fail "less than nine of ten advertisements a second are heard"
  mgmt 0034 0 $device
  heal true
}
hearing
runs fault
leaves
