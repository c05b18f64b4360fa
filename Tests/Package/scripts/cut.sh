# The power goes while dpkg replaces the program.
export DEBIAN_FRONTEND=noninteractive
package=(/out/beaconkeeper_*.deb)
newer=(/out/newer/beaconkeeper_*.deb)
step "installs, and loses power in the middle of an upgrade"
dpkg -i "${package[0]}" >/dev/null 2>&1 || fail "dpkg -i"
within 20 systemctl is-active --quiet beaconkeeper || fail "it is not active"
sync
dpkg -i "${newer[0]}" >/dev/null 2>&1 &
# In the middle: its status says that something is half done.
for _ in $(seq 500); do
  grep -q -a 'half-installed\|unpacked\|half-configured' /var/lib/dpkg/status /var/lib/dpkg/updates/* 2>/dev/null && break
  sleep 0.02
done
echo "     dpkg says: $(dpkg-query -W -f '${Status}' beaconkeeper 2>/dev/null)"
pull_plug
