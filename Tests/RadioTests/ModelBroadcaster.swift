import Beacons
import Core
import TestSupport

@testable import Radio

/// A kernel with advertising instances and a controller that sends them, as a model in steps of 10 ms, with the broadcast
/// keeper that is tried on it. Faults are its variables.
struct ModelBroadcaster {
  /// Answers that get lost, and commands that are refused, in a thousand.
  var lost = 0
  var refused = 0
  var takesPrivateAddresses = true
  var mayAdminister = true

  private(set) var keeper: BroadcastKeeper
  private(set) var now = MonotonicTime.zero
  private(set) var isPowered = true
  private(set) var index: UInt16 = 0
  private(set) var status: BroadcastStatus?
  private(set) var statuses: [BroadcastStatus] = []
  /// What the kernel has, by number; ours and others'.
  private(set) var instances: [UInt8: Instance] = [:]
  /// Numbers of ours that the controller sends.
  private(set) var sent: Set<UInt8> = []
  private(set) var trespasses: [String] = []
  private(set) var commands = 0
  var random: any RandomNumberGenerator
  private let most: UInt8
  private let hasSingleSet: Bool
  private var isPlugged: Bool
  private var pending: [(at: MonotonicTime, packet: [UInt8])] = []

  struct Instance {
    var isOurs: Bool
    var payload: [UInt8] = []
    var expiry = MonotonicTime.distantFuture
  }

  init(
    _ plan: BroadcastPlan, most: UInt8 = 4, hasSingleSet: Bool = false,
    isPlugged: Bool = true, random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) {
    keeper = BroadcastKeeper(plan, wants: { $0.kernelName == "hci0" })
    self.most = most
    self.hasSingleSet = hasSingleSet
    self.random = random
    self.isPlugged = isPlugged
    if isPlugged { describe() } else { hear(ManagementPackets.list([])) }
  }

  // MARK: What others do

  /// - Parameter byUs: on our own socket, which hears of it by the answer only.
  mutating func switched(_ isOn: Bool, byUs: Bool = false) {
    guard isOn != isPowered else { return }
    isPowered = isOn
    sent = []
    if !isOn { for number in instances.keys where instances[number]?.isOurs == true { drop(number) } }
    let settings: UInt32 = isOn ? 0x201 : 0x200
    hear(
      byUs
        ? ManagementPackets.complete(.setPowered, index, EventBytes.little(settings))
        : ManagementPackets.settings(index, settings))
  }

  /// As `hciconfig hci0 reset` does: the kernel does not know.
  mutating func reset() {
    sent = []
    perform(keeper.overheard(RawPackets.complete(HCICommand.Opcode.reset).span, on: index, at: now))
  }

  /// bluetoothd removes every instance when it starts, and may add one.
  mutating func bluetoothdStarts(adding: Bool) {
    for number in instances.keys.sorted() { drop(number) }
    guard adding, isPowered else { return }
    instances[1] = Instance(isOurs: false)
    hear(ManagementPackets.packet(0x23, index, [1]))
  }

  mutating func bluetoothdRemoves() {
    if instances[1]?.isOurs == false { drop(1) }
  }

  mutating func pull() {
    guard isPlugged else { return }
    isPlugged = false
    instances = [:]
    sent = []
    hear(ManagementPackets.packet(5, index, []))
  }

  /// It comes back under another number.
  mutating func plug() {
    guard !isPlugged else { return }
    isPlugged = true
    isPowered = true
    index += 1
    describe()
  }

  mutating func stop() { perform(keeper.stop(at: now)) }

  // MARK: Time

  mutating func run(_ seconds: Double, _ check: (Self) -> Void = { _ in }) {
    for _ in 0..<Int(seconds * 100) {
      advance()
      check(self)
    }
  }

  mutating func jump(_ seconds: Double) { now = now + .seconds(seconds) }

