# Beside bluetoothd: it keeps no bond, its settings stay as they were, and a device that it is paired with can be taken.
. "$RADIOLAB/enrol.sh"
pairs
mkdir -p /run/dbus
pgrep -x dbus-daemon >/dev/null || dbus-daemon --system --fork
/usr/libexec/bluetooth/bluetoothd -n -d >bluetoothd.log 2>&1 &
named() { dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez | grep -q true; }
within 40 named || fail "bluetoothd does not come up"
sleep 3
python3 -IS "$RADIOLAB/mgmt.py" 0005 0 01 >/dev/null
before=$(settings)

# One bluetoothd has both adapters and asks its agent for one device at a time, so the phone, which would be asked, too, has no
# display here.
enrol "anna --keys keys.yaml --adapter hci0"
phone 1 $irk legacy "$address"
within 40 grep -q 'refused' phone1.log || { cat phone1.log enrol.log; fail "a device without a number is not refused"; }
pkill -INT -x beaconkeeper
closed
cat enrol.log
grep -q 'shows no number' enrol.log || fail "enrol does not say why"
[ ! -e keys.yaml ] || fail "something was written"

enrol "anna --keys keys.yaml --adapter hci0 --without-number"
phone 1 $irk legacy "$address"
within 40 grep -q 'type yes' enrol.log || { cat enrol.log; fail "enrol does not ask"; }
types yes
within 40 grep -q 'paired 0' phone1.log || { cat phone1.log enrol.log; fail "the phone is not paired"; }
closed
cat enrol.log
wait "$enrolling" || fail "enrol failed"
[ "$(stat -c %a keys.yaml)" = 600 ] || fail "others may read the keys"
grep -q '^anna: "0f0e0d0c0b0a09080706050403020100"' keys.yaml || { cat keys.yaml; fail "the key is not there"; }
sleep 2
find /var/lib/bluetooth
grep -rqs IdentityResolvingKey "/var/lib/bluetooth/$address" && fail "bluetoothd keeps the bond"
"$BEACONKEEPER" enrol --paired 2>&1 | grep -q 'paired with no device' && exit 0
# hci1 is paired with hci0, from bluetoothd's point of view.
"$BEACONKEEPER" enrol --paired
