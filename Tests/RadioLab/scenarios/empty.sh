# Reports continue, but without data.
. "$RADIOLAB/fault.sh"
fault() { befall empty 8 tell empty 1; heal tell empty 0; }
hearing
runs fault
leaves
