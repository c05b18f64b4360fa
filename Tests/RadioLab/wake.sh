# For scenarios in which a gateway broadcasts wake regions: two controllers that hear each other, and a second ear that records
# what is on air, to be held against the plan.
. "$RADIOLAB/fault.sh"
period=20
wake_uuid=5AF13A5C-0000-4000-8000-000000000007
# Region, start, duration in seconds; the last goes on in the next period. Or wake_phone: the lines of the configuration that
# say for whom a plan is to be worked out, separated by |.
wake_plan="1 0 4|2 6 5|3 9 4|2 15 2|1 18 3"

# two_controllers [vctl option…]: hci0, which will broadcast, has the options; hci1 hears.
two_controllers() {
  watch_site
  controller --air "$work/air" --addr 00:AA:01:00:00:42 "$@"
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/second" --log second.log --air "$work/air" --ext --addr 00:AA:01:00:00:43 &
  both() { [ "$(adapters)" = 2 ]; }
  within 120 both || fail "the second controller got no adapter"
}
# configure_wake: the plan and the period as they are set by then.
configure_wake() {
  watch_configuration
  {
    echo "wake:"
    echo "  uuid: $wake_uuid"
    echo "  major: 7"
    echo "  minor: 101"
    echo "  adapter: hci0"
    if [ -n "${wake_phone:-}" ]; then
      echo "$wake_phone" | tr '|' '\n' | sed 's/^ */  /'
    else
      echo "  period: $period s"
      echo "  broadcasts:"
      echo "$wake_plan" | tr '|' '\n' | while read -r region start duration; do
        echo "    - { region: $region, start: $start s, duration: $duration s }"
      done
    fi
    # Whatever it hears of that UUID would be tracked, if it were a beacon.
    sed -n 's/^ *- { name: van.*/  - { name: wake, ibeacon: { uuid: '$wake_uuid' } }/p' site.yaml >region
  } >>site.yaml
  sed -i '/^beacons:/r region' site.yaml
}
begin_wake() {
  configure_wake
  "$BEACONKEEPER" check --json --config site.yaml >checked || { cat checked; fail "the configuration is refused"; }
  "$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
  gateway=$!
  on() { grep '/health ' heard | grep -q '"wake":{"state":"on","adapter":"hci0","began":"20'; }
  within 90 on || { cat gateway.log heard; fail "health does not say that it broadcasts"; }
}
listen() { "$BEACONKEEPER" record --adapter hci1 --output air.jsonl >record.log 2>&1 & listener=$!; }
hear_all() { kill -INT "$listener"; wait "$listener" || true; }
# mark WORD: what happens now; `verify` tells before and after apart.
mark() { echo "$(now) $1" >>marks; }
# Each start and stop on air against the plan; the deviations go to /out/deviations.
verify() {
  python3 -IS "$RADIOLAB/rotation.py" --checked checked --health heard --air air.jsonl --marks marks "$@" | tee deviations \
    || fail "not on air as planned"
  sed "s/^/$SCENARIO: /" deviations >>/out/deviations
}
nothing_of_ours() {
  ! grep -E '/(beacon|zone)/' heard | grep -q 'wake' || { grep wake heard | head -n 3; fail "it takes its own wake regions for beacons"; }
  grep '/health ' heard | tail -n 1 | grep -q '"beacons":0' || fail "it tracks its own wake regions"
}
# The numbers of the advertising instances that the adapter has, two digits each.
instances() { python3 -IS "$RADIOLAB/mgmt.py" 003d "$1" | cut -c 19-; }
end_gateway() {
  kill -INT "$gateway"
  wait "$gateway" || { cat gateway.log; fail "the gateway did not end well: $?"; }
}
# end_wake [N]: the gateway ends, and leaves nothing behind on hciN.
end_wake() {
  end_gateway
  [ -z "$(instances "${1:-0}")" ] || fail "an advertising instance was left behind: $(instances "${1:-0}")"
}
