#ifndef BEACONKEEPER_CRABBITMQ_H
#define BEACONKEEPER_CRABBITMQ_H

// The place of these headers since version 0.12 (Debian 13), which warns of the old one.
#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif

// Macros with casts, which Swift cannot import.
static const amqp_method_number_t beaconkeeper_deliver = AMQP_BASIC_DELIVER_METHOD;
static const amqp_method_number_t beaconkeeper_cancel = AMQP_BASIC_CANCEL_METHOD;
static const amqp_method_number_t beaconkeeper_blocked = AMQP_CONNECTION_BLOCKED_METHOD;
static const amqp_method_number_t beaconkeeper_unblocked = AMQP_CONNECTION_UNBLOCKED_METHOD;
static const amqp_method_number_t beaconkeeper_channel_close = AMQP_CHANNEL_CLOSE_METHOD;
static const amqp_method_number_t beaconkeeper_connection_close = AMQP_CONNECTION_CLOSE_METHOD;

// A function with variable arguments, which Swift cannot call. `name` is shown in the broker's lists. Without a user, the broker
// uses the name in our certificate; the library still needs an identity.
static inline amqp_rpc_reply_t beaconkeeper_login(
    amqp_connection_state_t connection, const char *host, int heartbeat, const char *name, const char *user,
    const char *password) {
  amqp_table_entry_t entry;
  amqp_table_t properties;
  entry.key = amqp_cstring_bytes("connection_name");
  entry.value.kind = AMQP_FIELD_KIND_UTF8;
  entry.value.value.bytes = amqp_cstring_bytes(name);
  properties.num_entries = 1;
  properties.entries = &entry;
  if (!user)
    return amqp_login_with_properties(connection, host, 0, 131072, heartbeat, &properties, AMQP_SASL_METHOD_EXTERNAL, name);
  return amqp_login_with_properties(connection, host, 0, 131072, heartbeat, &properties, AMQP_SASL_METHOD_PLAIN, user,
                                    password);
}

#endif
