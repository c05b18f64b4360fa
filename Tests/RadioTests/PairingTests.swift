import Beacons
import Core
import Testing
import TestSupport

@testable import Radio

struct PairingTests {
  private let start = MonotonicTime(nanoseconds: 0)
  private let phone = DeviceAddress(bits: 0x5F71_F95C_AE19, kind: .random)
  private let stranger = DeviceAddress(bits: 0x4A00_0000_0007, kind: .random)
  private let identity = DeviceAddress(bits: 0x00AA_0101_0000, kind: .public)

  /// Packets as the kernel (6.1) sent them.
  private func octets(_ device: DeviceAddress) -> [UInt8] {
    Array(device.bits.littleEndianOctets.prefix(6)) + [device.kind == .public ? 1 : 2]
  }
  private func connects(_ device: DeviceAddress, isOurs: Bool = false) -> [UInt8] {
    ManagementPackets.packet(0x0B, 0, octets(device) + [isOurs ? 8 : 0, 0, 0, 0, 0, 0])
  }
  private func asks(_ device: DeviceAddress, _ number: UInt32, hint: UInt8 = 0) -> [UInt8] {
    ManagementPackets.packet(0x0F, 0, octets(device) + [hint] + number.littleEndianOctets)
  }
  private func key(_ device: DeviceAddress) -> [UInt8] {
    ManagementPackets.packet(
      0x18, 0, [1] + octets(device).prefix(6) + octets(identity) + (0..<16).map { UInt8($0) })
  }
  private func fails(_ device: DeviceAddress, _ status: UInt8) -> [UInt8] {
    ManagementPackets.packet(0x11, 0, octets(device) + [status])
  }
  private func pairing(allowsNoNumber: Bool = false) -> Pairing {
    Pairing(adapter: 0, allowsNoNumber: allowsNoNumber, at: start)
  }

