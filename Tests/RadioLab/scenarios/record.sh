# Everything that the controller reports is recorded, and btmon can open the file.
for i in $(seq 0 19); do
  echo "$((i * 100)) C1:00:00:00:00:01 1 NONCONN $((-90 + i)) $ibeacon"
done >air
controller --script air

"$BEACONKEEPER" record --output heard.jsonl --duration 6
[ "$(grep -c '"payload": "'$ibeacon heard.jsonl)" = 20 ] || fail "not every advertisement is in the text"
within 5 grep -q 'scan stop' controller.log || fail "the monitor was not given back at the end"

"$BEACONKEEPER" record --output heard.btsnoop --duration 6
btmon -r heard.btsnoop >opened
grep -q 'New Index: 00:AA:01:00:00:42' opened || fail "btmon does not know the adapter"
[ "$(grep -c 'RSSI: -' opened)" = 20 ] || fail "btmon does not show every advertisement"
