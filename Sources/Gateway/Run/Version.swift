/// The version of Beaconkeeper, as `--version` and `health` tell it.
public let version = "0.1.0"
