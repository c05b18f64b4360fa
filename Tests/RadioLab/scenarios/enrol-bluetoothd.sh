# Beside bluetoothd: somebody refuses, then a phone pairs; bluetoothd keeps no bond, and its settings stay as they were. The same
# bluetoothd plays the phone on hci1, with an agent of bluetoothctl's, which is the one that it asks there.
. "$RADIOLAB/enrol.sh"
pairs
start_bus
start_bluetoothd -d
sleep 3
python3 -IS "$RADIOLAB/mgmt.py" 0005 0 01 >/dev/null
# The phone has a changing address.
python3 -IS "$RADIOLAB/mgmt.py" 0005 1 00 >/dev/null
python3 -IS "$RADIOLAB/mgmt.py" 002f 1 01$irk >/dev/null
python3 -IS "$RADIOLAB/mgmt.py" 0005 1 01 >/dev/null
other=$(python3 -IS "$RADIOLAB/mgmt.py" 0004 1 | python3 -IS -c 'print(":".join("%02X" % b for b in bytes.fromhex(input())[1:7][::-1]))')
before=$(settings)
mkfifo -m 600 "$work/phone"
exec {phone}<>"$work/phone"

# offers: bluetoothctl on hci1 finds the gateway and pairs with it; sets `number`.
offers() {
  : >phone1.log
  bluetoothctl <&"$phone" >phone1.log 2>&1 &
  bluetoothctl=$!
  { echo "select $other"; echo "agent DisplayYesNo"; echo "menu scan"; echo "transport le"; echo back; echo "scan on"; } >&"$phone"
  within 40 grep -q "Device $address" phone1.log || { cat phone1.log; fail "the phone does not find the gateway"; }
  echo "scan off" >&"$phone"
  within 20 grep -q 'Discovering: no' phone1.log || { cat phone1.log; fail "the phone does not stop scanning"; }
  echo "pair $address" >&"$phone"
  within 40 grep -q 'Confirm passkey' phone1.log || { cat phone1.log enrol.log; fail "the phone shows no number"; }
  number=$(grep -o 'Confirm passkey [0-9]*' phone1.log | tail -n 1 | grep -o '[0-9]*$')
}
enrol "anna --keys keys.yaml --adapter hci0"
offers
echo yes >&"$phone"
within 20 grep -q 'Type the number' enrol.log || { cat enrol.log; fail "enrol does not ask"; }
types no
within 40 grep -q 'Failed to pair' phone1.log || { cat phone1.log enrol.log; fail "the phone is not refused"; }
# bluetoothd forgets an unpaired device after half a minute, in the middle of the next attempt. That one finds it anew.
echo "remove $address" >&"$phone"
within 20 grep -qE "Device has been removed|Device $address not available" phone1.log || { cat phone1.log; fail "the phone keeps the gateway"; }
kill "$bluetoothctl"; wait "$bluetoothctl" || true
pkill -INT -x beaconkeeper
closed
cat enrol.log
[ ! -e keys.yaml ] || fail "something was written"

enrol "anna --keys keys.yaml --adapter hci0"
offers
echo yes >&"$phone"
types "$number"
within 40 grep -q 'Pairing successful' phone1.log || { cat phone1.log enrol.log; fail "the phone is not paired"; }
# bluetoothd lets adapters bond as long as it has any agent.
kill "$bluetoothctl"; wait "$bluetoothctl" || true
closed
cat enrol.log
wait "$enrolling" || fail "enrol failed"
[ "$(stat -c %a keys.yaml)" = 600 ] || fail "others may read the keys"
grep -q '^anna: "0f0e0d0c0b0a09080706050403020100"' keys.yaml || { cat keys.yaml; fail "the key is not there"; }
sleep 2
find /var/lib/bluetooth
grep -rqs IdentityResolvingKey "/var/lib/bluetooth/$address" && fail "bluetoothd keeps the bond"

# A device that this machine is paired with.
mkdir -p "/var/lib/bluetooth/$address/AC:BC:32:00:00:01"
printf '[General]\nName=Band\n[IdentityResolvingKey]\nKey=000102030405060708090A0B0C0D0E0F\n' \
  >"/var/lib/bluetooth/$address/AC:BC:32:00:00:01/info"
"$BEACONKEEPER" enrol --paired | grep -q 'AC:BC:32:00:00:01  Band' || fail "the paired device is not listed"
"$BEACONKEEPER" enrol band --keys keys.yaml --paired AC:BC:32:00:00:01 || fail "the paired device is not taken"
grep -q '^band: "0f0e0d0c0b0a09080706050403020100"' keys.yaml || { cat keys.yaml; fail "the stored key is not there"; }
