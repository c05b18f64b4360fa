import Beacons
import Core

/// An identity resolving key, and whose it is.
package struct LearnedKey: Equatable, Sendable {
  /// The most significant octet first.
  package var key: [UInt8]
  /// The address that does not change.
  package var identity: DeviceAddress
}

/// What happens while a device is paired.
package enum PairingNews: Equatable, Sendable {
  /// An earlier opening was killed; what it had left open was put back.
  case putBack
  /// Devices see it now.
  case isOpen(adapter: String, hasBluetoothd: Bool)
  case connected(DeviceAddress)
  /// The device shows a number, which must be typed here.
  case wantsNumber(DeviceAddress)
  /// The device can show no number, and that is allowed.
  case wantsConsent(DeviceAddress)
  /// This number must be typed on the device.
  case showsNumber(DeviceAddress, String)
  /// No device shows what was typed.
  case isNoNumber
  case refused(DeviceAddress, String)
  case left(DeviceAddress)
}

package enum PairingEnd: Equatable, Sendable {
  case learned(LearnedKey)
  /// It paired, and has no identity resolving key.
  case hasNoKey(DeviceAddress)
  case tookTooLong
  case stopped
}

/// Pairs with the one device whose number a person types, until its identity resolving key is known. A pure state machine.
///
/// A person types the number that the device shows, instead of agreeing to one that is shown here. So a stranger's device, whose
/// number nobody sees, cannot be taken by mistake.
struct Pairing {
  enum Action: Equatable {
    case send(ManagementCommand)
    /// To the kernel, or to bluetoothd.
    case answer(DeviceAddress, Bool)
    /// This must be done at the end, whatever happens.
    case undo(ManagementCommand)
    case tell(PairingNews)
    case end(PairingEnd)
  }

  private enum State: Equatable {
    case connected
    case asked(number: UInt32?)
    /// A number is shown here, and must be typed on the device. Nobody else knows it, so others may come
    /// meanwhile.
    case shown
    case agreed
    /// It was refused, and the reason reported.
    case refused
  }

  /// "Display with yes and no" (Core Specification, Vol 3, Part H, 2.3.2).
  static let displayYesNo: UInt8 = 1
  /// How long it may be open, in seconds.
  static let seconds: UInt16 = 120
  /// The largest number of devices at the same time; further ones are disconnected.
  static let limit = 4
  /// How long a device may take to show a number, or until the one that it was shown is typed there. It would hold a place that
  /// others need.
  static let patience = TimeSpan.seconds(30)
  /// How long the device has to send the rest after its key, and to take ours.
  static let settling = TimeSpan.seconds(2)

  private let adapter: UInt16
  private let allowsNoNumber: Bool
  private let end: MonotonicTime
  private var devices: [DeviceAddress: State] = [:]
  /// When a device is sent away.
  private var leaves: [DeviceAddress: MonotonicTime] = [:]
  private var learned: LearnedKey?
  private var settled: MonotonicTime?
  private var paired: DeviceAddress?

  var deadline: MonotonicTime {
    min(end, settled ?? .distantFuture, leaves.values.min() ?? .distantFuture)
  }
  /// Whether the connection of a device is encrypted.
  var isPaired: Bool { paired != nil }

  init(adapter: UInt16, allowsNoNumber: Bool, at time: MonotonicTime) {
    self.adapter = adapter
    self.allowsNoNumber = allowsNoNumber
    end = time + .seconds(Double(Self.seconds))
  }

  mutating func receive(_ packet: Span<UInt8>, at time: MonotonicTime) -> [Action] {
    guard let event = PairingEvent.parse(packet, adapter: adapter) else { return [] }
    switch event {
    case .connected(let device, let isOurs):
      guard !isOurs else { return [] }
      guard devices.count < Self.limit else { return [.send(.disconnect(adapter, device))] }
      devices[device] = .connected
      leaves[device] = time + Self.patience
      return [.tell(.connected(device)), .send(.pair(adapter, device))]
    case .disconnected(let device):
      leaves[device] = nil
      return devices.removeValue(forKey: device) == nil ? [] : [.tell(.left(device))]
    case .asksToConfirm(let device, let number): return asked(device, number)
    case .asksForPasskey(let device): return [.send(.refusePasskey(adapter, device))]
    case .showsPasskey(let device, let number):
      guard let state = devices[device], state != .agreed, state != .shown else { return [] }
      guard !devices.values.contains(.agreed) else { return sendAway(device, Self.isBusy) }
      devices[device] = .shown
      leaves[device] = time + Self.patience
      return [.undo(.unpair(adapter, device)), .tell(.showsNumber(device, Self.digits(number)))]
    case .failed(let device, let status), .answered(let device, let status):
      guard status != .success, devices[device] != nil, paired != device else { return [] }
      defer { devices[device] = .refused }
      return devices[device] == .refused ? [] : [.tell(.refused(device, Self.reason(status)))]
    case .newResolvingKey(let address, let identity, let key):
      // Another device may be pairing with another program.
      guard mayPair(address) || mayPair(identity), key.count == 16 else { return [] }
      (devices[address], leaves[address]) = (nil, nil)
      (devices[identity], leaves[identity]) = (.agreed, nil)
      (learned, paired) = (LearnedKey(key: key.reversed(), identity: identity), identity)
      settled = time + Self.settling
      return [.undo(.unpair(adapter, identity))]
    case .newLongTermKey(let device):
      guard mayPair(device) else { return [] }
      (devices[device], leaves[device]) = (.agreed, nil)
      paired = device
      // The identity resolving key may come after it.
      if settled == nil { settled = time + Self.settling }
      return []
    }
  }

