import CBuild

/// The number of the release that this is, or comes after.
private let release = "0.1.0"

/// The version of Beaconkeeper, as `--version` and `health` tell it.
public let version = release + String(cString: beaconkeeper_build())
