# Two adapters that hear each other, emulated by btvirt: the gateway's hci0, and hci1, which phone.py plays. Sourced.
pairs() {
  both() { [ "$(adapters)" = "${1:-2}" ]; }
  ready() { python3 -IS "$RADIOLAB/mgmt.py" 0004 0 >/dev/null 2>&1; }
  # The kernel gives an adapter up that answers its first commands late, as one does on a busy machine; another one comes.
  local attempt
  for attempt in 1 2 3; do
    btvirt "-l${1:-2}" >btvirt.log 2>&1 &
    within 60 both "${1:-2}" || { cat btvirt.log; fail "btvirt made no adapters"; }
    within 30 ready && break
    [ "$attempt" -lt 3 ] || { dmesg | grep -i bluetooth | tail -n 20; fail "hci0 is not ready"; }
    kill "$!"; wait "$!" || true
    within 20 both 0 || fail "btvirt's adapters stay"
  done
  address=$(python3 -IS "$RADIOLAB/mgmt.py" 0004 0 | python3 -c 'print(":".join("%02X" % b for b in bytes.fromhex(input())[1:7][::-1]))')
  before=$(settings)
}
# The adapter's settings of the kernel's.
settings() { python3 -IS "$RADIOLAB/mgmt.py" 0004 0 | cut -c29-36; }
# Whether the last advertising instance was there; it is not any more. The kernel's list of instances leaves it out.
advertises() { python3 -IS "$RADIOLAB/mgmt.py" 003f 0 03 >/dev/null 2>&1; }
# enrol OPTION…: at a terminal; `types` types there.
enrol() {
  mkfifo -m 600 "$work/keys" 2>/dev/null || true
  exec {keys}<>"$work/keys"
  : >enrol.log
  script -qfec "$BEACONKEEPER enrol $*" enrol.log <&"$keys" >/dev/null &
  enrolling=$!
  within 60 grep -q 'can be paired' enrol.log || { cat enrol.log; pgrep -a 'bluetoothd|dbus' || true; fail "enrol does not open"; }
}
types() { echo "$*" >&"$keys"; }
# phone INDEX IRK DEED…
phone() { timeout 100 python3 -IS "$RADIOLAB/phone.py" "$@" >"phone$1.log" 2>&1 & }
# shows INDEX: sets `number` to the number that the phone shows.
shows() {
  within 60 grep -q ' confirm ' "phone$1.log" || { cat "phone$1.log" enrol.log; fail "phone $1 shows no number"; }
  number=$(sed -n 's/.* confirm \([0-9]*\) .*/\1/p' "phone$1.log" | tail -n 1)
}
ended() { ! kill -0 "$enrolling" 2>/dev/null; }
# Nothing is open, and no bond is left.
closed() {
  within 20 ended || { cat enrol.log; fail "enrol does not end"; }
  shut
}
# The adapter is as it was; the advertisement goes before the settings.
shut() {
  is_shut() { [ "$(settings)" = "$before" ]; }
  within 20 is_shut || fail "something is open: settings $(settings), before $before"
  advertises && fail "it still advertises"
  return 0
}
irk=000102030405060708090a0b0c0d0e0f
