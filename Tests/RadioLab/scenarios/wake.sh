# The gateway broadcasts a rotation of wake regions on one adapter, at times two at once; a second controller hears it. Each
# start and stop comes within 1 s of the plan, also after the adapter was reset. The gateway, which hears by the second adapter
# too, takes none of it for a beacon. At the end nothing of it stays on air.
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
