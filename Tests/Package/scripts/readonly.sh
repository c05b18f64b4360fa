# A root that nobody can write to, with the state in memory.
package=(/out/beaconkeeper_*.deb)
config=/etc/beaconkeeper/beaconkeeper.yaml
step "installs, and starts from a read-only root with its state on a tmpfs"
dpkg -i "${package[0]}" >/dev/null 2>&1 || fail "dpkg -i"
within 20 systemctl is-active --quiet beaconkeeper || fail "it is not active"
cat >>"$config" <<'YAML'
beacons:
  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
zones:
  - { name: pump, enter: { signal: -70 dBm, dwell: 1 s }, exit: { signal: -80 dBm, lost: 5 s } }
YAML
systemctl stop beaconkeeper
for folder in /tmp /var/tmp /var/lib/beaconkeeper; do mount -t tmpfs tmpfs $folder; done
sync
mount -o remount,ro / 2>/dev/null || echo u >/proc/sysrq-trigger
within 10 sh -c '! touch /etc/trace 2>/dev/null' || fail "the root can be written"
controller
stdbuf -oL mosquitto_sub -q 1 -t 'beaconkeeper/#' -F '%t %p' >/run/heard &
systemctl start beaconkeeper
within 20 systemctl is-active --quiet beaconkeeper || fail "it is not active from a read-only root"
within 20 has 'in memory (tmpfs)' log || fail "it does not say what is lost"
within 30 has 'zone/pump/enter' cat /run/heard || fail "no enter"
beaconkeeper health || fail "it is not alive"
