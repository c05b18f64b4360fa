import Core
import TestSupport
import Testing

@testable import Beacons

@Suite struct KeysTests {
  private func key(_ text: String) throws -> SecretKey { try #require(SecretKey(bytes(text))) }

  /// Core Specification, Vol 3, Part H, D.7: ah() sample data.
  private let sample = "ec0234a357c8ad05341010a60a397d9b"
  private let address = DeviceAddress(bits: 0x7081_940D_FBAA, kind: .random)

  @Test func resolvesTheSpecificationsSample() throws {
    var resolver = AddressResolver(keys: [
      (entry: BeaconEntryIndex(rawValue: 3), key: try key("00000000000000000000000000000000")),
      (entry: BeaconEntryIndex(rawValue: 5), key: try key(sample)),
    ])
    for _ in 0..<3 { #expect(resolver.entry(for: address, at: .zero)?.rawValue == 5) }
  }

  @Test func otherAddressesDoNotResolve() throws {
    var resolver = AddressResolver(
      keys: [(entry: BeaconEntryIndex(rawValue: 0), key: try key(sample))], memory: 4)
    #expect(resolver.entry(for: DeviceAddress(bits: address.bits ^ 1, kind: .random), at: .zero) == nil)
    #expect(resolver.entry(for: DeviceAddress(bits: address.bits, kind: .public), at: .zero) == nil)
    #expect(
      resolver.entry(for: DeviceAddress(bits: address.bits | 0x8000_0000_0000, kind: .random), at: .zero)
        == nil)
    for bits in 0x4000_0000_0000..<0x4000_0000_0064 as Range<UInt64> {
      #expect(resolver.entry(for: DeviceAddress(bits: bits, kind: .random), at: .zero) == nil)
    }
    #expect(resolver.entry(for: address, at: .zero)?.rawValue == 0)
  }

  /// With 5,000 keys and a thousand new addresses a second, fifty a second are looked into: a hostile radio costs no more.
  @Test func strangersUseABoundedShareAndKnownDevicesStillResolve() {
    var budget = ResolutionBudget()
    var strangers = 0
    var found: Int64?
    for step in 0..<3000 as Range<Int64> {
      let time = MonotonicTime.zero + .milliseconds(step)
      if budget.allows(0x4000_0000_0000 + UInt64(step) * 7919, cost: 5000, at: time) { strangers += 1 }
      // It comes when the budget is spent already, ten times a second.
      if step >= 1000, step % 100 == 0, found == nil, budget.allows(address.bits, cost: 5000, at: time) {
        found = step
      }
    }
    #expect((100...250).contains(strangers))
    #expect(found.map { $0 <= 1500 } == true)
  }

  @Test func aPostponedAddressIsResolvedLater() throws {
    // More keys than may be tried in a second on those who come for the first time.
    var budget = ResolutionBudget()
    let cost = Int(ResolutionBudget.rate)
    var answers: [Bool] = []
    for (address, second) in [(1, 0), (2, 0), (2, 0), (3, 0), (3, 0), (3, 1)] as [(UInt64, Double)] {
      answers.append(budget.allows(address, cost: cost, at: .zero + .seconds(second)))
    }
    #expect(answers == [true, false, true, false, false, true], "half is kept for those who come again")
  }

  @Test func aKeyNeverPrintsItself() throws {
    let key = try key(sample)
    #expect("\(key) \(String(reflecting: key))" == "(secret) (secret)")
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.lowercased().contains("ec02"))
    #expect(SecretKey(bytes("0011")) == nil)
  }

  private let bindKey = "231d39c1d7cc1ab1aee224cd096db932"
  private let sender = DeviceAddress(bits: 0x5448_E68F_80A5, kind: .public)

  private func readings(
    _ decryptor: inout FrameDecryptor, _ data: String, from address: DeviceAddress
  ) throws -> [String: Reading.Value] {
    let data = bytes(data)
    var readings: [String: Reading.Value] = [:]
    try decryptor.open(.bthome(try BTHome.decode(data.span)), in: data.span, from: address) { frame, opened in
      frame.forEachReading(in: opened) { readings[$0.name] = $0.value }
    }
    return readings
  }

  /// The example of https://bthome.io/encryption
  private let example = "41a47266c95f730011223378237214"

  @Test func opensTheSpecificationsExample() throws {
    var decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(
      try readings(&decryptor, example, from: sender)
        == ["temperature_c": .number(25.06), "humidity_pct": .number(50.55)])
  }

  @Test func usesTheIncludedAddress() throws {
    var decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(
      try readings(&decryptor, "43a5808fe64854f196c06ffb4900112233f08ecbde", from: address)
        == ["temperature_c": .number(25.06), "humidity_pct": .number(50.55)])
  }

