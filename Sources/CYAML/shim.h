#ifndef BEACONKEEPER_CYAML_H
#define BEACONKEEPER_CYAML_H

#include <yaml.h>

#endif
