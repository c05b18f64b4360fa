# Other programs use the same adapter. bluetoothd removes all advertising instances when it starts; ours return within 1 s. The
# gateway never touches other programs' advertising. After kill -9 the kernel takes ours off the air. Without CAP_NET_ADMIN
# nothing is broadcast; the gateway says what is missing and continues to hear.
. "$RADIOLAB/wake.sh"
advertise() {
  start_bluetoothd
  # It counts the free instances when it removes those that are there; what is added before that is removed too.
  free() {
    dbus-send --system --print-reply --dest=org.bluez /org/bluez/hci0 org.freedesktop.DBus.Properties.Get \
      string:org.bluez.LEAdvertisingManager1 string:SupportedInstances | grep -q 'byte [1-9]'
  }
  within 30 free || fail "bluetoothd does not advertise"
}
start_bus
two_controllers --ext
begin_wake
listen
sleep "$((period + 5))"
mark bluetoothd
advertise
sleep "$period"
kill_bluetoothd
mark bluetoothd
advertise
# Instance 1 with a name, for an unlimited time.
python3 -IS "$RADIOLAB/mgmt.py" 003e 0 01 00000000 0000 0000 05 00 0409616263 || fail "no instance for another program"
sleep "$((period + 5))"
hear_all
verify --forgive 3

kill -9 "$gateway"; wait "$gateway" || true
alone() { [ "$(instances 0)" = 01 ]; }
within 15 alone || fail "ours outlive the gateway, or another's is gone: $(instances 0)"

$(as_nobody -all,+net_raw) "$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
refused() { grep '/health ' heard | tail -n 1 | grep -q '"wake":{"state":"failed","reason":"broadcasting needs CAP_NET_ADMIN'; }
within 60 refused || { cat gateway.log; grep '/health ' heard | tail -n 1; fail "health does not say what is missing"; }
grep -q 'not on air as planned: broadcasting needs CAP_NET_ADMIN, which this process lacks; grant it' gateway.log \
  || { cat gateway.log; fail "the log does not say what is missing"; }
tell adv C1:00:00:00:00:01 1 NONCONN -60 $ibeacon
within 20 grep -q '/zone/pump/enter ' heard || { cat gateway.log; fail "it does not hear on"; }
$(as_nobody -all,+net_raw) "$BEACONKEEPER" doctor --config site.yaml >doctor || true
grep 'broadcast .*CAP_NET_ADMIN' doctor || { cat doctor; fail "doctor does not say what is missing"; }
kill -0 "$gateway" || fail "the gateway did not go on"
end_gateway
alone || fail "another's instance is gone: $(instances 0)"
