# A controller with one advertising set. The gateway refuses a plan with two wake regions at once, says why, and runs without
# it. A plan with one at a time is on air as planned, also after the adapter is switched off and on and after the controller is
# unplugged and plugged in again. The rotation then continues in step with the one before.
. "$RADIOLAB/wake.sh"
two_controllers
wake_plan="1 0 4|2 2 5"
configure_wake
"$BEACONKEEPER" doctor --config site.yaml >doctor || true
grep 'broadcast .*hci0 can have one identity on air at a time, and the plan has 2 at once' doctor || { cat doctor; fail "doctor does not say why"; }
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
refused() { grep '/health ' heard | tail -n 1 | grep -q '"wake":{"state":"failed","reason":"hci0 can have one identity on air at a time'; }
within 60 refused || { cat gateway.log; fail "health does not say why it is refused"; }
grep -q 'wake regions are not on air as planned: hci0 can have one' gateway.log || fail "the log does not say why"
end_gateway

wake_plan="1 0 4|2 6 5|3 12 6"
begin_wake
listen
sleep "$((2 * period))"
mark down
hciconfig hci0 down
sleep 3
hciconfig hci0 up
sleep "$((2 * period))"
hear_all
verify --forgive 8

one() { [ "$(adapters)" = 1 ]; }
rm marks
tell close
within 30 one || fail "the controller is still there"
sleep 3
controller --air "$work/air" --addr 00:AA:01:00:00:42
# It may have another number.
back() { grep '/health ' heard | tail -n 1 | grep -q '"wake":{"state":"on","adapter":"hci'; }
within 60 back || { cat gateway.log; fail "the rotation does not go on"; }
listen
sleep "$((2 * period))"
hear_all
verify
nothing_of_ours
end_wake "$(grep '/health ' heard | tail -n 1 | sed 's/.*"wake":{"state":"on","adapter":"hci\([0-9]*\)".*/\1/')"
