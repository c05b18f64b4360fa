// feed FORM CORPUS PASSES FD [RATE]
//
// Sends the advertisements of a corpus, one a datagram, to a SOCK_SEQPACKET socket that it inherited; at most RATE a second.
// FORM is hci (LE advertising reports with their packet type, extended ones where the data is longer than 31 octets) or mgmt
// (Device Found events of the kernel's management interface).
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

// A record of the corpus: address 6, type 1 (1: public, 2: random), RSSI 1, length of the data 1, data.

// Code, adapter, length of the rest; address, type, RSSI, flags, length of the data, data.
static unsigned management(uint8_t *packet, const uint8_t *record) {
  unsigned length = record[8];
  packet[0] = 0x12;
  packet[4] = (14 + length) & 0xFF;
  packet[5] = (14 + length) >> 8;
  memcpy(packet + 6, record, 8);
  packet[18] = length;
  memcpy(packet + 20, record + 9, length);
  return 20 + length;
}

// Core Specification, Vol 4, Part E, 7.7.65.2 and 7.7.65.13, after the packet type.
static unsigned event(uint8_t *packet, const uint8_t *record) {
  unsigned length = record[8];
  packet[0] = 0x04;
  packet[1] = 0x3E;
  packet[4] = 1;
  if (length <= 31) {
    packet[2] = 12 + length;
    packet[3] = 0x02;
    packet[5] = 0;
    packet[6] = record[6] == 2;
    memcpy(packet + 7, record, 6);
    packet[13] = length;
    memcpy(packet + 14, record + 9, length);
    packet[14 + length] = record[7];
    return 15 + length;
  }
  packet[2] = 26 + length;
  packet[3] = 0x0D;
  packet[5] = packet[6] = 0;
  packet[7] = record[6] == 2;
  memcpy(packet + 8, record, 6);
  packet[14] = 1;
  packet[15] = 0;
  packet[16] = 0xFF;
  packet[17] = 0x7F;
  packet[18] = record[7];
  memset(packet + 19, 0, 9);
  packet[28] = length;
  memcpy(packet + 29, record + 9, length);
  return 29 + length;
}

int main(int count, char **words) {
  if (count < 5) return fputs("usage: feed hci|mgmt CORPUS PASSES FD [RATE]\n", stderr), 2;
  unsigned (*make)(uint8_t *, const uint8_t *) = strcmp(words[1], "mgmt") == 0 ? management : event;
  int passes = atoi(words[3]), fd = atoi(words[4]);
  long pause = count > 5 ? 1000000000 / atol(words[5]) : 0;
  FILE *file = fopen(words[2], "rb");
  if (!file) return perror(words[2]), 1;
  fseek(file, 0, SEEK_END);
  long size = ftell(file);
  rewind(file);
  uint8_t *corpus = malloc(size);
  if (!corpus || fread(corpus, 1, size, file) != (size_t)size) return perror(words[2]), 1;
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  uint8_t packet[32 + 255] = {0};
  for (int pass = 0; pass < passes; pass++) {
    for (uint8_t *record = corpus; record < corpus + size; record += 9 + record[8]) {
      unsigned length = make(packet, record);
      if (send(fd, packet, length, MSG_NOSIGNAL) < 0) return perror("send"), 1;
      if (pause) rest(&next, pause);
    }
  }
  return 0;
}
