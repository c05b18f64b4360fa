// gather FD [MILLISECONDS]: sleeps, 100 ms each time if nothing else is said, then takes every datagram that has gathered, until
// the end, and does nothing with them: what the kernel alone costs whoever is woken as often as `run` is.
#define _GNU_SOURCE
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { BATCH = 64, ROOM = 1024 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int count, char **words) {
  if (count < 2) return fputs("usage: gather FD [MILLISECONDS]\n", stderr), 2;
  static char packets[BATCH][ROOM];
  static struct iovec places[BATCH];
  static struct mmsghdr headers[BATCH];
  for (int place = 0; place < BATCH; place++) {
    places[place] = (struct iovec){packets[place], ROOM};
    headers[place].msg_hdr = (struct msghdr){.msg_iov = &places[place], .msg_iovlen = 1};
  }
  int fd = atoi(words[1]);
  useconds_t pause = (count > 2 ? atoi(words[2]) : 100) * 1000;
  struct pollfd polled = {.fd = fd, .events = POLLIN};
  long adverts = 0;
  double start = 0;
  for (int isOver = 0; !isOver;) {
    poll(&polled, 1, -1);
    if (start == 0) start = now();
    for (int taken = BATCH; taken == BATCH && !isOver;) {
      taken = recvmmsg(fd, headers, BATCH, MSG_DONTWAIT, NULL);
      for (int place = 0; place < taken && !isOver; place++) {
        // At the end the kernel gives empty ones.
        if (headers[place].msg_len == 0) isOver = 1;
        else adverts++;
      }
    }
    if (!isOver) usleep(pause);
  }
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("{\"adverts\":%ld,\"cpu_s\":%.6f,\"wall_s\":%.6f}\n", adverts,
         used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6, now() - start);
  return 0;
}
