#ifndef BEACONKEEPER_CBLUEZ_H
#define BEACONKEEPER_CBLUEZ_H

#include <bluetooth/bluetooth.h>
#include <bluetooth/hci.h>
#include <bluetooth/hci_lib.h>

#endif
