# What runs inside the radio lab: the scenarios named, one after the other, each in a folder of its own.
# Reads once what every scenario starts, so that none pays for the slow shared folder.
python3 -IS "$RADIOLAB/vctl.py" --help >/dev/null
"$BEACONKEEPER" --version >/dev/null
passed=0 failed=0
for name in "$@"; do
  export SCENARIO_DIR=/out/scenario/$name
  mkdir -p "$SCENARIO_DIR"
  started=$(date +%s)
  if setsid timeout -k 5 "${SCENARIO_TIMEOUT:-180}" \
    bash -euo pipefail -c '. "$RADIOLAB/stage.sh"; . "$RADIOLAB/scenarios/$0.sh"' "$name" >"$SCENARIO_DIR/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok   $name ($(($(date +%s) - started)) s)"
  else
    failed=$((failed + 1))
    echo "FAIL $name ($(($(date +%s) - started)) s)"
    tail -n 40 "$SCENARIO_DIR/log" | sed 's/^/     /'
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
