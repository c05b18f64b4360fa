#pragma once

// Prefetches memory that will be read soon. It does not wait, and any address is allowed.
static inline void beaconkeeper_prefetch(const void *address) { __builtin_prefetch(address); }
