# An installation from its first minute to its last, on a machine that has just booted.
package=(/out/beaconkeeper_*.deb)
newer=(/out/newer/beaconkeeper_*.deb)
export DEBIAN_FRONTEND=noninteractive
install() { apt-get install -y -qq --no-install-recommends -o Dpkg::Use-Pty=0 "$1" >/out/apt.log 2>&1 || { cat /out/apt.log; fail "apt"; }; }
config=/etc/beaconkeeper/beaconkeeper.yaml
# ask METHOD PATH [BODY]: prints the status and the answer of the gateway, asked with the password of $password.
ask() {
  python3 - "$password" "$@" <<'PYTHON'
import sys, urllib.error, urllib.request
password, method, path, *body = sys.argv[1:]
headers = {"Content-Type": "application/json", "Authorization": "Bearer " + password} if password else {"Content-Type": "application/json"}
request = urllib.request.Request("http://127.0.0.1:8099/" + path, body[0].encode() if body else b"{}", headers, method=method)
try: answer = urllib.request.urlopen(request, timeout=20)
except urllib.error.HTTPError as error: answer = error
print(answer.status, answer.read().decode())
PYTHON
}

step "installs, and runs without an adapter"
find / -xdev \( -path /proc -o -path /out -o -path /tmp -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd -o -path /run \) -prune \
  -o -print | sort >/run/before
install "${package[0]}"
within 20 systemctl is-active --quiet beaconkeeper || fail "it is not active"
systemctl is-active --quiet mosquitto && systemctl is-enabled --quiet mosquitto || fail "its broker does not run"
within 20 has 'no beacons are configured' log || fail "it does not say that nothing is configured"
[ "$(systemctl show -P User beaconkeeper)" = beaconkeeper ] || fail "not its own user"
[ "$(systemctl show -P NRestarts beaconkeeper)" = 0 ] || fail "it was restarted"
main=$(systemctl show -P MainPID beaconkeeper)
caps=$(sed -n 's/^CapEff:\t//p' "/proc/$main/status")
[ "$((16#$caps))" = "$(((1 << 12) | (1 << 13)))" ] || fail "capabilities $caps"

step "its unit gives it little"
# In tenths.
systemd-analyze security --no-pager --threshold=20 beaconkeeper >/out/security.log ||
  { grep -v ✓ /out/security.log; fail "systemd rates it worse"; }

step "init replaces the configuration that nobody edited, unasked; an edited one it keeps"
cp -p "$config" /run/package.yaml
beaconkeeper init --no-input --broker mqtt://localhost --gateway first --no-beacons --no-zone --start >/out/init.log 2>&1 ||
  { cat /out/init.log; fail "init right after the installation"; }
grep -q 'name: first' "$config" || fail "init wrote nothing"
password=$(cat /etc/credstore/beaconkeeper.write)
[ "$(stat -c '%a %U' /etc/credstore/beaconkeeper.write)" = "600 root" ] && grep -qF "$password" /out/init.log || fail "no password for changes"
within 20 has '^200' ask GET api/v1/setup || fail "the page does not answer, or not to this password"
ask POST api/v1/setup/receivers '{"kinds":["espresense"]}' >/out/answer 2>&1
grep -q '^200 ' /out/answer && grep -q espresense "$config" || { cat /out/answer; fail "the page cannot set up what init left"; }
beaconkeeper init --no-input --broker embedded --no-beacons --no-zone >/out/init.log 2>&1 && fail "init replaced an edited configuration"
grep -q exists /out/init.log || { cat /out/init.log; fail "init does not say why not"; }

step "doctor says what to do where mosquitto is switched off"
systemctl disable --quiet --now mosquitto
beaconkeeper doctor >/out/doctor.log 2>&1 || true
remedy=$(sed -n 's/^ *→ sudo \(systemctl .*mosquitto\)$/\1/p' /out/doctor.log)
[ -n "$remedy" ] || { cat /out/doctor.log; fail "no remedy"; }
$remedy
beaconkeeper doctor >/out/doctor.log 2>&1 || true
grep -q '^ok *broker' /out/doctor.log || { cat /out/doctor.log; fail "the remedy does not help"; }
systemctl stop beaconkeeper
cp -p /run/package.yaml "$config" && rm -rf "$config.old" /var/lib/beaconkeeper/first*
chown root /etc/beaconkeeper && rm /etc/credstore/beaconkeeper.write
systemctl start beaconkeeper
within 20 systemctl is-active --quiet beaconkeeper
main=$(systemctl show -P MainPID beaconkeeper)

