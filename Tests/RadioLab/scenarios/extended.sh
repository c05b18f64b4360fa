# A controller with extended advertising and the coded PHY. The gateway scans both PHYs and hears legacy and extended
# advertisements, also after a power cycle.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 8 hciconfig hci0 down; heal hciconfig hci0 up; }
tags 1
for step in $(seq 0 9); do
  # 60 bytes, more than a legacy advertisement can carry.
  echo "$((step * 100 + 50)) C1:00:00:00:00:02 1 EXT -60 3bff0100$(printf '00%.0s' $(seq 56))"
done >>air
hearing --ext --coded
grep -q 'cmd 2041 000005' controller.log || { grep 'cmd 20' controller.log; fail "the coded PHY is not scanned"; }
runs fault
grep 'cmd 2041' controller.log | tail -n 1 | grep -q 'cmd 2041 000005' || fail "the coded PHY is not scanned after a power cycle"
leaves
