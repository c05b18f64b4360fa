# The controller stops responding: for a short time, and for longer than the kernel waits.
. "$RADIOLAB/fault.sh"
fault() {
  befall deaf "$1" kill -STOP "$controller_pid"
  heal kill -CONT "$controller_pid"
}
both() { fault 7; fault 20; }
hearing
runs both
leaves
