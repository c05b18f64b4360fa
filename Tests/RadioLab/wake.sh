# For scenarios in which a gateway broadcasts wake regions: two controllers that hear each other. The second one records what
# is on air, for comparison with the plan.
. "$RADIOLAB/fault.sh"
period=20
wake_uuid=5AF13A5C-0000-4000-8000-000000000007
# Region, start and duration in seconds; the last one continues in the next period. Or set wake_phone instead: the lines of
# the configuration that describe the phone for which to compute a plan, separated by |.
wake_plan="1 0 4|2 6 5|3 9 4|2 15 2|1 18 3"

# two_controllers [vctl option…]: starts hci0 with these options, for broadcasting, and hci1 for listening.
two_controllers() {
  watch_site
  controller --air "$work/air" --addr 00:AA:01:00:00:42 "$@"
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/second" --log second.log --air "$work/air" --ext --addr 00:AA:01:00:00:43 &
  both() { [ "$(adapters)" = 2 ]; }
  within 120 both || fail "the second controller got no adapter"
}
# configure_wake: writes the configuration with the present plan and period.
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
    # With this region, the gateway would track its own wake regions if it took them for beacons.
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
# mark WORD: records an event at this time; `verify` evaluates the times before and after it separately.
mark() { echo "$(now) $1" >>marks; }
# verify [rotation.py option…]: compares each start and stop on air with the plan; appends the deviations to /out/deviations.
verify() {
  python3 -IS "$RADIOLAB/rotation.py" --checked checked --health heard --air air.jsonl --marks marks "$@" | tee deviations \
    || fail "not on air as planned"
  sed "s/^/$SCENARIO: /" deviations >>/out/deviations
}
nothing_of_ours() {
  ! grep -E '/(beacon|zone)/' heard | grep -q 'wake' || { grep -E '/(beacon|zone)/' heard | grep wake | head -n 3; fail "it takes its own wake regions for beacons"; }
  grep '/health ' heard | tail -n 1 | grep -q '"beacons":0' || fail "it tracks its own wake regions"
}
# instances N: the numbers of hciN's advertising instances, two digits each.
instances() { python3 -IS "$RADIOLAB/mgmt.py" 003d "$1" | cut -c 19-; }
end_gateway() {
  kill -INT "$gateway"
  wait "$gateway" || { cat gateway.log; fail "the gateway did not end well: $?"; }
}
# end_wake [N]: ends the gateway, which must leave nothing behind on hciN.
end_wake() {
  end_gateway
  [ -z "$(instances "${1:-0}")" ] || fail "an advertising instance was left behind: $(instances "${1:-0}")"
}