  /// What the air carries of the plan's identities.
  var onAir: Set<[UInt8]> { Set(sent.compactMap { instances[$0]?.payload }) }

  private mutating func advance() {
    now = now + .milliseconds(10)
    for (number, instance) in instances where instance.expiry <= now { drop(number) }
    let due = pending.filter { $0.at <= now }
    pending.removeAll { $0.at <= now }
    for (_, packet) in due { hear(packet) }
    if keeper.deadline <= now { perform(keeper.advance(to: now)) }
    precondition(keeper.deadline > now, "it would never sleep: \(keeper)")
  }

  private mutating func describe() { hear(ManagementPackets.information(index)) }

  private mutating func hear(_ packet: [UInt8]) { perform(keeper.receive(packet.span, at: now)) }

  private mutating func drop(_ number: UInt8) {
    instances[number] = nil
    sent.remove(number)
    hear(ManagementPackets.packet(0x24, index, [number]))
  }

  private mutating func perform(_ actions: [KeeperAction]) {
    for action in actions {
      switch action {
      case .send(let command): obey(command)
      case .broadcast(let new):
        status = new
        statuses.append(new)
      default: trespasses.append("\(action) is not its to do")
      }
    }
  }

  private mutating func obey(_ command: ManagementCommand) {
    commands += 1
    guard isPlugged, command.adapter == index else { return }
    if chance(lost) { return }
    if !mayAdminister { return answer(ManagementPackets.refuse(command.opcode, index, status: 0x14)) }
    if chance(refused) {
      return answer(ManagementPackets.refuse(command.opcode, index, status: chance(500) ? 0x0A : 0x03))
    }
    let number = command.parameters.first ?? 0
    switch command.opcode {
    case .readAdvertisingFeatures:
      let flags: UInt32 = 0x1F07F | (hasSingleSet ? 0 : 0x80)
      return answer(
        ManagementPackets.complete(
          command.opcode, index,
          EventBytes.little(flags) + [31, 31, most, UInt8(instances.count)] + instances.keys.sorted()))
    case .addAdvertisingParameters:
      if instances[number]?.isOurs == false || !(1...most).contains(number) {
        trespasses.append("adds \(number), which is not free")
      }
      guard isPowered else { return answer(ManagementPackets.refuse(command.opcode, index, status: 0x0B)) }
      let timeout = command.parameters.span.littleEndian16(at: 7)
      if timeout == 0 || timeout > 60 { trespasses.append("a timeout of \(timeout) s") }
      instances[number] = Instance(isOurs: true, expiry: now + .seconds(Double(timeout)))
      isConnectable = command.parameters[1] & 1 != 0
      answer(ManagementPackets.complete(command.opcode, index, [number, 0, 31, 31]))
    case .addAdvertisingData:
      guard isPowered, let instance = instances[number], instance.isOurs,
        takesPrivateAddresses || isConnectable
      else {
        instances[number] = nil
        return answer(ManagementPackets.refuse(command.opcode, index, status: 0x03))
      }
      instances[number]?.payload = Array(command.parameters[3...])
      if sent.isEmpty || !hasSingleSet { sent.insert(number) }
      answer(ManagementPackets.complete(command.opcode, index, [number]))
    case .removeAdvertising:
      guard let instance = instances[number] else {
        return answer(ManagementPackets.refuse(command.opcode, index, status: 0x0D))
      }
      if !instance.isOurs { trespasses.append("removes \(number), which is another's") }
      instances[number] = nil
      sent.remove(number)
      answer(ManagementPackets.complete(command.opcode, index, [number]))
    default: trespasses.append("\(command.opcode) is not its to send")
    }
  }

  private(set) var isConnectable = false

  private mutating func chance(_ perThousand: Int) -> Bool {
    perThousand > 0 && Int.random(in: 0..<1000, using: &random) < perThousand
  }

  private mutating func answer(_ packet: [UInt8]) {
    pending.append((now + .milliseconds(20), packet))
  }
}
