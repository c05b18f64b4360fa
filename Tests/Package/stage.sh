# What a script in the machine has at hand.
fail() { echo "FAIL: $*"; journalctl -b --no-pager -n 40 -o short-precise -u beaconkeeper 2>/dev/null | sed 's/^/     /' || true; exit 1; }

# step WORDS…: says what is tried next.
step() { echo "     $*"; }

# within SECONDS COMMAND…: repeats the command until it succeeds.
within() {
  local end=$((SECONDS + $1)); shift
  until "$@"; do
    [ "$SECONDS" -lt "$end" ] || return 1
    sleep 0.2
  done
}

# has TEXT COMMAND…: whether what the command prints has the text.
has() { local text=$1; shift; "$@" 2>&1 | grep -i -e "$text" >/dev/null; }

# log ARG…: the gateway's journal of this boot.
log() { journalctl -b --no-pager -o cat -u beaconkeeper "$@"; }

# An iBeacon's payload: UUID F29DC74A-…, major 1, minor 2, measured power -59 dBm.
ibeacon=02011a1aff4c000215f29dc74adbbd12de318ac8b046dd442500010002c5

# controller: plugs a controller in that hears the van ten times a second.
controller() {
  for i in 1 2 3 4 5 6 7 8 9 10; do echo "$((i * 100)) C1:00:00:00:00:01 1 NONCONN -50 $ibeacon"; done >/run/air
  setsid python3 -IS /out/vctl.py --script /run/air --loop 1000 --log /run/controller.log </dev/null >/dev/null 2>&1 &
  within 60 test -e /sys/class/bluetooth/hci0 || fail "the controller got no adapter"
}

# The machine goes dark.
pull_plug() { echo 0 >/out/.status; echo b >/proc/sysrq-trigger; sleep 10; }
