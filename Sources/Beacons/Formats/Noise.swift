import Core

/// What phones, headphones, laptops and trackers send all day. It is recognised only to be ignored. For a tracker it says the
/// kind, and whether it is away from its owner; never an identity, which changes anyway.
public enum Noise: String, Hashable, Sendable, CaseIterable {
  case appleAirPrint = "Apple AirPrint"
  case appleAirDrop = "Apple AirDrop"
  case appleHomeKit = "Apple HomeKit"
  case appleProximityPairing = "Apple AirPods"
  case appleHeySiri = "Apple Hey Siri"
  case appleAirPlay = "Apple AirPlay"
  case appleMagicSwitch = "Apple Magic Switch"
  case appleHandoff = "Apple Handoff"
  case appleTethering = "Apple tethering"
  case appleNearbyAction = "Apple Nearby Action"
  case appleNearbyInfo = "Apple Nearby Info"
  case appleFindMy = "Apple Find My"
  case appleFindMyAway = "Apple Find My, away from its owner"
  case appleOverflowArea = "Apple overflow area"
  case appleOther = "Apple, other"
  case googleFastPair = "Google Fast Pair"
  case googleNearby = "Google Nearby"
  case googleFindHub = "Google Find Hub"
  case googleFindHubAway = "Google Find Hub, away from its owner"
  case googleOther = "Google, other"
  case microsoftCDP = "Microsoft CDP"
  case microsoftSwiftPair = "Microsoft Swift Pair"
  case microsoftOther = "Microsoft, other"
  case smartTag = "Samsung SmartTag"
  case smartTagAway = "Samsung SmartTag, away from its owner"
  case tracker = "Tracker"
  case trackerAway = "Tracker, away from its owner"
  case tile = "Tile"
  case iTag = "iTAG tracker"
  case nut = "Nut tracker"
  case tagIt = "Tag-It tracker"

  /// A tracker that is recognised only by its local name or its service.
  package static func tracker(_ context: borrowing FormatContext) -> Noise? {
    if context.isNamed("iTAG", isWord: true) { return .iTag }
    if ["nut", "Nut", "Nutale"].contains(where: { context.isNamed($0, isWord: true) }) { return .nut }
    if context.isNamed("Tag-It", isWord: true) { return .tagIt }
    return context.isNamed("Tile", isWord: true) || context.lists(service: 0xFEED)
      || context.lists(service: 0xFEEC) ? .tile : nil
  }

  /// A payload of each tracker that has data of its own.
  static let samples: [(noise: Noise, payload: String)] = [
    (.appleFindMy, "07ff4c0012020002"),
    (.appleFindMyAway, "1eff4c00121910000102030405060708090a0b0c0d0e0f10111213141500aa"),
    (.googleFindHub, "1616aafe40000102030405060708090a0b0c0d0e0f1011"),
    (.googleFindHubAway, "1616aafe41000102030405060708090a0b0c0d0e0f1011"),
    (.smartTag, "17165afd0401020304050607080900000000000000000000"),
    (.smartTagAway, "17165afd0101020304050607080900000000000000000000"),
    (.tracker, "0616b2fc010100"), (.trackerAway, "0616b2fc010000"), (.tile, "0616edfe020001"),
  ]
}

/// The common format against unwanted tracking: service data of 0xFCB2.
///
///     0   network       1
///     1   flags         1  bit 0: near its owner
///
/// Source: IETF, Detecting Unwanted Location Trackers (draft-detecting-unwanted-location-trackers), 3.1
public enum CommonTracker {
  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Noise {
    guard data.count >= 2 else { throw .wrongLength(expected: 2, got: data.count) }
    return data[1] & 1 == 0 ? .trackerAway : .tracker
  }
}

/// Samsung's SmartTag: service data of 0xFD5A. The lowest three bits of the first octet are its state: 1 to 3 without a connection to its
/// owner, from 4 on with one.
/// Source: T. Yu and others, Privacy Analysis of Samsung's Crowd-Sourced Bluetooth Location Tracking System, 2022
public enum SmartTag {
  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Noise {
    guard data.count >= 1 else { throw .wrongLength(expected: 1, got: 0) }
    return 1...3 ~= data[0] & 0x07 ? .smartTagAway : .smartTag
  }
}

/// Apple's Continuity messages: manufacturer data of company 0x004C, one after the other.
///
///     0   type            1
///     1   length          1  bytes that follow
///     2   message        …
///
/// Type 0x01, the overflow area, has no length: 16 bytes follow.
/// Source: G. Celosia, M. Cunche, Discontinued Privacy, PoPETs 2020;
/// https://github.com/furiousMAC/continuity
public enum AppleContinuity {
  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Noise {
    guard data.count >= 2 else { throw .wrongLength(expected: 2, got: data.count) }
    if data[0] == 0x01 { return .appleOverflowArea }
    let length = Int(data[1])
    guard length <= data.count - 2 else { throw .truncated(needs: length, has: data.count - 2) }
    switch data[0] {
    case 0x03: return .appleAirPrint
    case 0x05: return .appleAirDrop
    case 0x06: return .appleHomeKit
    case 0x07: return .appleProximityPairing
    case 0x08: return .appleHeySiri
    case 0x09, 0x0A: return .appleAirPlay
    case 0x0B: return .appleMagicSwitch
    case 0x0C: return .appleHandoff
    case 0x0D, 0x0E: return .appleTethering
    case 0x0F: return .appleNearbyAction
    case 0x10: return .appleNearbyInfo
    // With 25 octets it has the key by which strangers' phones report where it is.
    case 0x12: return length == 25 ? .appleFindMyAway : .appleFindMy
    default: return .appleOther
    }
  }
}

/// Microsoft's beacons: manufacturer data of company 0x0006. The first octet is the scenario: 0x01 for the
/// Connected Devices Platform, 0x03 for Swift Pair.
/// Source: [MS-CDP] 2.2.2.2.3; https://learn.microsoft.com/windows-hardware/design/component-guidelines/bluetooth-swift-pair
public enum MicrosoftBeacon {
  public static func decode(_ data: Span<UInt8>) throws(Decline) -> Noise {
    guard data.count >= 1 else { throw .wrongLength(expected: 1, got: 0) }
    switch data[0] {
    case 0x01: return .microsoftCDP
    case 0x03: return .microsoftSwiftPair
    default: return .microsoftOther
    }
  }
}

/// Apple and Google's Exposure Notification: service data of 0xFD6F. It comes from phones, never from beacons, and is
/// recognised only to be ignored.
///
///     0   rolling proximity identifier      16
///     16  associated encrypted metadata      4
///
/// Source: Exposure Notification Bluetooth Specification 1.2
public struct ExposureNotification: Hashable, Sendable {
  public var identifier: UInt128
  public var encryptedMetadata: UInt32

  static let sample = "02010603036ffd17166ffd00112233445566778899aabbccddeeff40000000"

  public static func decode(_ data: Span<UInt8>) throws(Decline) -> ExposureNotification {
    guard data.count >= 20 else { throw .wrongLength(expected: 20, got: data.count) }
    return ExposureNotification(
      identifier: data.bigEndian128(at: 0), encryptedMetadata: data.bigEndian32(at: 16))
  }
}
