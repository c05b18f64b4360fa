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

# Killed together with the process that undoes it: the next one finds what is open, tells it, and closes it.
enrol "anna --config home.yaml --add"
[ -s /run/beaconkeeper-enrol ] || fail "how to undo it is not written down"
pkill -KILL -f "^beaconkeeper undo-pairing" || fail "there is no process that undoes it"
pkill -KILL -x -f "$BEACONKEEPER enrol anna --config home.yaml --add"
within 20 ended || fail "enrol does not end"
[ "$(settings)" != "$before" ] || fail "nothing was left open, so that this tries nothing"
[ -s /run/beaconkeeper-enrol ] || fail "how to undo it is lost"
enrol "anna --config home.yaml --add"
grep -q 'earlier enrol was killed' enrol.log || { cat enrol.log; fail "what was left open is not told"; }
# And two at the same time are not mixed up.
"$BEACONKEEPER" enrol other --config home.yaml </dev/null >second.log 2>&1 && fail "a second enrol opens, too"
script -qec "$BEACONKEEPER enrol other --config home.yaml" second.log </dev/null >/dev/null && fail "a second enrol opens, too"
grep -q 'another enrol is at work' second.log || { cat second.log; fail "the second is not told why"; }
pkill -INT -x beaconkeeper
within 20 ended || fail "enrol does not end"
# Its advertisement has its own timeout; it is removed with the rest.
closed
[ ! -s /run/beaconkeeper-enrol ] || fail "something is still to be undone"

# Neither display nor keys: refused, and taken if that is allowed and somebody agrees.
enrol "band --keys keys.yaml --adapter hci0"
phone 2 ffeeddccbbaa99887766554433221100 band "$address"
within 40 grep -q 'shows no number' enrol.log || { cat enrol.log phone2.log; fail "a band without display is not refused"; }
pkill -INT -x beaconkeeper
closed
within 60 grep -q 'refused' phone2.log || { cat phone2.log; fail "the band was paired"; }
enrol "band --keys keys.yaml --adapter hci0 --without-number"
phone 2 ffeeddccbbaa99887766554433221100 band "$address"
within 60 grep -q 'shows no number. If it is yours' enrol.log || { cat enrol.log phone2.log; fail "the band is not asked about"; }
types yes
within 40 grep -q 'paired 0' phone2.log || { cat phone2.log enrol.log; fail "the band is not paired"; }
closed
wait "$enrolling" || fail "enrol failed"
grep -q '^band: "00112233445566778899aabbccddeeff"' keys.yaml || { cat keys.yaml; fail "the band's key is not there"; }

# The band forgets the gateway, as its owner is told to.
python3 -IS "$RADIOLAB/mgmt.py" 001b 2 "$(tr -d : <<<"$address" | fold -w 2 | tac | tr -d '\n')0101" >/dev/null

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
# Told why, unless it gave up before, as the kernel does after half a minute.
grep -q 'another device is being paired' enrol.log || grep -q 'refused 3' phone2.log || fail "the stranger's refusal is not told"
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
