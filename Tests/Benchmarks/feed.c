// feed CORPUS PASSES FD [RATE]
//
// Sends the advertisements of a corpus as Device Found events of the kernel's management interface, one a datagram, to a
// SOCK_SEQPACKET socket that it inherited; at most RATE a second.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

static void rest(struct timespec *next, long nanoseconds) {
  next->tv_nsec += nanoseconds;
  while (next->tv_nsec >= 1000000000) {
    next->tv_nsec -= 1000000000;
    next->tv_sec++;
  }
  clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, next, NULL);
}

int main(int count, char **words) {
  if (count < 4) return fputs("usage: feed CORPUS PASSES FD [RATE]\n", stderr), 2;
  int passes = atoi(words[2]), fd = atoi(words[3]);
  long pause = count > 4 ? 1000000000 / atol(words[4]) : 0;
  FILE *file = fopen(words[1], "rb");
  if (!file) return perror(words[1]), 1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *corpus = malloc(size);
  if (!corpus || fread(corpus, 1, size, file) != (size_t)size) return perror(words[1]), 1;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  // Code, adapter, length of the rest; address, type, RSSI, flags, length of the data.
  uint8_t packet[20 + 255] = {0x12};
  for (int pass = 0; pass < passes; pass++) {
    for (uint8_t *record = corpus; record < corpus + size; record += 9 + record[8]) {
      unsigned length = record[8];
      packet[4] = (14 + length) & 0xFF;
      packet[5] = (14 + length) >> 8;
      memcpy(packet + 6, record, 8);
      packet[18] = length;
      memcpy(packet + 20, record + 9, length);
      if (send(fd, packet, 20 + length, MSG_NOSIGNAL) < 0) return perror("send"), 1;
      if (pause) rest(&next, pause);
    }
  }
  return 0;
}
