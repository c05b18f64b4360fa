// A bare libmosquitto publisher: COUNT messages of a transition's size at QoS 1, RATE a second (0: as fast as it goes), each with
// the time at which it was handed over. Usage: bare PORT RATE COUNT
#include <mosquitto.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static atomic_int acknowledged, connected;
static void on_connect(struct mosquitto *m, void *o, int code) { connected = code == 0; }
static void on_publish(struct mosquitto *m, void *o, int mid) { acknowledged++; }

int main(int count_of_words, char **words) {
  int port = atoi(words[1]), rate = atoi(words[2]), count = atoi(words[3]);
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new("bare", true, NULL);
  mosquitto_int_option(client, MOSQ_OPT_TCP_NODELAY, 1);
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_publish_callback_set(client, on_publish);
  mosquitto_max_inflight_messages_set(client, 100);
  if (mosquitto_connect(client, "127.0.0.1", port, 60) || mosquitto_loop_start(client)) return 1;
  while (!connected) usleep(1000);
  struct timespec next;
  clock_gettime(CLOCK_MONOTONIC, &next);
  char filler[301];
  memset(filler, 'x', 300);
  filler[300] = 0;
  for (int i = 0; i < count; i++) {
    if (rate) {
      next.tv_nsec += 1000000000 / rate;
      if (next.tv_nsec >= 1000000000) next.tv_nsec -= 1000000000, next.tv_sec++;
      clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &next, NULL);
    }
    struct timespec now;
    char payload[400];
    clock_gettime(CLOCK_REALTIME, &now);
    int length = snprintf(payload, sizeof payload, "{\"stamp\":%lld.%09ld,\"x\":\"%s\"}", (long long)now.tv_sec, now.tv_nsec, filler);
    if (mosquitto_publish(client, NULL, "beaconkeeper/bare/zone/z/enter", length, payload, 1, false)) return 1;
  }
  while (acknowledged < count) usleep(1000);
  mosquitto_disconnect(client);
  mosquitto_loop_stop(client, false);
  return 0;
}
