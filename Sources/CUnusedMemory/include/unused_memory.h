#pragma once
#include <stddef.h>

// Drops the pages of this process that hold code and constants just as they are in the files of the program and its
// libraries; those in use come back at once. Returns how many bytes of addresses it went over.
size_t beaconkeeper_release_untouched_pages(void);

// Hands memory that was freed, and that the allocator keeps for later, back to the kernel.
void beaconkeeper_release_freed_memory(void);
