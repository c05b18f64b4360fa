# For scenarios with a fault in the radio of a gateway that hears a tag. Each checks that `health` names the state within
# 5 s, that advertisements are heard again within 5 s after the fault ends, that there is no exit while the tag is there, and
# that there is an exit when the tag really leaves.
#
# RUNS: how often each fault is repeated. The measured times are appended to /out/table.
tag=C1:00:00:00:00:01

now() { echo "$EPOCHREALTIME"; }

# since TIME TOPIC TEXT: the seconds from TIME to the first message that contains TEXT and whose topic ends in TOPIC.
since() {
  awk -v start="$1" -v topic="$2" -v text="$3" '
    $1 > start && substr($2, length($2) - length(topic) + 1) == topic && index($0, text) {
      printf "%.2f\n", $1 - start; found = 1; exit }
    END { exit !found }' heard
}

# at_most A B: whether A is at most B.
at_most() { awk "BEGIN { exit !($1 <= $2) }"; }

no_exit() { ! grep '/exit ' heard || fail "an exit was published although the tag is there, $1"; }

# as_nobody CAPABILITIES: a command prefix that runs it as nobody, with these capabilities (-all, or -all,+net_raw …).
as_nobody() {
  echo setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps="$1" --ambient-caps="$1" --bounding-set="$1"
}

# watch_site: a broker, a subscriber, and a configuration.
watch_site() {
  watch_configuration
  subscribe '%U %t %p'
}
watch_configuration() {
  cat >site.yaml <<YAML
gateway: { name: lab }
broker: { url: "mqtt://127.0.0.1:18883" }
beacons:
  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
zones:
  - { name: pump, enter: { distance: 6 m, dwell: 1 s }, exit: { distance: 9 m, dwell: 2 s } }
telemetry: { beacon_state: 100 ms, health: 10 s }
${site_extra:-}
YAML
}

# tags COUNT: writes a script with so many tags to the file air, each ten times a second. The first one is tracked.
tags() {
  local i step
  for step in $(seq 0 9); do
    echo "$((step * 100)) $tag 1 NONCONN -60 $ibeacon"
    for i in $(seq 2 "$1"); do echo "$((step * 100 + i * 5)) C1:00:00:00:00:0$i 1 NONCONN -70 0201060303aafe"; done
  done >air
}

# gateway COMMAND PREFIX…: starts the gateway and waits until the tag has entered.
gateway() {
  "$@" "$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
  gateway=$!
  within 60 grep -q '/enter ' heard || { cat gateway.log heard; fail "the tag does not enter"; }
  # Time to learn the tag's interval.
  sleep 9
}

# hearing [vctl option…]: does all of the above.
hearing() {
  watch_site
  [ -f air ] || tags 1
  controller --script air --loop 1000 "$@"
  gateway
}

# second [ADDRESS]: plugs in another controller, hci1, which hears the same; second_tell "WORDS" steers it.
second() {
  local both
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/second" --log second.log --addr "${1:-00:AA:01:00:00:43}" --script air --loop 1000 &
  both() { [ "$(adapters)" = 2 ]; }
  within 120 both || fail "the second controller got no adapter"
}
second_tell() {
  python3 -IS -c '
import socket, sys, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM); s.bind("\0two%d" % os.getpid())
s.sendto(sys.argv[2].encode(), sys.argv[1]); s.recv(10)' "$work/second" "$1"
}
# named_second STATE, occupancy STATE: whether the latest message says so.
named_second() { grep '/health ' heard | tail -n 1 | grep -q "\"name\":\"hci1\",\"state\":\"$1\""; }
occupancy() { grep '/zone/pump/occupancy ' heard | tail -n 1 | grep -q "\"state\":\"$1\""; }

# befall STATE SECONDS COMMAND…: causes a fault for so long; health must name the state.
befall() {
  local state=$1 seconds=$2 start; shift 2
  start=$(now)
  "$@"
  named() { since "$start" /health '"name":"hci0","state":"'"$state"'"' >named; }
  within 8 named || { cat gateway.log; fail "health does not say $state"; }
  at_most "$(cat named)" 5 || fail "health said $state only after $(cat named) s"
  sleep "$(awk "BEGIN { left = $start + $seconds - $(now); print (left > 0 ? left : 0) }")"
  no_exit "during the fault"
}

# heal COMMAND…: ends the fault; the tag must be heard again, and health must be ok.
heal() {
  local healed
  "$@"
  healed=$(now)
  again() { since "$healed" /beacon/van/state van >resumed; }
  within 20 again || { cat gateway.log; fail "nothing is heard after the fault"; }
  echo "$SCENARIO $(cat named 2>/dev/null || echo -) $(cat resumed)" >>/out/table
  at_most "$(cat resumed)" 5 || fail "heard again only after $(cat resumed) s"
  well() { grep '/health ' heard | tail -n 1 | grep -q '"name":"hci0","state":"ok"'; }
  within 5 well || { grep '/health ' heard | tail -n 3; fail "health is not ok after the fault"; }
  sleep 6
  no_exit "after the fault"
}

# runs COMMAND…: repeats the command RUNS times.
runs() { local i; for i in $(seq "${RUNS:-1}"); do "$@"; done; }

# leaves: the tag leaves, its exit must be published, and the gateway must end without an error.
leaves() {
  local start=$(now)
  tell leave "$tag"
  gone() { since "$start" /exit van >left; }
  within 30 gone || { cat gateway.log; fail "the exit of a tag that left is not published"; }
  kill -INT "$gateway"
  wait "$gateway" || fail "the gateway did not end well: $?"
  cat gateway.log
}
