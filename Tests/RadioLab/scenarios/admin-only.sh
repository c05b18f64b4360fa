# With CAP_NET_ADMIN only the kernel takes a monitor, which brings nothing without CAP_NET_RAW: as with no capability at all.
rights=-all,+net_admin
. "$RADIOLAB/scenarios/no-capability.sh"
