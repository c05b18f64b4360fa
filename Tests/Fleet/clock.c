/* The machine's clock, for one process: ahead by the seconds that stand in the file FLEET_CLOCK. Preloaded (ld.so(8)). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *time) {
  static int (*own)(clockid_t, struct timespec *);
  static volatile const int64_t *ahead;
  if (!own) {
    own = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    const char *name = getenv("FLEET_CLOCK");
    int file = name ? open(name, O_RDONLY | O_CLOEXEC) : -1;
    void *page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *ahead, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) ahead = page;
  }
  int result = own(clock, time);
  if (result == 0 && clock == CLOCK_REALTIME && ahead) time->tv_sec += *ahead;
  return result;
}
