# The controller says nothing at all any more, for as long as a hiccup lasts and for longer than the kernel is patient.
. "$RADIOLAB/fault.sh"
fault() {
  befall deaf "$1" kill -STOP "$controller_pid"
  heal kill -CONT "$controller_pid"
}
both() { fault 7; fault 20; }
hearing
runs both
leaves
