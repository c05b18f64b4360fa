import Core

/// A region as Core Location has it: beacons of a UUID, maybe of one major, maybe of one minor.
public struct BeaconRegion: Hashable, Sendable, CustomStringConvertible {
  /// 32 hexadecimal digits in lower case.
  public let uuid: String
  public let major: UInt16?
  public let minor: UInt16?

  /// As many as iOS lets one app monitor (Core Location reference).
  public static let limit = 20

  /// `UUID`, `UUID/MAJOR` or `UUID/MAJOR/MINOR`; the UUID with or without hyphens. nil: the text is none of these.
  public init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 3, let uuid = Self.uuid(String(parts[0])) else { return nil }
    let numbers = parts.dropFirst().compactMap { UInt16($0) }
    guard numbers.count == parts.count - 1 else { return nil }
    self.uuid = uuid
    major = numbers.first
    minor = numbers.count > 1 ? numbers[1] : nil
  }

  init(uuid: String) { (self.uuid, major, minor) = (uuid, nil, nil) }

  /// Whether a beacon belongs to it. A beacon whose major or minor is unknown belongs to no region that requires it.
  func contains(uuid: String, major: UInt16?, minor: UInt16?) -> Bool {
    self.uuid == uuid && (self.major == nil || self.major == major)
      && (self.minor == nil || self.minor == minor)
  }

  /// As it is written, with hyphens.
  public var description: String {
    let lengths = [8, 4, 4, 4, 12]
    var (rest, groups) = (uuid[...], [] as [Substring])
    for length in lengths {
      groups.append(rest.prefix(length))
      rest = rest.dropFirst(length)
    }
    let numbers = [major, minor].compactMap(\.self).map { "/\($0)" }
    return groups.joined(separator: "-") + numbers.joined()
  }

  /// The digits of a UUID with or without hyphens, in lower case; nil if the text is no UUID.
  static func uuid(_ text: String) -> String? {
    guard text.utf8.count <= 36 else { return nil }
    let digits = text.lowercased().filter { $0 != "-" }
    let isUUID = digits.utf8.count == 32 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isUUID ? digits : nil
  }
}
