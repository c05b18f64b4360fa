import CBuild

/// The number of this release, or of the last one before this build.
private let release = "1.0.0-rc.1"

/// The version of Beaconkeeper, as in `--version` and `health`.
package let version = release + String(cString: beaconkeeper_build())
