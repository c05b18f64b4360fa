// floor FD: reads datagrams one by one until the end and does nothing with them: what the kernel alone costs.
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

int main(int count, char **words) {
  char packet[1024];
  long adverts = 0;
  int fd = atoi(words[count - 1]);
  while (read(fd, packet, sizeof packet) > 0) adverts++;
  struct rusage used;
  getrusage(RUSAGE_SELF, &used);
  printf("{\"adverts\":%ld,\"cpu_s\":%.6f}\n", adverts,
         used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
  return 0;
}
