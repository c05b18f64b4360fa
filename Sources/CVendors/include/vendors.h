#ifndef BEACONKEEPER_VENDORS_H
#define BEACONKEEPER_VENDORS_H

#include <stddef.h>

/// The text of Sources/Contract/vendors.txt, and its size in octets.
const unsigned char *vendors_text(size_t *size);

#endif
