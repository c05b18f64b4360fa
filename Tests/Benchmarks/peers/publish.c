// publish PORT QOS COUNT BYTES [threaded]
//
// What a bare C program pays for messages to a broker: libmosquitto, a payload that is there already, and nothing else. It
// keeps 100 messages in flight, as Beaconkeeper does.
#include <mosquitto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static int connected, unanswered;

static void on_connect(struct mosquitto *client, void *context, int code) { connected = code == 0; }
static void on_publish(struct mosquitto *client, void *context, int id) { unanswered--; }

static double used(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

int main(int words, char **word) {
  if (words < 5) return fputs("usage: publish PORT QOS COUNT BYTES\n", stderr), 2;
  int port = atoi(word[1]), qos = atoi(word[2]), count = atoi(word[3]), bytes = atoi(word[4]);
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new(NULL, true, NULL);
  mosquitto_int_option(client, MOSQ_OPT_PROTOCOL_VERSION, MQTT_PROTOCOL_V5);
  mosquitto_int_option(client, MOSQ_OPT_SEND_MAXIMUM, 100);
  mosquitto_connect_callback_set(client, on_connect);
  mosquitto_publish_callback_set(client, on_publish);
  if (mosquitto_connect(client, "127.0.0.1", port, 30)) return fputs("no broker\n", stderr), 1;
  while (!connected)
    if (mosquitto_loop(client, 100, 1)) return fputs("refused\n", stderr), 1;
  char *payload = malloc(bytes);
  memset(payload, 'x', bytes);
  double start = used();
  for (int sent = 0; sent < count;) {
    while (sent < count && unanswered < 100) {
      if (mosquitto_publish(client, NULL, "beaconkeeper/bench/zone/pump-3/near", bytes, payload, qos, false)) return 1;
      unanswered++;
      sent++;
    }
    if (mosquitto_loop(client, 100, 1)) return 1;
  }
  while (unanswered > 0)
    if (mosquitto_loop(client, 100, 1)) return 1;
  printf("{\"messages\":%d,\"cpu_s\":%.6f}\n", count, used() - start);
  return 0;
}
