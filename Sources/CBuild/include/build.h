#ifndef BEACONKEEPER_BUILD_H
#define BEACONKEEPER_BUILD_H

/// What deploy/version adds to the number of the release: "+git<time>.<commit>", or nothing.
const char *beaconkeeper_build(void);

#endif