  @Test(arguments: [
    ("41a47266c95f730011223378237215", "tag"), ("41a47266c95f720011223378237214", "text"),
    ("45a47266c95f730011223378237214", "information"), ("41a47266c95f730111223378237214", "counter"),
  ]) func alteredFramesAreDeclined(data: String, what: String) throws {
    var decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, data, from: sender) }
    #expect(try readings(&decryptor, example, from: sender).count == 2, "and cost the good ones nothing")
  }

  @Test func aFrameWithNothingInItIsDeclined() throws {
    var decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(throws: Decline.authenticationFailed) {
      try readings(&decryptor, "41 00112233 78237214", from: sender)
    }
  }

  @Test func theWrongKeyOrSenderIsDeclined() throws {
    var decryptor = FrameDecryptor(key: try key(sample))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, example, from: sender) }
    decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, example, from: address) }
  }

  /// What became of frames that came one after the other, a second apart.
  private func fates(
    _ counters: [UInt32], after earlier: UInt32? = nil, apart seconds: Double = 1
  ) throws -> [String] {
    var decryptor = FrameDecryptor(key: try key(bindKey), lastCounter: earlier)
    var time = MonotonicTime.zero
    return try counters.map { counter in
      let data = bytes(try #require(sealedTemperatures[counter]))
      defer { time = time + .seconds(seconds) }
      do {
        return
          "\(try decryptor.open(.bthome(BTHome.decode(data.span)), in: data.span, from: sender, at: time) { _, _ in })"
      } catch { return "\(try #require(error as? Decline).description.prefix(8))" }
    }
  }

  @Test func aCounterThatWentBackIsAReplay() throws {
    #expect(
      try fates([4136, 4136, 4130, 100, 4137]) == [
        "continued", "continued", "replayed", "replayed", "continued",
      ])
  }

  /// Home Assistant's bthome-ble takes counters below 100 too.
  @Test func aNewBatteryStartsTheCounterAgain() throws {
    #expect(
      try fates([4136, 0, 1, 2, 100]) == ["continued", "restarted", "continued", "continued", "continued"])
    #expect(try fates([4136, 99, 100]) == ["continued", "restarted", "continued"])
  }

  @Test func replayedFramesRestartTheCounterAtMostEveryTenMinutes() throws {
    #expect(
      try fates([4136, 37, 4137, 38, 37, 0]) == [
        "continued", "restarted", "continued", "replayed", "replayed", "replayed",
      ])
    #expect(
      try fates([4136, 37, 4137, 37], apart: 600) == ["continued", "restarted", "continued", "restarted"])
  }

  @Test func theCounterOfAnEarlierRunHolds() throws {
    #expect(try fates([4130, 4136, 4137], after: 4136) == ["replayed", "continued", "continued"])
    #expect(try fates([0, 1], after: 4136) == ["restarted", "continued"])
  }

  /// A forged frame neither starts the counter again nor moves it.
  @Test func onlyAuthenticatedReadingsCount() throws {
    var decryptor = FrameDecryptor(key: try key(bindKey), lastCounter: 4136)
    var forged = bytes(try #require(sealedTemperatures[0]))
    forged[forged.count - 1] ^= 1
    #expect(throws: Decline.authenticationFailed) {
      try decryptor.open(.bthome(BTHome.decode(forged.span)), in: forged.span, from: sender) { _, _ in }
    }
    #expect(decryptor.lastCounter == 4136)
  }

  @Test func plainFramesPassThrough() throws {
    var decryptor = FrameDecryptor(key: try key(bindKey))
    #expect(try readings(&decryptor, "4001 5d", from: sender) == ["battery_pct": .number(93)])
  }

  // MARK: Sealed sensors

  private let thermometer = DeviceAddress(bits: 0xA4C1_3800_0001, kind: .public)
  private let thermometerKey = "000102030405060708090a0b0c0d0e0f"

  /// Payloads that AES-CCM of another library made from what is read again.
  @Test(arguments: [
    ("0b161a1811b95483427fb848", "packet_id 17, temperature_c 21.5, humidity_pct 48.5, battery_pct 88"),
    (
      "0e161a181284766cb8ee68ac29db44",
      "packet_id 18, temperature_c -5.12, humidity_pct 41.73, battery_pct 61"
    ),
    ("1a1695fe58585b055001000038c1a431221792b9260000f5f0d3d7", "packet_id 80, temperature_c 21.5"),
    ("161695fe48590312a43636006c2ff4d50100006894ec54", "packet_id 164, humidity_pct 45.25"),
    ("181695fe585887035201000038c1a4df91322600003cc27bbc", "packet_id 82, button press"),
  ]) func `a sealed sensor is read with its key, and any other bit is refused`(
    payload: String, expected: String
  ) throws {
    let payload = bytes(payload)
    var decryptor = FrameDecryptor(key: try key(thermometerKey), checksReplay: false)
    var read: [String] = []
    var sealed: [UInt8] = []
    FrameDecoder.forEachFrame(in: payload.span) { result, data in
      guard case .frame(let frame, _) = result else { return }
      let isSealed = frame.isEncrypted(in: data)
      #expect(isSealed)
      frame.forEachReading(in: data) { _ in Issue.record("it is sealed") }
      _ = try? decryptor.open(frame, in: data, from: thermometer) { frame, opened in
        let isSealed = frame.isEncrypted(in: opened)
        #expect(!isSealed)
        frame.forEachReading(in: opened) {
          switch $0.value {
          case .number(let number): read.append("\($0.name) \(number)".replacingSuffix(".0"))
          case .button(let event): read.append("\($0.name) \(event)")
          default: Issue.record("\($0)")
          }
        }
      }
      for offset in 0..<data.count { sealed.append(data[offset]) }
    }
    #expect(read.joined(separator: ", ") == expected)
    // Behind the header of the AD structure, no bit may differ.
    var opened = 0
    for bit in 0..<sealed.count * 8 {
      var forged = payload
      forged[payload.count - sealed.count + bit / 8] ^= 1 << (bit % 8)
      FrameDecoder.forEachFrame(in: forged.span) { result, data in
        guard case .frame(let frame, _) = result, frame.isEncrypted(in: data) else { return }
        if (try? decryptor.open(frame, in: data, from: thermometer) { _, _ in }) != nil { opened += 1 }
      }
    }
    // Four bits of MiBeacon's control, and its capability, are not authenticated, and what they say here is not used.
    #expect(opened <= (payload[2] == 0x95 ? 12 : 0), "\(opened)")
  }

  /// MiBeacon before version 4, whose key has 12 octets and whose tag has one.
  @Test(arguments: [
    ("181695fe5830b603070605040302013560b89222510a000085", "packet_id 7, button press"),
    ("181695fe5830b603070605040302013560b892de560a0000aa", "packet_id 7, dimmer rotate_left 3"),
    ("181695fe5830b603070605040302013560b89123560a00001c", "packet_id 7, dimmer_2 rotate_right 3"),
  ]) func `an early MiBeacon is read with its key, and altered ones are refused`(
    payload: String, expected: String
  ) throws {
    let payload = bytes(payload)
    let sender = DeviceAddress(bits: 0x0102_0304_0506, kind: .public)
    func read(_ payload: [UInt8], _ key: String, from sender: DeviceAddress) throws -> [String] {
      var decryptor = FrameDecryptor(key: try self.key(key))
      var words: [String] = []
      FrameDecoder.forEachFrame(in: payload.span) { result, data in
        guard case .frame(let frame, _) = result, frame.isEncrypted(in: data) else { return }
        _ = try? decryptor.open(frame, in: data, from: sender) { frame, opened in
          frame.forEachReading(in: opened) {
            switch $0.value {
            case .number(let number): words.append("\($0.name) \(number)".replacingSuffix(".0"))
            case .button(let event): words.append("\($0.name) \(event.name)")
            case .dimmer(let event): words.append("\($0.name) \(event.name) \(event.steps)")
            default: Issue.record("\($0)")
            }
          }
        }
      }
      return words
    }
    let key = "0102030405060708090a0b0c"
    #expect(try read(payload, key, from: sender).joined(separator: ", ") == expected)
    #expect(try read(payload, "1102030405060708090a0b0c", from: sender).isEmpty)
    #expect(try read(payload, key, from: thermometer).isEmpty, "it states another's address")
    // One of 256 may pass a tag of one octet.
    var passed: [Int] = []
    for bit in 32..<payload.count * 8 {
      var forged = payload
      forged[bit / 8] ^= 1 << (bit % 8)
      if try !read(forged, key, from: sender).isEmpty { passed.append(bit) }
    }
    #expect(passed.count <= 1, "\(passed)")
  }

  @Test
  func `an old message of a sealed sensor is refused, and a message of before with the same counter is read`()
    throws
  {
    var decryptor = FrameDecryptor(key: try key(thermometerKey))
    func open(_ payload: String) -> String {
      var told = "nothing"
      FrameDecoder.forEachFrame(in: bytes(payload).span) { result, data in
        guard case .frame(let frame, _) = result else { return }
        do throws(Decline) {
          told = "\(try decryptor.open(frame, in: data, from: thermometer) { _, _ in })"
        } catch { told = "\(error)" }
      }
      return told
    }
    let (first, second, older) = (
      "1a1695fe58585b055001000038c1a431221792b9260000f5f0d3d7",
      "1a1695fe58585b055101000038c1a45411991af7260000c634edb0",
      "1a1695fe58585b054f01000038c1a49bf9bd419b2600006379a809"
    )
    #expect(open(first) == "continued")
    #expect(open(second) == "continued")
    #expect(open(second) == "continued")
    #expect(open(first) != "continued")
    #expect(open(older) != "continued")
  }
}

extension String {
  fileprivate func replacingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
