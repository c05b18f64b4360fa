#ifndef BEACONKEEPER_CTLS_H
#define BEACONKEEPER_CTLS_H

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

// Macros with a cast, which Swift does not import.
static inline int beaconkeeper_require_tls12(SSL_CTX *context) {
  return (int)SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
}

static inline int beaconkeeper_name_server(SSL *connection, const char *name) {
  return (int)SSL_set_tlsext_host_name(connection, name);
}

#endif
