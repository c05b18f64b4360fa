# Five minutes of the rotation that keeps background-task on ios13 listening, and two more after a reset of the adapter. Each
# start and stop is within 1 s of the plan.
. "$RADIOLAB/wake.sh"
wake_phone="os: ios13|strategy: background-task|reach: 50 m|speed: 1 m/s"
two_controllers --ext
begin_wake
listen
sleep 300
mark reset
hciconfig hci0 reset
sleep 120
hear_all
verify
nothing_of_ours
end_wake
