#ifndef BEACONKEEPER_CMOSQUITTO_H
#define BEACONKEEPER_CMOSQUITTO_H

#include <mosquitto.h>
#include <mqtt_protocol.h>

#endif
