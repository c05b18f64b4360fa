import Beacons
import Core

/// Keeps a plan's identities on air. It is a pure state machine: packets and time go in, actions come out. Each identity on air
/// is an advertising instance of the kernel, added when its turn begins and removed when it ends, with one command at a time.
/// It never touches other programs' instances. Ours have a timeout, so that they end if the gateway is killed.
struct BroadcastKeeper {
  /// The kernel waits up to 2 s for the controller's answer to each of the few commands that one of ours needs.
  static let patience = TimeSpan.seconds(8)
  /// The pause before a refused command is sent again.
  static let retry = TimeSpan.milliseconds(100)
  /// The pause before the adapter's features are read again, and before the removal of an instance is retried.
  static let longRetry = TimeSpan.seconds(2)
  /// If a broadcast is later than this, it counts as failed.
  static let tolerance = TimeSpan.seconds(1)
  /// How much longer than its turn an instance could exist.
  static let grace = TimeSpan.seconds(2)
  /// Waiting is not reported for this long after the start.
  static let startUp = TimeSpan.seconds(3)
  /// The longest timeout: kernels compute with milliseconds in 16 bits.
  static let longestTimeout = TimeSpan.seconds(60)

  enum Phase: Equatable {
    /// No adapter yet, or none any more, or it is off.
    case waiting
    /// The adapter's features were requested.
    case asking
    case ready
    /// The adapter can never broadcast the plan; with the reason.
    case refused(String)
  }

  /// The command that waits for an answer; one at a time.
  enum Question: Equatable {
    case features
    case parameters(UInt8)
    case data(UInt8)
    case removal(UInt8)
  }

  struct Instance: Equatable {
    enum State: Equatable {
      /// Its parameters were sent.
      case setting
      /// The parameters were accepted. The data follows, and puts it on air.
      case set
      case on
      /// To be removed; it is unknown whether it is on air.
      case stale
    }

    /// Place in the plan's identities.
    var identity: Int
    var state = State.setting
    /// When the kernel would remove the instance.
    var expiry: MonotonicTime
    /// The instance must not be removed before this time.
    var removal = MonotonicTime.zero
  }

  let plan: BroadcastPlan
  let wants: @Sendable (AdapterInfo) -> Bool
  var info: AdapterInfo?
  /// Identifies the adapter if it is unplugged and plugged in again.
  var address: UInt64?
  var phase = Phase.waiting
  var features: AdvertisingFeatures?
  /// Instances of other programs, by number.
  var others: Set<UInt8> = []
  /// Ours, by number.
  var instances: [UInt8: Instance] = [:]
  var question: Question?
  var questionDeadline = MonotonicTime.distantFuture
  /// No command before this.
  var pause: MonotonicTime?
  var began: MonotonicTime?
  /// When the identities on air change next.
  var change = MonotonicTime.distantFuture
  /// Since when something due has not been on air, and why.
  var missingSince: MonotonicTime?
  var refusal = ""
  var refusals = 0
  /// A controller with a single set accepts no private address while it scans. Connectable advertisements have the public
  /// address.
  var isConnectable = false
  var isStopping = false
  var told: BroadcastStatus?
  /// Until then, waiting is not reported; nil: no input yet.
  var startUpEnd: MonotonicTime?

  init(_ plan: BroadcastPlan, wants: @escaping @Sendable (AdapterInfo) -> Bool) {
    self.plan = plan
    self.wants = wants
  }

  var isStopped: Bool { isStopping && (phase != .ready || (instances.isEmpty && question == nil)) }

  /// When `advance` must be called next.
  var deadline: MonotonicTime {
    let work: MonotonicTime
    switch phase {
    case _ where question != nil: work = questionDeadline
    case _ where pause != nil: work = pause ?? .distantFuture
    case .ready: work = instances.values.reduce(.distantFuture) { min($0, due($1)) }
    case .waiting, .asking, .refused: work = .distantFuture
    }
    return min(
      min(work, change), min(late, told == nil && !isStopping ? startUpEnd ?? .distantFuture : .distantFuture)
    )
  }

  /// When a missing broadcast becomes a failure; for the status only.
  private var late: MonotonicTime {
    guard let missingSince, told?.state != .failed else { return .distantFuture }
    return missingSince + Self.tolerance
  }