  @Test func theTypedNumberPairsAndTheKeyIsLearned() {
    var pairing = pairing()
    #expect(
      pairing.receive(connects(phone).span, at: start) == [
        .tell(.connected(phone)), .send(.pair(0, phone)),
      ])
    #expect(pairing.receive(asks(phone, 4321).span, at: start) == [.tell(.wantsNumber(phone))])
    #expect(pairing.typed(" 004 321") == [.undo(.unpair(0, phone)), .answer(phone, true)])
    #expect(pairing.receive(key(phone).span, at: start) == [.undo(.unpair(0, identity))])
    #expect(pairing.advance(to: start + .seconds(1)).isEmpty)
    let learned = LearnedKey(key: (0..<16).map { UInt8(15 - $0) }, identity: identity)
    #expect(pairing.advance(to: start + .seconds(2)) == [.end(.learned(learned))])
  }

  @Test func aWrongNumberPairsNobody() {
    var pairing = pairing()
    _ = pairing.receive(connects(phone).span, at: start)
    _ = pairing.receive(asks(phone, 123_456).span, at: start)
    for wrong in ["123457", "yes", "y", "12345", "0123456", "1"] {
      #expect(pairing.typed(wrong) == [.tell(.isNoNumber)])
    }
    #expect(pairing.typed("").isEmpty)
    #expect(pairing.typed("no") == [.answer(phone, false), .tell(.refused(phone, "you refused it"))])
    // What the kernel then says is no news.
    #expect(pairing.receive(fails(phone, 5).span, at: start).isEmpty)
  }

  @Test func aStrangerAtTheSameTimeIsRefused() {
    var pairing = pairing()
    for device in [stranger, phone] { _ = pairing.receive(connects(device).span, at: start) }
    _ = pairing.receive(asks(stranger, 111_111).span, at: start)
    _ = pairing.receive(asks(phone, 222_222).span, at: start)
    let actions = pairing.typed("222222")
    #expect(actions.contains(.answer(phone, true)))
    #expect(actions.contains(.answer(stranger, false)))
    #expect(pairing.receive(key(stranger).span, at: start).isEmpty)
  }

  private func shows(_ device: DeviceAddress, _ number: UInt32) -> [UInt8] {
    ManagementPackets.packet(0x17, 0, octets(device) + number.littleEndianOctets + [0])
  }

  @Test func `a keyboard on which nobody types keeps nobody out, and is sent away`() {
    var pairing = pairing()
    _ = pairing.receive(connects(stranger).span, at: start)
    #expect(
      pairing.receive(shows(stranger, 42).span, at: start + .seconds(1)) == [
        .undo(.unpair(0, stranger)), .tell(.showsNumber(stranger, "000042")),
      ])
    _ = pairing.receive(connects(phone).span, at: start + .seconds(2))
    #expect(
      pairing.receive(asks(phone, 4321).span, at: start + .seconds(3)) == [.tell(.wantsNumber(phone))])
    #expect(pairing.deadline == start + .seconds(31))
    #expect(pairing.advance(to: start + .seconds(30)).isEmpty)
    #expect(
      pairing.advance(to: start + .seconds(31)) == [
        .send(.disconnect(0, stranger)),
        .tell(.refused(stranger, "the number was not typed there within 30 s")),
      ])
    // What it sends now is nobody's.
    #expect(pairing.receive(key(stranger).span, at: start + .seconds(32)).isEmpty)
    #expect(pairing.typed("004321") == [.undo(.unpair(0, phone)), .answer(phone, true)])
    #expect(pairing.receive(key(phone).span, at: start + .seconds(33)) == [.undo(.unpair(0, identity))])
  }

  @Test func `a keyboard on which the number is typed is learned, and another one is sent away meanwhile`() {
    var pairing = pairing()
    for device in [stranger, phone] {
      _ = pairing.receive(connects(device).span, at: start)
      _ = pairing.receive(shows(device, 42).span, at: start)
    }
    #expect(pairing.receive(key(phone).span, at: start) == [.undo(.unpair(0, identity))])
    // Only the first one counts.
    #expect(pairing.receive(key(stranger).span, at: start).isEmpty)
    let learned = LearnedKey(key: (0..<16).map { UInt8(15 - $0) }, identity: identity)
    #expect(
      pairing.advance(to: start + .seconds(2)) == [.send(.disconnect(0, stranger)), .end(.learned(learned))])
    var other = self.pairing()
    for device in [stranger, phone] { _ = other.receive(connects(device).span, at: start) }
    _ = other.receive(shows(stranger, 42).span, at: start)
    _ = other.receive(asks(phone, 7).span, at: start)
    #expect(
      other.typed("000007") == [
        .undo(.unpair(0, phone)), .answer(phone, true), .send(.disconnect(0, stranger)),
        .tell(.refused(stranger, "another device is being paired")),
      ])
  }

  @Test func `a device that shows no number is sent away, and one that waits for the person is not`() {
    var pairing = pairing()
    for device in [stranger, phone] { _ = pairing.receive(connects(device).span, at: start) }
    _ = pairing.receive(asks(phone, 7).span, at: start)
    #expect(
      pairing.advance(to: start + .seconds(30)) == [
        .send(.disconnect(0, stranger)), .tell(.refused(stranger, "it showed no number within 30 s")),
      ])
    #expect(pairing.advance(to: start + .seconds(119)).isEmpty)
    #expect(
      pairing.receive(ManagementPackets.packet(0x0C, 0, octets(stranger) + [0]).span, at: start) == [
        .tell(.left(stranger))
      ])
  }

  @Test func twoWithOneNumberAreNotTold() {
    var pairing = pairing()
    for device in [stranger, phone] {
      _ = pairing.receive(connects(device).span, at: start)
      _ = pairing.receive(asks(device, 7).span, at: start)
    }
    #expect(pairing.typed("000007") == [.tell(.isNoNumber)])
  }

  @Test func aKeyThatNobodyAgreedToIsNotTaken() {
    var pairing = pairing()
    _ = pairing.receive(connects(phone).span, at: start)
    #expect(pairing.receive(key(phone).span, at: start).isEmpty)
    _ = pairing.receive(asks(phone, 1).span, at: start)
    #expect(pairing.receive(key(phone).span, at: start).isEmpty)
  }

  @Test func aDeviceWithoutNumberNeedsPermission() {
    var pairing = pairing()
    _ = pairing.receive(connects(phone).span, at: start)
    #expect(pairing.receive(asks(phone, 0, hint: 1).span, at: start).first == .answer(phone, false))
    pairing = self.pairing(allowsNoNumber: true)
    _ = pairing.receive(connects(phone).span, at: start)
    #expect(pairing.receive(asks(phone, 0, hint: 1).span, at: start) == [.tell(.wantsConsent(phone))])
    // The number of the packet is not one that a device shows.
    #expect(pairing.typed("000000") == [.tell(.isNoNumber)])
    #expect(pairing.typed("yes").contains(.answer(phone, true)))
  }

  @Test func aConnectionThatThisMachineBeganIsLeftAlone() {
    var pairing = pairing()
    #expect(pairing.receive(connects(phone, isOurs: true).span, at: start).isEmpty)
    #expect(pairing.receive(asks(phone, 5).span, at: start).isEmpty)
  }

  @Test func theTimeEndsIt() {
    var pairing = pairing()
    _ = pairing.receive(connects(phone).span, at: start)
    _ = pairing.receive(asks(phone, 5).span, at: start)
    #expect(pairing.advance(to: start + .seconds(119)).isEmpty)
    #expect(
      pairing.advance(to: start + .seconds(120)) == [
        .answer(phone, false), .send(.disconnect(0, phone)), .end(.tookTooLong),
      ])
  }

  @Test func aCrowdIsBounded() {
    var pairing = pairing()
    var actions: [Pairing.Action] = []
    for bits in 0..<100 as Range<UInt64> {
      actions += pairing.receive(
        connects(DeviceAddress(bits: 0x4000_0000_0000 | bits, kind: .random)).span, at: start)
    }
    let connected = actions.count { if case .tell = $0 { true } else { false } }
    #expect(connected == Pairing.limit)
  }

  @Test func anyPacketIsSurvived() {
    var random = SeededGenerator(seed: 64)
    let samples = [connects(phone), asks(phone, 5), key(phone), fails(phone, 5)]
    var pairing = pairing(allowsNoNumber: true)
    for _ in 0..<20_000 {
      var bytes = samples.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...4, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
      _ = pairing.receive(bytes.span, at: start)
    }
  }
}

