# The morning after the power cut.
export DEBIAN_FRONTEND=noninteractive
newer=(/out/newer/beaconkeeper_*.deb)
step "after the power cut: $(dpkg-query -W -f '${Status} ${Version}' beaconkeeper)"
beaconkeeper --version >/dev/null || step "the program does not start until dpkg has been run again"
dpkg --configure -a >/dev/null 2>&1 || true
dpkg -i "${newer[0]}" >/out/dpkg.log 2>&1 || { cat /out/dpkg.log; fail "dpkg -i once more"; }
within 30 systemctl is-active --quiet beaconkeeper || fail "it does not run"
[ "$(dpkg-query -W -f '${Status}' beaconkeeper)" = "install ok installed" ] || fail "dpkg is not content"
