# A controller with one advertising set has one wake region on air at a time, as exactly, also after it was switched off and on
# and pulled and plugged in again. A plan with two at once is refused in so many words, and the gateway goes on without.
. "$RADIOLAB/wake.sh"
wake_plan="1 0 4|2 6 5|3 12 6"
two_controllers
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
nothing_of_ours
end_wake

wake_plan="1 0 4|2 2 5"
configure_wake
"$BEACONKEEPER" doctor --config site.yaml >doctor || true
grep 'broadcast .*hci0 can have one identity on air at a time, and the plan has 2 at once' doctor || { cat doctor; fail "doctor does not say why"; }
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
refused() { grep '/health ' heard | tail -n 1 | grep -q '"wake":{"state":"failed","reason":"hci0 can have one identity on air at a time'; }
within 60 refused || { cat gateway.log; fail "health does not say why it is refused"; }
grep -q 'wake regions are not broadcast as planned: hci0 can have one' gateway.log || fail "the log does not say why"
end_gateway
