#pragma once
#include <malloc.h>

// Hands memory that was freed, and that the allocator keeps for later, back to the kernel. Only glibc keeps so much.
static inline void beaconkeeper_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}
