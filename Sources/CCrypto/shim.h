#ifndef BEACONKEEPER_CCRYPTO_H
#define BEACONKEEPER_CCRYPTO_H

#include <openssl/evp.h>

#endif
