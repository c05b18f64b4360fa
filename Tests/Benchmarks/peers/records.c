// records OCTETS...
//
// What memory alone costs where there are many beacons: 100,000 of them, each with a record of so many octets in each of as many
// tables, are come upon in random order, 400,000 a pass. Their lines are read 64 ahead, as Beaconkeeper does, then written;
// nothing is reckoned. The first table is asked by address, and only read: it has four places for each beacon.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { BEACONS = 100000, ADVERTS = 400000, PASSES = 20, AHEAD = 64, TABLES = 8, LINE = 64 };

static uint32_t order[ADVERTS];
static size_t octets[TABLES];
static char *table[TABLES];

static double used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static char *record(int index, uint32_t beacon) {
  uint64_t place = index ? beacon : (beacon * 0x9E3779B97F4A7C15ull >> 32) % (4 * BEACONS);
  return table[index] + place * octets[index];
}

int main(int words, char **word) {
  int tables = words - 1;
  if (tables < 1 || tables > TABLES) return fputs("usage: records OCTETS...\n", stderr), 2;
  for (int index = 0; index < tables; index++) {
    octets[index] = strtoul(word[index + 1], NULL, 10) & ~7ul;
    if (octets[index] < 8) return fputs("records: 8 octets or more\n", stderr), 2;
    size_t size = octets[index] * (index ? BEACONS : 4 * BEACONS);
    table[index] = aligned_alloc(LINE, (size + LINE - 1) / LINE * LINE);
    if (!table[index]) return fputs("records: no memory\n", stderr), 1;
    memset(table[index], 1, size);
  }
  uint64_t random = 88172645463325252ull, sum = 0;
  for (int advert = 0; advert < ADVERTS; advert++) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    order[advert] = random % BEACONS;
  }
  double start = used();
  for (int pass = 0; pass < PASSES; pass++)
    for (int first = 0; first < ADVERTS; first += AHEAD) {
      for (int index = 0; index < tables; index++)
        for (int advert = first; advert < first + AHEAD; advert++) {
          char *octet = record(index, order[advert]);
          for (size_t at = 0; at < octets[index]; at += LINE) sum += *(uint64_t *)(octet + at);
          sum += *(uint64_t *)(octet + octets[index] - 8);
        }
      for (int advert = first; advert < first + AHEAD; advert++)
        for (int index = 1; index < tables; index++) {
          char *octet = record(index, order[advert]);
          for (size_t at = 0; at < octets[index]; at += 16) *(uint64_t *)(octet + at) += sum;
        }
    }
  double cpu = used() - start;
  printf("{\"adverts\":%d,\"cpu_s\":%.6f,\"sum\":%lu}\n", ADVERTS * PASSES, cpu, (unsigned long)(sum & 1));
  return 0;
}
