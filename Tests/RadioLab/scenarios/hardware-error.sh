# The controller reports a hardware error; the kernel initialises it again.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 tell hw; heal true; }
hearing
runs fault
leaves
