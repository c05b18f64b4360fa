# The controller reports an error of its hardware; the kernel sets it up anew.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 0 tell hw; heal true; }
hearing
runs fault
leaves
