/// Every topic of version 1 of the contract, below `beaconkeeper/<gateway>`.
public struct Topics: Hashable, Sendable {
  public let base: String

  public init(gateway: String) { base = "beaconkeeper/" + topicLevel(gateway) }

  public var status: String { base + "/status" }
  public var health: String { base + "/health" }
  public func occupancy(zone: String) -> String { base + "/zone/" + topicLevel(zone) + "/occupancy" }
  public func transition(zone: String, event: String) -> String {
    base + "/zone/" + topicLevel(zone) + "/" + event
  }
  public func state(beacon: String) -> String { base + "/beacon/" + topicLevel(beacon) + "/state" }
  public func window(phone: String) -> String { base + "/phone/" + topicLevel(phone) + "/window" }
  public func verdict(phone: String) -> String { base + "/phone/" + topicLevel(phone) + "/verdict" }
  /// Filters for the retained states of every zone, beacon and phone.
  public var occupancies: String { base + "/zone/+/occupancy" }
  public var beaconStates: String { base + "/beacon/+/state" }
  public var windows: String { base + "/phone/+/window" }
  /// Where others tell what they know of a phone's app.
  public func appReport(phone: String) -> String { base + "/phone/" + topicLevel(phone) + "/app/set" }
  /// The filter for the reports of every phone.
  public var appReports: String { base + "/phone/+/app/set" }
}

/// A name as one level of a topic: percent-encoded outside `[A-Za-z0-9_.-]`, so that no name can leave its
/// place or become a wildcard.
public func topicLevel(_ name: String) -> String {
  let digits = Array("0123456789ABCDEF".utf8)
  var level: [UInt8] = []
  for unit in name.utf8 {
    switch unit {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      level.append(unit)
    default:
      level.append(UInt8(ascii: "%"))
      level.append(digits[Int(unit >> 4)])
      level.append(digits[Int(unit & 15)])
    }
  }
  return String(decoding: level, as: UTF8.self)
}
