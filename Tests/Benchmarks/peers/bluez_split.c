// BlueZ's own way to take an advertisement apart (bt_ad_new_with_data), over a corpus in memory.
//
//   bluez_split CORPUS PASSES
//
// Built with src/shared/ad.c, queue.c, util.c and lib/uuid.c, bluetooth.c of BlueZ's sources.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/shared/ad.h"

int main(int count, char **words) {
  if (count != 3) return 64;
  FILE *file = fopen(words[1], "rb");
  if (!file) return 66;
  fseek(file, 0, SEEK_END);
  const long size = ftell(file);
  rewind(file);
  uint8_t *bytes = malloc(size);
  if (!bytes || fread(bytes, 1, size, file) != (size_t)size) return 74;
  long adverts = 0, whole = 0;
  const clock_t start = clock();
  for (int pass = atoi(words[2]); pass > 0; pass--) {
    for (long place = 0; place + 9 <= size && place + 9 + bytes[place + 8] <= size; place += 9 + bytes[place + 8]) {
      struct bt_ad *ad = bt_ad_new_with_data(bytes[place + 8], bytes + place + 9);
      adverts++;
      if (!ad) continue;
      whole++;
      bt_ad_unref(ad);
    }
  }
  const double cpu = (double)(clock() - start) / CLOCKS_PER_SEC;
  printf("{\"adverts\":%ld,\"whole\":%ld,\"cpu_s\":%.6f}\n", adverts, whole, cpu);
  return 0;
}
