// connect PORT: the least that a C program does to say CONNECT to a broker.
#include <mosquitto.h>
#include <stdlib.h>

int main(int count, char **words) {
  mosquitto_lib_init();
  struct mosquitto *client = mosquitto_new(NULL, true, NULL);
  if (mosquitto_connect(client, "127.0.0.1", atoi(words[count - 1]), 30)) return 1;
  while (!mosquitto_loop(client, 1000, 1)) {}
  return 0;
}