step "hears a beacon of the first adapter, and says how to configure it"
controller
within 60 has 'F29DC74A' log || fail "the beacon is not named"

step "an ordinary user may look at the air, or is told the one command"
if su anna -c 'beaconkeeper scan --seconds 5' >/out/anna.log 2>&1; then
  grep 'ibeacon' /out/anna.log >/dev/null || { cat /out/anna.log; fail "anna sees no beacon"; }
else
  grep 'sudo' /out/anna.log >/dev/null || { cat /out/anna.log; fail "no command for anna"; }
fi
su anna -c 'beaconkeeper doctor' >/out/doctor.log 2>&1 || true
sed 's/^/       /' /out/doctor.log | cut -c1-150
su anna -c "beaconkeeper check" >/out/anna.log 2>&1 || { cat /out/anna.log; fail "anna cannot check"; }

step "an edit is reloaded"
stdbuf -oL mosquitto_sub -q 1 -t 'beaconkeeper/#' -F '%t %p' >/out/heard &
cat >>"$config" <<'YAML'
beacons:
  - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 } }
zones:
  - { name: pump, enter: { signal: -70 dBm, dwell: 1 s }, exit: { signal: -80 dBm, lost: 5 s } }
YAML
systemctl reload beaconkeeper || fail "the reload failed"
within 20 has 'zone/pump/enter' cat /out/heard || fail "no enter"
within 20 has enter journalctl -b -o cat BEACON=van ZONE=pump RECEIVER=hci0 || fail "the journal has no fields"
[ "$(journalctl -b -o json BEACON=van | sed -n '1s/.*"PRIORITY":"\([0-9]\)".*/\1/p')" = 6 ] || fail "not of priority info"

step "a bad edit fails the reload and says why; the gateway goes on"
cp "$config" /run/good.yaml
sed -i 's/-70 dBm/-70 dBmm/' "$config"
systemctl reload beaconkeeper 2>/out/reload.log && fail "the reload of a bad file succeeded"
within 10 has 'beaconkeeper.yaml:[0-9]*:[0-9]*' log || fail "the journal does not say where"
systemctl is-active --quiet beaconkeeper || fail "a bad file ended the gateway"
cp /run/good.yaml "$config"
[ "$(systemctl show -P MainPID beaconkeeper)" = "$main" ] || fail "it was restarted meanwhile"

step "the page saves once the gateway may write there: one line, comments kept, loaded at once, and back again"
printf 'open sesame\n' | command install -o beaconkeeper -m 600 /dev/stdin /etc/beaconkeeper/http-write
sed -i 's/^  - { name: pump, .*/&   # the pump/' "$config"
sed -i 's|^  listen: "127.0.0.1:8099"|&\n  write_password_file: /etc/beaconkeeper/http-write|' "$config"
grep -q http-write "$config" || fail "init wrote no page into the configuration"
cp "$config" /run/page.yaml
systemctl restart beaconkeeper
threshold='{"enter":{"threshold":-71}}'
password=
within 20 has 'nothing to be done\|look, but not\|password' ask PUT api/v1/zones/pump "$threshold" || fail "a stranger may save"
password="open sesame"
ask PUT api/v1/zones/pump "$threshold" >/out/answer 2>&1
grep -q '^500 .*sudo chown beaconkeeper /etc/beaconkeeper' /out/answer || { cat /out/answer; fail "no remedy"; }
cmp -s "$config" /run/page.yaml || fail "it saved without permission"
# As the remedy says.
chown beaconkeeper /etc/beaconkeeper
main=$(systemctl show -P MainPID beaconkeeper)
ask PUT api/v1/zones/pump "$threshold" >/out/answer 2>&1
grep -q '^200 ' /out/answer || { cat /out/answer; fail "it does not save"; }
[ "$(diff /run/page.yaml "$config" | grep -c '^>')" = 1 ] && grep -q -e '-71 dBm.*# the pump' "$config" || fail "another change than meant"
within 20 has '"threshold":-71' ask GET api/v1/zones || fail "what was saved is not loaded"
ask POST api/v1/undo >/out/answer 2>&1
grep -q '^200 ' /out/answer && cmp -s "$config" /run/page.yaml || { cat /out/answer; fail "undo does not bring the file back"; }
within 20 has '"threshold":-70' ask GET api/v1/zones || fail "what was taken back is not loaded"
[ "$(systemctl show -P MainPID beaconkeeper)" = "$main" ] || fail "it was restarted to load"
[ "$(stat -c %a "$config")" = 644 ] || fail "mode $(stat -c %a "$config")"
# As an operator finds it: the file may be edited by root again, and the folder stays the gateway's through the upgrade below.
cp /run/good.yaml "$config"
systemctl restart beaconkeeper

