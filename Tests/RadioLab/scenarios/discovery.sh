# Another program runs an active discovery, twice. The gateway hears during it and after it.
. "$RADIOLAB/fault.sh"
mgmt() { python3 -IS "$RADIOLAB/mgmt.py" "$@" >>mgmt.log; }
fault() {
  mgmt 0023 0 06
  heal true
  mgmt 0024 0 06 || true    # it may have ended by itself
  heal true
}
hearing
runs fault
grep -q '"state":"deaf"' heard && fail "health says deaf while another program discovers"
leaves
