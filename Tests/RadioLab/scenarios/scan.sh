# `scan` without any configuration: it shows a beacon with format, signal and distance. It shows a phone only on
# request, with a mark instead of its address.
for i in $(seq 0 40); do
  echo "$((i * 200)) C1:00:00:00:00:01 1 NONCONN -59 $ibeacon"
  echo "$((i * 200)) 4A:00:00:00:00:09 1 NONCONN -50 02011a0aff4c001005031c00a1b2"
done >air
controller --script air --loop 8200
"$BEACONKEEPER" scan --seconds 6 >table || fail "scan did not end well: $?"
cat table
grep -q '^NAME .*FORMAT .*SIGNAL .*DISTANCE .*INTERVAL .*HEARD' table || fail "no heading"
grep -q 'ibeacon  *-59 dBm  *1 m ' table || fail "the iBeacon is not 1 m away"
grep -q '0 beacons, 2 strangers (1 only with --all)' table || fail "the phone is not counted"
grep -q '4A:00' table && fail "the phone's address is shown"

"$BEACONKEEPER" scan --seconds 3 --all --json >devices || fail "scan --json did not end well: $?"
cat devices
python3 -IS -c '
import json, sys
devices = [json.loads(line) for line in open("devices")]
assert len(devices) == 2, devices
assert devices[0]["rssi_dbm"] > devices[1]["rssi_dbm"], "not the strongest first"
assert all(device["name"].startswith("~") and "address" not in device for device in devices), devices'
within 5 grep -q 'scan stop' controller.log || fail "the monitor was not given back at the end"
