/// Keys that make a private beacon known: resolvable addresses and encrypted readings.
enum BeaconKeys {}
