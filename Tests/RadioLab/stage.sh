# Functions for scenarios. Sourced before each of them, with -euo pipefail. Everything that a scenario starts ends with it.
cd "$SCENARIO_DIR"
# For sockets, which the shared folder does not support.
work=$(mktemp -d)
# A stopped process must be continued before it can end.
trap 'kill $(jobs -p) 2>/dev/null || true; kill -CONT $(jobs -p) 2>/dev/null || true; wait 2>/dev/null || true' EXIT

# fail REASON: ends the scenario.
fail() { echo "FAIL: $*"; exit 1; }

# Sets `uptime` to the hundredths of a second since the start; no step of the clock changes it.
read_uptime() { read -r uptime _ </proc/uptime; uptime=$((10#${uptime/./})); }

# within SECONDS COMMAND…: repeats the command until it succeeds. It starts no other program, because here that takes a tenth of
# a second.
mkfifo "$work/never"
exec {never}<>"$work/never"
within() {
  local uptime end
  read_uptime
  end=$((uptime + $1 * 100)); shift
  until "$@"; do
    read_uptime
    [ "$uptime" -lt "$end" ] || return 1
    read -r -t 0.1 -u "$never" || true
  done
}

# controller [vctl option…]: plugs in a controller and waits for its adapter. Control it with `tell`.
controller() {
  local before after
  before=$(adapters)
  python3 -IS "$RADIOLAB/vctl.py" --ctl "$work/controller" --log controller.log "$@" &
  controller_pid=$!
  after() { [ "$(adapters)" != "$before" ]; }
  within 120 after || fail "the controller got no adapter"
  [ -n "${teller_PID:-}" ] || start_teller
}
adapters() { ls /sys/class/bluetooth 2>/dev/null | grep -c '^hci[0-9]*$' || true; }

# tell WORD…: sends a command to the controller, such as `adv MAC TYPE EVENT RSSI HEX`. The sender keeps running, because
# starting a program takes seconds here.
tell() {
  echo "$*" >&"${teller[1]}"
  read -r -t 30 <&"${teller[0]}" || fail "the controller does not accept: $*"
}
start_teller() {
  coproc teller { exec python3 -IS -uc '
import socket, sys, os
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("\0tell%d" % os.getpid())
print("ready")
for line in sys.stdin:
    s.sendto(line.strip().encode(), sys.argv[1]); s.recv(10); print("ok")' "$work/controller"; }
  read -r -t 60 <&"${teller[0]}" || fail "the connection to the controller does not start"
}

# The adapter of the previous scenario disappears a moment after it.
none() { [ "$(adapters)" = 0 ]; }
within 30 none || fail "an adapter of another scenario is still there"
# Nor may its bus, or a bluetoothd that it did not wait for, answer this one.
pkill -KILL -x bluetoothd && echo "a bluetoothd of another scenario was still there"
pkill -KILL -x dbus-daemon && rm -f /run/dbus/pid

# An iBeacon's payload: UUID F29DC74A-…, major 1, minor 2, measured power -59 dBm.
ibeacon=02011a1aff4c000215f29dc74adbbd12de318ac8b046dd442500010002c5

start_bus() {
  mkdir -p /run/dbus
  pgrep -x dbus-daemon >/dev/null || dbus-daemon --system --fork
}

# start_bluetoothd [option…]: sets `bluetoothd`. It needs the bus.
start_bluetoothd() {
  /usr/libexec/bluetooth/bluetoothd -n "$@" >>bluetoothd.log 2>&1 &
  bluetoothd=$!
  named() { dbus-send --system --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner string:org.bluez | grep -q true; }
  within 60 named || fail "bluetoothd does not come up"
}
kill_bluetoothd() { kill -9 "$bluetoothd"; wait "$bluetoothd" || true; }

# subscribe FORMAT: starts a broker, and writes everything that the gateway publishes to the file heard.
subscribe() {
  printf 'listener 18883 127.0.0.1\nallow_anonymous true\n' >mosquitto.conf
  mosquitto -c mosquitto.conf >mosquitto.log 2>&1 &
  within 20 mosquitto_pub -p 18883 -t lab -m up 2>/dev/null || fail "mosquitto does not come up"
  mosquitto_sub -p 18883 -q 1 -t 'beaconkeeper/#' -F "$1" >heard &
}
