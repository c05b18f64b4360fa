# The gateway hears all of 5,000 advertisements per second, or, where the machine has no time for them, counts and reports those
# that are lost. At 20,000 per second, and in a flood during which the gateway is stopped, it does so, too, and its memory stays
# limited. (The rate that the virtual controller really reaches depends on the machine, and is printed.)
. "$RADIOLAB/fault.sh"
rss() { awk '/VmRSS/ { print $2 }' "/proc/$gateway/status"; }
receivers() { grep '/health ' heard | tail -n 1 | grep -o '"name":"hci0".*'; }
field() { receivers | grep -o "\"$1\":[0-9]*" | head -n 1 | cut -d: -f2; }
flood() { # RATE SECONDS [held: the gateway is stopped until all is sent]
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/flood" --log flood.log --gen "50,$1,$2" >flood.out &
  flood=$!
  there() { [ "$(adapters)" = 1 ]; }
  within 120 there || fail "the controller got no adapter"
  local started=$(now)
  "$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
  gateway=$!
  over() { grep -q '^GEN sent' flood.out; }
  if [ "${3:-}" = held ]; then
    hears() { awk -v start="$started" '$1 > start && /\/health / && /"heard":[1-9]/ { found = 1 } END { exit !found }' heard; }
    within 60 hears || fail "nothing is heard of the flood"
    kill -STOP "$gateway"
  fi
  # A busy machine generates them more slowly.
  within $(($2 + 300)) over || fail "the flood does not end"
  if [ "${3:-}" = held ]; then
    woken=$(now)
    kill -CONT "$gateway"
    named() { since "$woken" /health '"name":"hci0","state":"lossy"' >named; }
    within 8 named || { cat gateway.log; fail "health does not say lossy"; }
    echo "health says lossy after $(cat named) s"
    at_most "$(cat named)" 5 || fail "health said lossy too late"
  fi
  # A busy machine hears what waits in the kernel long afterwards. Nothing is left once health says the same ten seconds later.
  ended=$(now)
  settled() {
    awk -v ended="$ended" '$1 > ended && /\/health / && match($0, /"name":"hci0".*/) {
        said = substr($0, RSTART); match(said, /"heard":[0-9]+/); said = substr(said, RSTART, RLENGTH)
        same = $1 - at > 9 && said == before; before = said; at = $1 }
      END { exit !same }' heard
  }
  within 300 settled || fail "health does not settle"
  cat flood.out
  # Sum over all scans, because each new scan restarts the flood.
  sent=$(awk '/gen done sent/ { print $5 }' flood.log)
  heard_of=$(field heard) lost=$(field lost)
  echo "$1/s for $2 s: sent $sent, heard $heard_of, lost $lost, RSS $(rss) kB"
  receivers
}
# The kernel counts dropped packets, each of which contains up to six advertisements here.
accounted() { [ $((heard_of + lost * 6)) -ge $((sent * 99 / 100)) ] || fail "some were lost without being counted"; }
told() { [ "$lost" = 0 ] || grep -q '/health .*"state":"lossy"' heard || fail "health does not say lossy"; }
watch_site
flood 5000 6
[ "$lost" != 0 ] || [ "$heard_of" = "$sent" ] || fail "not all were heard, and none is counted as lost"
accounted
told
kill -INT "$gateway"; wait "$gateway"; kill "$flood"; wait "$flood" || true
within 30 none || fail "the first controller does not go"
flood 20000 4
accounted
told
[ "$(rss)" -lt 100000 ] || fail "memory grew to $(rss) kB"
kill -INT "$gateway"; wait "$gateway"; kill "$flood"; wait "$flood" || true
within 30 none || fail "the second controller does not go"
flood 20000 6 held
accounted
[ "$lost" -gt 0 ] || fail "nothing was lost"
[ "$(rss)" -lt 100000 ] || fail "memory grew to $(rss) kB"
kill -INT "$gateway"; wait "$gateway"
