# The gateway broadcasts a rotation of wake regions on one adapter, sometimes two at once; a second controller hears it. Each
# start and stop is within 1 s of the plan, also after the adapter is reset. The gateway also hears with the second adapter,
# but does not take any wake region for a beacon. At the end nothing stays on air.
. "$RADIOLAB/wake.sh"
two_controllers --ext
begin_wake
listen
sleep "$((3 * period))"
mark reset
hciconfig hci0 reset
sleep "$((2 * period))"
hear_all
verify
nothing_of_ours
end_wake
