#include "build.h"

const char *beaconkeeper_build(void) {
  return
// Written by deploy/build. Only this file is compiled again when it changes.
#if !defined(DEBUG) && __has_include("../../.build/build.inc")
#include "../../.build/build.inc"
#else
      ""
#endif
      ;
}
