# The controller answers, but stops reporting. The gateway must not believe that a whole room falls silent at once.
. "$RADIOLAB/fault.sh"
fault() { befall deaf 8 tell mute 1; heal tell mute 0; }
tags 4
hearing
runs fault
leaves
