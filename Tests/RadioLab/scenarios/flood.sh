# 5,000 advertisements a second are all heard; of 20,000 a second, and of a flood during which the gateway gets no turn, what
# is lost is counted and told, and memory is bounded. (How many a second the virtual controller really makes hangs on the
# machine and is printed.)
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
  # A busy machine cannot make them as fast.
  within $(($2 + 300)) over || fail "the flood does not end"
  if [ "${3:-}" = held ]; then
    woken=$(now)
    kill -CONT "$gateway"
    named() { since "$woken" /health '"name":"hci0","state":"lossy"' >named; }
    within 8 named || { cat gateway.log; fail "health does not say lossy"; }
    echo "lossy is told after $(cat named) s"
    at_most "$(cat named)" 5 || fail "health said lossy only then"
  fi
  # Health tells at each change, and ten seconds after the last: what it tells then, nothing was going on before.
  ended=$(now)
  settled() {
    grep '/health ' heard | tail -n 2 |
      awk -v ended="$ended" '{ before = last; last = $1 } END { exit !(last > ended && last - before > 9) }'
  }
  within 60 settled || fail "health does not come to rest"
  cat flood.out
  # Of all scans together: each new one begins the flood anew.
  sent=$(awk '/gen done sent/ { print $5 }' flood.log)
  heard_of=$(field heard) lost=$(field lost)
  echo "$1/s for $2 s: sent $sent, heard $heard_of, lost $lost, RSS $(rss) kB"
  receivers
}
watch_site
flood 5000 6
[ "$heard_of" = "$sent" ] && [ "$lost" = 0 ] || fail "not all were heard"
kill -INT "$gateway"; wait "$gateway"; kill "$flood"; wait "$flood" || true
within 30 none || fail "the first controller does not go"
# The kernel counts packets that it drops, of which one here holds up to six advertisements.
accounted() { [ $((heard_of + lost * 6)) -ge $((sent * 99 / 100)) ] || fail "some were lost without being counted"; }
flood 20000 4
accounted
[ "$lost" = 0 ] || grep -q '/health .*"state":"lossy"' heard || fail "health does not say lossy"
[ "$(rss)" -lt 100000 ] || fail "memory grew to $(rss) kB"
kill -INT "$gateway"; wait "$gateway"; kill "$flood"; wait "$flood" || true
within 30 none || fail "the second controller does not go"
flood 20000 6 held
accounted
[ "$lost" -gt 0 ] || fail "nothing was lost"
[ "$(rss)" -lt 100000 ] || fail "memory grew to $(rss) kB"
kill -INT "$gateway"; wait "$gateway"
