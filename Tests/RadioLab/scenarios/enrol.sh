# Without bluetoothd: a phone pairs, its key is learned, and the gateway knows it by its changing address. Before that a wrong
# number is typed, a stranger pairs at the same time, and somebody refuses.
. "$RADIOLAB/enrol.sh"
pairs 3
printf '# mine\nbeacons:\n  - { name: tag, address: C1:00:00:00:00:01 } # a comment\nkeys_file: keys.yaml\n' >home.yaml
printf '# old\ntag: 00000000000000000000000000000001\n' >keys.yaml
chmod 600 keys.yaml

# Nobody types the number of the phone: no.
enrol "anna --config home.yaml --add"
phone 1 $irk pair "$address"
shows 1
types 000000
within 20 grep -q 'no device that asks' enrol.log || fail "a wrong number is not told"
types no
within 40 grep -q 'refused 5' phone1.log || { cat phone1.log enrol.log; fail "the phone is not refused"; }
pkill -INT -x beaconkeeper
closed
cat enrol.log
grep -q anna keys.yaml home.yaml && fail "something was written"

# Killed while it is open.
enrol "anna --config home.yaml --add"
pkill -KILL -x -f "$BEACONKEEPER enrol anna --config home.yaml --add"
closed

# A stranger and Anna's phone at the same time.
enrol "anna --config home.yaml --add"
phone 2 ffeeddccbbaa99887766554433221100 pair "$address"
shows 2
phone 1 $irk pair "$address"
shows 1
types "$number"
within 40 grep -q 'paired 0' phone1.log || { cat phone1.log enrol.log; fail "the phone is not paired"; }
closed
cat enrol.log phone2.log
wait "$enrolling" || fail "enrol failed"
grep -q 'paired 0' phone2.log && fail "the stranger was paired"
[ "$(stat -c %a keys.yaml)" = 600 ] || fail "others may read the keys"
grep -q '^anna: "0f0e0d0c0b0a09080706050403020100"' keys.yaml || { cat keys.yaml; fail "the key is not there"; }
grep -q '^# old' keys.yaml || fail "the keys file lost something"
cat home.yaml
grep -q '# a comment' home.yaml && grep -q 'irk: anna' home.yaml || fail "the configuration is not as meant"
"$BEACONKEEPER" check --config home.yaml || fail "the configuration is not valid"

# It advertises with an address that nobody has seen.
phone 1 $irk advertise
timeout 60 "$BEACONKEEPER" scan --all --config home.yaml --seconds 15 --json >scanned 2>scan.log || true
cat phone1.log scanned scan.log
grep -q '"anna"' scanned || fail "it is not known by its changing address"
