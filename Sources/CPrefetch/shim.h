#pragma once

// Asks for memory that will be read soon. Nobody waits for it, and any address will do.
static inline void beaconkeeper_prefetch(const void *address) { __builtin_prefetch(address); }
