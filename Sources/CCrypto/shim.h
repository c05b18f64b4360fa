#ifndef BEACONKEEPER_CCRYPTO_H
#define BEACONKEEPER_CCRYPTO_H

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#endif