struct HeartRateServerTests {
  private func answer(_ request: [UInt8], isPaired: Bool = false) -> [UInt8]? {
    HeartRateServer.answer(request.span, isPaired: isPaired)
  }

  /// As a phone discovers.
  @Test func servicesAndCharacteristicsAreFound() {
    #expect(answer([0x02, 0xF7, 0x00]) == [0x03, 23, 0])
    #expect(
      answer([0x10, 1, 0, 0xFF, 0xFF, 0x00, 0x28]) == [
        0x11, 6, 1, 0, 5, 0, 0x00, 0x18, 6, 0, 11, 0, 0x0D, 0x18,
      ])
    #expect(answer([0x10, 12, 0, 0xFF, 0xFF, 0x00, 0x28]) == [0x01, 0x10, 12, 0, 0x0A])
    #expect(answer([0x06, 1, 0, 0xFF, 0xFF, 0x00, 0x28, 0x0D, 0x18]) == [0x07, 6, 0, 11, 0])
    #expect(
      answer([0x08, 6, 0, 11, 0, 0x03, 0x28]) == [
        0x09, 7, 7, 0, 0x10, 8, 0, 0x37, 0x2A, 10, 0, 0x02, 11, 0, 0x38, 0x2A,
      ])
    #expect(answer([0x04, 9, 0, 9, 0]) == [0x05, 1, 9, 0, 0x02, 0x29])
    #expect(answer([0x0A, 3, 0]) == [0x0B] + Array("Beaconkeeper".utf8))
    #expect(answer([0x0C, 3, 0, 6, 0]) == [0x0D] + Array("keeper".utf8))
  }

  @Test func protectedValuesNeedAPairing() {
    #expect(answer([0x0A, 11, 0]) == [0x01, 0x0A, 11, 0, 0x05])
    #expect(answer([0x12, 9, 0, 1, 0]) == [0x01, 0x12, 9, 0, 0x05])
    #expect(answer([0x0A, 11, 0], isPaired: true) == [0x0B, 0])
    #expect(answer([0x12, 9, 0, 1, 0], isPaired: true) == [0x13])
  }

  @Test func whatIsNotARequestIsNotAnswered() {
    for opcode in [0x01, 0x0B, 0x1E, 0x1B, 0x52, 0xD2] as [UInt8] { #expect(answer([opcode, 1, 0]) == nil) }
    #expect(answer([]) == nil)
    #expect(answer([0x16, 1, 0, 0, 0, 1]) == [0x01, 0x16, 0, 0, 0x06])
    #expect(answer([0x0A, 3]) == [0x01, 0x0A, 0, 0, 0x04])
    #expect(answer([0x10, 0, 0, 1, 0, 0, 0x28]) == [0x01, 0x10, 0, 0, 0x01])
  }

  @Test func anyRequestIsAnsweredWithinTheUnit() {
    var random = SeededGenerator(seed: 4)
    for opcode in 0...255 as ClosedRange<UInt8> {
      for _ in 0..<400 {
        var request = (0..<Int.random(in: 0...24, using: &random)).map { _ in
          Bool.random(using: &random)
            ? UInt8.random(in: 0...12, using: &random) : .random(in: 0...255, using: &random)
        }
        request.insert(opcode, at: 0)
        let isPaired = Bool.random(using: &random)
        guard let answer = answer(request, isPaired: isPaired) else { continue }
        #expect(!answer.isEmpty && answer.count <= HeartRateServer.unit)
      }
    }
  }
}

struct PairedDeviceTests {
  @Test func theKeyOfBluetoothdIsTurnedRound() throws {
    let info = """
      [General]
      Name=Anna's phone
      [LongTermKey]
      Key=FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF
      [IdentityResolvingKey]
      Key=000102030405060708090A0B0C0D0E0F
      """
    let device = try #require(PairedDevice(address: "AC:BC:32:00:00:01", info: info))
    #expect(device.name == "Anna's phone")
    #expect(device.key == (0..<16).map { UInt8(15 - $0) })
    #expect(PairedDevice(address: "AC:BC:32:00:00:01", info: "[General]\nName=x\n") == nil)
  }
}

struct BusAnswerTests {
  @Test func anAnswerNamesItsCallAndCaller() throws {
    let call = BusMessage(kind: .call, serial: 77, sender: ":1.5")
    for error in [nil, "org.bluez.Error.Rejected"] {
      let bytes = BusMessage.answer(to: call, error: error, serial: 9)
      let message = try #require(try BusMessage.parse(bytes)?.message)
      #expect(message.kind == (error == nil ? .reply : .error))
      #expect(message.replySerial == 77)
      #expect(message.errorName == error)
    }
  }
}
