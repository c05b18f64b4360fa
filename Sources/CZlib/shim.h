#ifndef BEACONKEEPER_CZLIB_H
#define BEACONKEEPER_CZLIB_H

#include <zlib.h>

// A macro in zlib.h. 13 bits of window and level 7 of memory take 96 kB; 16 more bits ask for gzip's header.
static inline int beaconkeeper_deflate_init(z_stream *stream) {
  return deflateInit2(stream, 6, Z_DEFLATED, 13 + 16, 7, Z_DEFAULT_STRATEGY);
}

#endif
