# Ten minutes without any advertisement. The gateway only checks that the controller responds, and does nothing else to it.
. "$RADIOLAB/fault.sh"
watch_site
controller
"$BEACONKEEPER" run --config site.yaml >gateway.log 2>&1 &
gateway=$!
quiet() { grep -q '/health .*"name":"hci0","state":"quiet"' heard; }
within 60 quiet || fail "health does not say quiet"
before=$(grep -c 'cmd 0c03' controller.log)
sleep 600
[ "$(grep -c 'cmd 0c03' controller.log)" = "$before" ] || fail "the controller was reset"
grep '/health ' heard | tail -n 1 | grep -q '"name":"hci0","state":"quiet".*"recoveries":0' || fail "something was done to it"
# Then a tag arrives.
for i in $(seq 10); do tell adv $tag 1 NONCONN -60 $ibeacon; sleep 0.3; done
within 5 grep -q '/enter ' heard || fail "a tag that arrives after a long silence is not noticed"
kill -INT "$gateway"
wait "$gateway"
cat gateway.log
