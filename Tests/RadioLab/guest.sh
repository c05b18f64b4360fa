# Runs inside a virtual machine: those of the named scenarios that no other machine has taken, one after another, each in its
# own folder. The binary is mounted where any user may run it, wherever the checkout is.
mkdir -p -m 755 /tmp/bin
touch /tmp/bin/beaconkeeper
mount --bind "$BEACONKEEPER" /tmp/bin/beaconkeeper
export BEACONKEEPER=/tmp/bin/beaconkeeper
# Loads the programs that every scenario starts, so that none has to wait for the slow shared folder.
python3 -IS "$RADIOLAB/vctl.py" --help >/dev/null
"$BEACONKEEPER" --version >/dev/null
export RUNS=$1 limit=$2; shift 2
mkdir -p /tmp/queue
mount -t 9p -o trans=virtio,version=9p2000.L queue /tmp/queue
set -a; . /out/environment; set +a
mkdir -p /out/scenario
failed=0
for name in "$@"; do
  mkdir "/tmp/queue/${name##*/}" 2>/dev/null || continue
  export SCENARIO=${name##*/} SCENARIO_DIR=/tmp/scenario/${name##*/}
  mkdir -p "$SCENARIO_DIR"
  # Each scenario has its own state. Any user may write there.
  export STATE_DIRECTORY=/tmp/state/$name
  mkdir -p -m 1777 "$STATE_DIRECTORY"
  started=$(date +%s) verdict=ok
  setsid timeout -k 5 "$limit" \
    bash -euo pipefail -c '. "$RADIOLAB/stage.sh"; . "$RADIOLAB/$0.sh"' "$name" >"$SCENARIO_DIR/log" 2>&1 || verdict=FAIL
  printf '%-4s %s (%d s)\n' "$verdict" "$SCENARIO" $(($(date +%s) - started))
  if [ "$verdict" = FAIL ]; then
    failed=1
    tail -n 40 "$SCENARIO_DIR/log" | sed 's/^/     /'
  fi
  cp -r "$SCENARIO_DIR" /out/scenario/
done
exit "$failed"
