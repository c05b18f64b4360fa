# An hour (SOAK_MINUTES) with 1,000 advertisements per second and a fault every minute. Every fifth minute the tag leaves and
# returns. No transition is missing or false, and memory does not grow after the first five minutes.
. "$RADIOLAB/fault.sh"
minutes=${SOAK_MINUTES:-60}
python3 -IS -c '
for i in range(1000):
    if i % 100 == 0: print(i, "'$tag' 1 NONCONN -60 '$ibeacon'")
    else: print(i, "C1:00:00:01:%02X:%02X 1 NONCONN -70 0201060303aafe" % (i >> 8, i & 255))' >air
switch() { echo "$1" | tee /sys/class/bluetooth/hci0/rfkill*/soft >/dev/null; }
count() { grep -c "/$1 " heard || true; }
rss() { awk '/VmRSS/ { print $2 }' "/proc/$gateway/status"; }
more_than() { [ "$(count "$1")" -gt "$2" ]; }
hearing
for minute in $(seq "$minutes"); do
  began=$(date +%s)
  case $((minute % 7)) in
    0) befall deaf 8 hciconfig hci0 down; heal hciconfig hci0 up ;;
    1) befall deaf 0 hcitool -i hci0 cmd 0x03 0x0003; heal true ;;
    2) befall deaf 0 tell hw; heal true ;;
    3) befall deaf 8 switch 1; heal switch 0 ;;
    4) befall deaf 8 tell mute 1; heal tell mute 0 ;;
    5) befall deaf 8 kill -STOP "$controller_pid"; heal kill -CONT "$controller_pid" ;;
    6) befall deaf 0 hcitool -i hci0 cmd 0x08 0x000c 00 00; heal true ;;
  esac >>faults.log
  if [ $((minute % 5)) = 0 ]; then
    # From here on an exit is right.
    no_exit() { :; }
    exits=$(count exit) enters=$(count enter)
    tell leave $tag
    within 60 more_than exit "$exits" || fail "minute $minute: the exit is missing"
    tell return $tag
    within 30 more_than enter "$enters" || fail "minute $minute: the enter is missing"
  fi
  echo "minute $minute: RSS $(rss) kB, enters $(count enter), exits $(count exit)" | tee -a growth
  [ "$minute" != 5 ] || settled=$(rss)
  left=$((60 - ($(date +%s) - began)))
  [ "$left" -le 0 ] || sleep "$left"
done
[ "$(count enter)" = $((1 + minutes / 5)) ] || fail "a false or missing enter"
[ "$(count exit)" = $((minutes / 5)) ] || fail "a false or missing exit"
[ -z "${settled:-}" ] || [ "$(rss)" -le $((settled + settled / 20)) ] || fail "memory grew from $settled to $(rss) kB"
kill -INT "$gateway"
wait "$gateway"
cat growth
