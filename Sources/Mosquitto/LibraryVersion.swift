import CMosquitto
import Core

/// The version of libmosquitto that this program runs with.
package struct LibraryVersion: Comparable, Sendable, CustomStringConvertible {
  package var major: Int
  package var minor: Int
  package var revision: Int

  package init(_ major: Int, _ minor: Int, _ revision: Int) {
    self.major = major
    self.minor = minor
    self.revision = revision
  }

  package static let current: LibraryVersion = {
    var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
    mosquitto_lib_version(&major, &minor, &revision)
    return LibraryVersion(Int(major), Int(minor), Int(revision))
  }()

  /// The first version known to survive any MQTT 5 packet.
  ///
  /// Tested: 2.0.11 (Debian 12) ends the process at a packet with an unknown property, also in a CONNACK; 2.0.21
  /// (Debian 13) reports the packet as malformed. The versions between were not tested.
  static let firstSafeWithV5 = LibraryVersion(2, 0, 21)

  package static func < (left: LibraryVersion, right: LibraryVersion) -> Bool {
    (left.major, left.minor, left.revision) < (right.major, right.minor, right.revision)
  }

  package var description: String { "\(major).\(minor).\(revision)" }
}

extension ProtocolVersion {
  /// MQTT 5 if no packet from a broker can end this process; else 3.1.1.
  package static var safest: ProtocolVersion { safest(with: .current) }

  static func safest(with library: LibraryVersion) -> ProtocolVersion {
    library < .firstSafeWithV5 ? .v311 : .v5
  }
}