step "a gateway that hangs is restarted"
mkdir -p /run/systemd/system/beaconkeeper.service.d
printf '[Service]\nWatchdogSec=6s\n' >/run/systemd/system/beaconkeeper.service.d/lab.conf
systemctl daemon-reload && systemctl restart beaconkeeper
main=$(systemctl show -P MainPID beaconkeeper)
kill -STOP "$main"
restarted() { [ "$(systemctl show -P MainPID beaconkeeper)" != "$main" ] && systemctl is-active --quiet beaconkeeper; }
within 90 restarted || fail "it was not restarted"
rm -r /run/systemd/system/beaconkeeper.service.d && systemctl daemon-reload

step "stops by itself, before systemd would kill it"
within 30 has 'decides\|known' systemctl show -P StatusText beaconkeeper || true
began=$(date +%s%N)
systemctl stop beaconkeeper
took=$((($(date +%s%N) - began) / 1000000))
echo "     stopped in $took ms"
[ "$(systemctl show -P Result beaconkeeper)" = success ] || fail "it was killed, or failed: $(systemctl show -P Result beaconkeeper)"
[ "$(mosquitto_sub -W 5 -C 1 -t 'beaconkeeper/+/status')" = offline ] || fail "its retained status is not offline"

step "a secret comes as a credential"
systemctl start beaconkeeper
within 20 systemctl is-active --quiet beaconkeeper || fail "no second start"
mkdir -p -m 700 /etc/credstore && printf 'secret\n' >/etc/credstore/beaconkeeper.password
sed -i 's#^  url: mqtt://localhost.*#&\n  username: gateway\n  password_file: $CREDENTIALS_DIRECTORY/beaconkeeper.password#' "$config"
systemctl restart beaconkeeper || { log -n 5; fail "it does not start with a credential"; }
within 20 has 'watch: .*-u gateway' log || fail "it does not connect with the credential"
cp /run/good.yaml "$config" && systemctl restart beaconkeeper

step "two instances run: another gateway, and a worker that waits for RabbitMQ"
printf '%s\n' 'gateway: { name: attic }' 'broker: { url: mqtt://localhost }' 'radio: { duty: off }' 'scanners: [{ kind: espresense }]' \
  >/etc/beaconkeeper/attic.yaml
printf '%s\n' 'gateway: { name: site }' 'broker: { url: mqtt://localhost }' 'fleet: { rabbitmq: "amqp://localhost", partitions: 2 }' \
  'rooms: [{ name: hall, receivers: [esp-hall] }]' 'beacons: [{ name: keys, address: "C1:00:00:00:00:02" }]' \
  >/etc/beaconkeeper/fleet.yaml
instances=(beaconkeeper@attic beaconkeeper-fuse@1)
systemctl enable --quiet --now "${instances[@]}" || { journalctl -b -u 'beaconkeeper*@*' -n 20; fail "they do not start"; }
for instance in "${instances[@]}"; do within 20 systemctl is-active --quiet "$instance" || fail "$instance is not active"; done
systemctl enable --quiet beaconkeeper@cellar # and never started
# deleted: prints the processes whose program is no file any more.
deleted() { find /proc/[0-9]* -maxdepth 0 | while read -r p; do readlink "$p/exe" | grep -H --label="$p" 'beaconkeeper.*(deleted)'; done; true; }

