#pragma once
#include <malloc.h>

// Returns freed memory that the allocator keeps to the kernel. Only glibc keeps much.
static inline void beaconkeeper_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

// Blocks from 512 kB on become pages of their own, which the kernel gets back when they are freed. Otherwise glibc would raise that
// limit by itself, up to 32 MB, and tables that grow would leave unused memory behind.
static inline void beaconkeeper_return_large_blocks(void) {
#ifdef __GLIBC__
  mallopt(M_MMAP_THRESHOLD, 512 << 10);
#endif
}