  /// A line that a person typed.
  mutating func typed(_ line: String) -> [Action] {
    let text = line.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    guard !text.isEmpty else { return [] }
    let asking = devices.filter { if case .asked = $0.value { true } else { false } }.keys
    if ["n", "no"].contains(text) {
      return asking.sorted { $0.bits < $1.bits }.flatMap { refuse($0, "you refused it") }
    }
    let fitting = asking.filter { device in
      guard case .asked(let number)? = devices[device] else { return false }
      return number.map { Self.digits($0) == text } ?? ["y", "yes"].contains(text)
    }
    // If two devices have the same number, it is unknown which one the person means.
    guard fitting.count == 1, let device = fitting.first else { return [.tell(.isNoNumber)] }
    return agree(device, [.answer(device, true)])
  }

  mutating func advance(to time: MonotonicTime) -> [Action] {
    if let settled, settled <= time {
      if let learned { return close(.learned(learned)) }
      if let paired { return close(.hasNoKey(paired)) }
    }
    if end <= time { return close(.tookTooLong) }
    let late = leaves.filter { $0.value <= time }.keys.sorted { $0.bits < $1.bits }
    return late.flatMap { device in
      sendAway(
        device,
        devices[device] == .connected
          ? "it showed no number within 30 s" : "the number was not typed there within 30 s")
    }
  }

  /// Whether a device that sends its keys has proved that it is the one before the person. The first one counts.
  private func mayPair(_ device: DeviceAddress) -> Bool {
    guard learned == nil, paired == nil || paired == device else { return false }
    return devices[device] == .agreed || devices[device] == .shown
  }

  /// Refuses the devices that wait, and disconnects all. Bonds are undone.
  mutating func close(_ end: PairingEnd) -> [Action] {
    var actions: [Action] = []
    for (device, state) in devices.sorted(by: { $0.key.bits < $1.key.bits }) {
      switch state {
      case .connected, .shown, .refused: actions.append(.send(.disconnect(adapter, device)))
      case .asked: actions += [.answer(device, false), .send(.disconnect(adapter, device))]
      case .agreed: break
      }
    }
    devices = [:]
    return actions + [.end(end)]
  }

  private mutating func asked(_ device: DeviceAddress, _ number: UInt32?) -> [Action] {
    guard let state = devices[device], state != .agreed else { return [] }
    guard !devices.values.contains(.agreed) else { return refuse(device, Self.isBusy) }
    guard number != nil || allowsNoNumber else {
      return refuse(
        device, "it shows no number to compare; if it has no display, allow that with --without-number")
    }
    devices[device] = .asked(number: number)
    // Now it is the person's turn.
    leaves[device] = nil
    return [.tell(number == nil ? .wantsConsent(device) : .wantsNumber(device))]
  }

  private mutating func agree(_ device: DeviceAddress, _ actions: [Action]) -> [Action] {
    devices[device] = .agreed
    let others = devices.sorted { $0.key.bits < $1.key.bits }
    return [.undo(.unpair(adapter, device))] + actions
      + others.flatMap { other, state in
        switch state {
        case .asked: refuse(other, Self.isBusy)
        case .shown: sendAway(other, Self.isBusy)
        case .connected, .agreed, .refused: [Action]()
        }
      }
  }

  private static let isBusy = "another device is being paired"

  private mutating func sendAway(_ device: DeviceAddress, _ reason: String) -> [Action] {
    leaves[device] = nil
    defer { devices[device] = .refused }
    return [.send(.disconnect(adapter, device))]
      + (devices[device] == .refused ? [] : [.tell(.refused(device, reason))])
  }

  private mutating func refuse(_ device: DeviceAddress, _ reason: String) -> [Action] {
    devices[device] = .refused
    return [.answer(device, false), .tell(.refused(device, reason))]
  }

  private static func digits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  private static func reason(_ status: ManagementStatus) -> String {
    switch status.rawValue {
    case 0x05:
      "it refused to pair: the person there did not agree, or it keeps an old pairing, which it must forget first"
    case 0x08: "it did not answer in time: unlock it, and agree within half a minute"
    case 0x0B, 0x10: "the pairing was refused"
    case 0x0E, 0x02: "it went away while it was paired"
    case 0x13: "this machine is paired with it already: see enrol --paired"
    default: "it cannot be paired: \(status.meaning)"
    }
  }
}