step "an upgrade loses nothing that waits for the broker"
within 20 systemctl is-active --quiet beaconkeeper
within 30 has 'beacon/van/state.*pump' cat /out/heard || fail "the van is not in"
# The broker keeps for this one what comes before it is back, which may be sooner than a subscriber can start.
mosquitto_sub -E -c -i late -q 1 -t 'beaconkeeper/#'
systemctl stop mosquitto
within 20 has 'lost the broker\|cannot reach' log || fail "it did not notice that the broker is gone"
systemctl stop beaconkeeper 2>/dev/null; systemctl start beaconkeeper
sed -i 's/exit: { signal: -80 dBm/exit: { signal: -40 dBm/; s/enter: { signal: -70 dBm/enter: { signal: -30 dBm/' "$config"
systemctl reload beaconkeeper
within 30 has exit journalctl -b -o cat ZONE=pump -n 3 || sleep 3
before=$(systemctl show -P MainPID beaconkeeper)
last=$(date +%s%N)
install "${newer[0]}"
within 20 systemctl is-active --quiet beaconkeeper || fail "it does not run after the upgrade"
[ "$(systemctl show -P MainPID beaconkeeper)" != "$before" ] || fail "the old program still runs"
echo "     the upgrade took $((($(date +%s%N) - last) / 1000000)) ms; without a gateway: $(journalctl -b -o short-unix -u beaconkeeper --no-pager \
  | awk '/Stopping|Stopped beacon/ { s = $1 } /Started beaconkeeper/ { if (s) { gap = $1 - s; s = 0 } } END { printf "%.1f s", gap }')"
: >/out/heard2
systemctl start mosquitto
within 10 mosquitto_pub -t x -m x
stdbuf -oL mosquitto_sub -c -i late -q 1 -t 'beaconkeeper/#' -F '%t %p' >/out/heard2 &
within 60 has 'zone/pump/exit' cat /out/heard2 || fail "the exit that waited was lost"
python3 - <<'PYTHON'
import json, re
said = []
for name in ("/out/heard", "/out/heard2"):
    for line in open(name):
        topic, _, text = line.partition(" ")
        if re.search(r"/zone/pump/(enter|exit|near)$", topic): said.append(json.loads(text))
by = {}
for one in said: by.setdefault(one["epoch"], []).append(one["seq"])
print("     transitions by epoch:", {e: sorted(set(s)) for e, s in by.items()})
for seqs in by.values():
    seqs = sorted(set(seqs))
    assert seqs == list(range(seqs[0], seqs[0] + len(seqs))), seqs
PYTHON
systemctl is-enabled --quiet beaconkeeper || fail "the upgrade disabled it"
for instance in "${instances[@]}"; do within 20 systemctl is-active --quiet "$instance" || fail "$instance does not run after the upgrade"; done
[ -z "$(deleted)" ] || fail "the old program still runs: $(deleted)"
systemctl is-active --quiet beaconkeeper@cellar && fail "the upgrade started an instance that did not run"
grep -q -e '-30 dBm' "$config" || fail "the upgrade took the configuration"
[ "$(stat -c %U /etc/beaconkeeper)" = beaconkeeper ] || fail "the upgrade took the right to save"

step "state of a newer version is refused in words, and kept"
systemctl stop beaconkeeper
outbox=(/var/lib/beaconkeeper/*.sqlite)
python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("pragma user_version = 7"); c.commit()' "${outbox[0]}"
systemctl start beaconkeeper 2>/dev/null && fail "it starts with state of a newer version"
has 'newer Beaconkeeper' log || fail "it does not say why"
[ -s "${outbox[0]}" ] || fail "the state is gone"
python3 -c 'import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute("pragma user_version = 2"); c.commit()' "${outbox[0]}"
systemctl reset-failed beaconkeeper; systemctl start beaconkeeper || fail "it does not start again"

step "remove keeps the configuration, purge leaves nothing"
apt-get remove -y -qq beaconkeeper >/out/apt.log 2>&1 || { cat /out/apt.log; fail "remove"; }
[ -e "$config" ] || fail "remove took the configuration"
pgrep -l beaconkeeper && fail "it runs after it was removed"
apt-get purge -y -qq beaconkeeper >/out/apt.log 2>&1 || { cat /out/apt.log; fail "purge"; }
rm -rf /etc/credstore/beaconkeeper.password
find / -xdev \( -path /proc -o -path /out -o -path /tmp -o -path /var/log -o -path /var/cache -o -path /var/lib/systemd -o -path /run \) -prune \
  -o -print | sort >/run/after
left=$(comm -13 /run/before /run/after | grep -v '^/etc/credstore$\|^/var/lib/dpkg\|^/var/lib/apt\|^/etc/.*-$\|^/var/lib/mosquitto\|^/var/lib/bluetooth\|^/var/tmp' || true)
[ -z "$left" ] || fail "left behind: $left"
getent passwd beaconkeeper && fail "its user is left"
getent group beaconkeeper && fail "its group is left"
echo "     nothing left"
