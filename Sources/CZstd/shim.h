#ifndef BEACONKEEPER_CZSTD_H
#define BEACONKEEPER_CZSTD_H

#include <zstd.h>

#endif
