// Preloaded (LD_PRELOAD), spoils a program's disk and clock. While the file named by HANGING_DISK is there, synchronisation takes
// for ever; while that of FULL_DISK is, nothing can be written. The calendar is as many seconds ahead as the file named by CLOCK
// says, in eight octets that may change at any time. Power fails when a file is to get another name for the CUT-th time,
// and from the BROKEN-th time on none gets one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t *ahead;

__attribute__((constructor)) static void begin(void) {
  const char *file = getenv("CLOCK");
  int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *place = mmap(0, sizeof *ahead, PROT_READ, MAP_SHARED, fd, 0);
  close(fd);
  if (place != MAP_FAILED) ahead = place;
}

static int is(const char *variable) {
  const char *sign = getenv(variable);
  return sign && access(sign, F_OK) == 0;
}

static int wait_for_disk(void) {
  while (is("HANGING_DISK")) usleep(20000);
  return 0;
}

int fsync(int fd) { return wait_for_disk(); }
int fdatasync(int fd) { return wait_for_disk(); }

ssize_t pwrite64(int fd, const void *bytes, size_t count, off64_t place) {
  if (is("FULL_DISK")) { errno = ENOSPC; return -1; }
  return syscall(SYS_pwrite64, fd, bytes, count, place);
}
ssize_t pwrite(int fd, const void *bytes, size_t count, off_t place) { return pwrite64(fd, bytes, count, place); }

int rename(const char *from, const char *to) {
  static int count;
  const char *cut = getenv("CUT");
  const char *broken = getenv("BROKEN");
  count++;
  if (cut && count == atoi(cut)) raise(SIGKILL);
  if (broken && count >= atoi(broken)) { errno = EIO; return -1; }
  return syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
  static int (*original)(clockid_t, struct timespec *);
  if (!original) original = dlsym(RTLD_NEXT, "clock_gettime");
  int code = original(clock, now);
  if (ahead && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += *ahead;
  return code;
}
// Deadlines that were made of it, too: the kernel compares them with its own.
int sem_timedwait(sem_t *restrict semaphore, const struct timespec *restrict deadline) {
  static int (*original)(sem_t *, const struct timespec *);
  if (!original) original = dlsym(RTLD_NEXT, "sem_timedwait");
  struct timespec own = *deadline;
  if (ahead) own.tv_sec -= *ahead;
  return original(semaphore, &own);
}
int gettimeofday(struct timeval *restrict now, void *restrict zone) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return 0;
}
time_t time(time_t *place) {
  struct timespec exact;
  if (clock_gettime(CLOCK_REALTIME, &exact)) return -1;
  if (place) *place = exact.tv_sec;
  return exact.tv_sec;
}