  /// When an instance must be removed, perhaps to be added again.
  func due(_ instance: Instance) -> MonotonicTime {
    instance.state == .on ? instance.expiry - Self.grace : instance.removal
  }

  mutating func advance(to time: MonotonicTime) -> [KeeperAction] {
    if question != nil, questionDeadline <= time { unanswered(at: time) }
    if let pause, pause <= time { self.pause = nil }
    return proceed(at: time) + tell(at: time)
  }

  /// Removes our instances, and no others.
  mutating func stop(at time: MonotonicTime) -> [KeeperAction] {
    isStopping = true
    pause = nil
    for number in instances.keys where instances[number]?.state == .stale {
      instances[number]?.removal = time
    }
    return proceed(at: time)
  }

  // MARK: Next actions

  mutating func proceed(at time: MonotonicTime) -> [KeeperAction] {
    let wanted = wanted(at: time)
    guard question == nil, pause == nil, let info else { return [] }
    if phase == .asking {
      return isStopping ? [] : ask(.features, .readAdvertisingFeatures(info.index), at: time)
    }
    guard phase == .ready else { return [] }
    if let (number, instance) = instances.first(where: { $0.value.state == .set }) {
      let data = plan.identities[instance.identity].advertisingData
      return ask(.data(number), .addAdvertisingData(info.index, instance: number, data), at: time)
    }
    for (number, instance) in instances.sorted(by: { $0.key < $1.key }) {
      let mayStay = instance.state == .on && wanted.contains(instance.identity) && time < due(instance)
      guard !mayStay, instance.state == .on || instance.removal <= time,
        let removal = ManagementCommand.removeAdvertising(info.index, instance: number)
      else { continue }
      instances[number]?.state = .stale
      return ask(.removal(number), removal, at: time)
    }
    guard let missing = wanted.first(where: { !isSent($0) }), obstacle == nil else { return [] }
    guard let number = freeNumber else {
      refusal = "no advertising instance is free"
      pause = time + Self.longRetry
      return []
    }
    return add(missing, as: number, to: info, at: time)
  }

  /// The identities that should be on air now. Records since when any of them is not.
  private mutating func wanted(at time: MonotonicTime) -> [Int] {
    guard phase == .ready, !isStopping, let began else {
      missingSince = nil
      change = .distantFuture
      return []
    }
    let now = plan.onAir(time - began)
    // A late clock must not delay it.
    change = now.until.map { max(began + $0, time + .milliseconds(1)) } ?? .distantFuture
    let wanted = now.identities.filter(plan.identities.indices.contains)
    if wanted.allSatisfy(isSent) {
      missingSince = nil
      refusals = 0
      refusal = ""
    } else {
      missingSince = missingSince ?? time
    }
    return wanted
  }

  private func isSent(_ identity: Int) -> Bool {
    instances.values.contains { $0.identity == identity && $0.state == .on }
  }

  private mutating func add(
    _ identity: Int, as number: UInt8, to info: AdapterInfo, at time: MonotonicTime
  ) -> [KeeperAction] {
    let elapsed = time - (began ?? time)
    let end = plan.end(of: identity, after: elapsed, limit: elapsed + Self.longestTimeout)
    let life = min(end - elapsed + Self.grace, Self.longestTimeout)
    let seconds = (life.nanoseconds + 999_999_999) / 1_000_000_000
    instances[number] = Instance(identity: identity, expiry: time + .milliseconds(seconds * 1000))
    return ask(
      .parameters(number),
      .addAdvertisingParameters(
        info.index, instance: number, timeout: UInt16(clamping: seconds), isConnectable: isConnectable),
      at: time)
  }

  mutating func ask(
    _ question: Question, _ command: ManagementCommand, at time: MonotonicTime
  ) -> [KeeperAction] {
    self.question = question
    questionDeadline = time + Self.patience
    return [.send(command)]
  }

  /// From the top: bluetoothd uses numbers from the bottom, and does not check whether they are free.
  private var freeNumber: UInt8? {
    guard let features, features.most > 0 else { return nil }
    return (1...features.most).last { instances[$0] == nil && !others.contains($0) }
  }
}
