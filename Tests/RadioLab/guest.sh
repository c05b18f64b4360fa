# Runs inside the virtual machine: the named scenarios, one after another, each in its own folder.
# The binary is mounted where any user may run it, wherever the checkout is.
mkdir -p -m 755 /tmp/bin
touch /tmp/bin/beaconkeeper
mount --bind "$BEACONKEEPER" /tmp/bin/beaconkeeper
export BEACONKEEPER=/tmp/bin/beaconkeeper
# Loads the programs that every scenario starts, so that none has to wait for the slow shared folder.
python3 -IS "$RADIOLAB/vctl.py" --help >/dev/null
"$BEACONKEEPER" --version >/dev/null
export RUNS=$1 limit=$2; shift 2
# If several virtual machines share the scenarios, each takes the next free one.
queue=
if mkdir -p /tmp/queue && mount -t 9p -o trans=virtio,version=9p2000.L queue /tmp/queue 2>/dev/null; then queue=/tmp/queue; fi
set -a; . /out/environment; set +a
passed=0 failed=0
for name in "$@"; do
  [ -z "$queue" ] || mkdir "$queue/${name##*/}" 2>/dev/null || continue
  export SCENARIO=${name##*/} SCENARIO_DIR=/out/scenario/${name##*/}
  mkdir -p "$SCENARIO_DIR"
  # Each scenario has its own state. Any user may write there.
  export STATE_DIRECTORY=/tmp/state/$name
  mkdir -p -m 1777 "$STATE_DIRECTORY"
  started=$(date +%s)
  if setsid timeout -k 5 "$limit" \
    bash -euo pipefail -c '. "$RADIOLAB/stage.sh"; . "$RADIOLAB/$0.sh"' "$name" >"$SCENARIO_DIR/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok   $SCENARIO ($(($(date +%s) - started)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL $SCENARIO ($(($(date +%s) - started)) s)"
    tail -n 40 "$SCENARIO_DIR/log" | sed 's/^/     /'
  fi
done
if [ -s /out/table ]; then
  echo "fault: health names it, and advertisements are heard again (median, longest) after"
  sort -s -k1,1 -k3,3n /out/table | awk '
    function tell() { printf "  %-16s %s s   %s s, %s s   (%d runs)\n", name, named, took[int((n + 1) / 2)], took[n], n }
    $1 != name { if (n) tell(); name = $1; n = 0; named = "-" }
    { took[++n] = $3; if ($2 != "-" && (named == "-" || $2 > named)) named = $2 }
    END { tell() }'
fi
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
