#define _GNU_SOURCE
#include "unused_memory.h"

#include <elf.h>
#include <link.h>
#include <malloc.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

// Code that was relocated in place is a private copy, which would be lost.
static bool has_relocated_code(const struct dl_phdr_info *object) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const ElfW(Dyn) *entry = (const ElfW(Dyn) *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; entry++) {
      if (entry->d_tag == DT_TEXTREL) return true;
      if (entry->d_tag == DT_FLAGS && (entry->d_un.d_val & DF_TEXTREL)) return true;
    }
  }
  return false;
}

// The loader holds its lock meanwhile: no library comes or goes. Segments that can be written hold relocated constants too,
// whatever their protection is by now, and are left alone.
static int release(struct dl_phdr_info *object, size_t size, void *sum) {
  (void)size;
  if (object->dlpi_addr != 0 && object->dlpi_addr == getauxval(AT_SYSINFO_EHDR)) return 0;
  if (has_relocated_code(object)) return 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W)) continue;
    // Whole pages only: what else lies in the first and the last one is not looked at.
    const uintptr_t start = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
    const uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_filesz) & ~(page - 1);
    if (start < end && madvise((void *)start, end - start, MADV_DONTNEED) == 0) *(size_t *)sum += end - start;
  }
  return 0;
}

void beaconkeeper_release_freed_memory(void) {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

size_t beaconkeeper_release_untouched_pages(void) {
  size_t sum = 0;
  dl_iterate_phdr(release, &sum);
  return sum;
}
