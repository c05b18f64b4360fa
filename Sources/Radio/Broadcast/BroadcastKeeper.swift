import Beacons

/// Keeps a plan's identities on air, as a pure state machine: packets and time go in, actions come out. Each identity on air
/// is an advertising instance of the kernel's, added when its turn begins and removed when it ends; one command at a time.
/// Other programs' instances are never touched. Ours have a timeout, so that they do not outlive a gateway that was killed.
struct BroadcastKeeper {
  /// The kernel allows a controller 2 s for each of the few commands that one of ours needs.
  static let patience = TimeSpan.seconds(8)
  /// Before a command that was refused is sent again.
  static let retry = TimeSpan.milliseconds(100)
  /// The pause before the adapter's features are read again, and before the removal of an instance is retried.
  static let longRetry = TimeSpan.seconds(2)
  /// Late by more than this, it is called failed.
  static let tolerance = TimeSpan.seconds(1)
  /// How much longer than its turn an instance could live.
  static let grace = TimeSpan.seconds(2)
  /// Waiting is not reported for this long after the start.
  static let startUp = TimeSpan.seconds(3)
  /// The longest timeout: kernels compute with milliseconds in 16 bits.
  static let longestTimeout = TimeSpan.seconds(60)

  enum Phase: Equatable {
    /// No adapter yet, or none any more, or it is off.
    case waiting
    /// What it can have on air was asked for.
    case asking
    case ready
    /// It cannot be had, whatever happens: why.
    case refused(String)
  }

  /// One command is under way at a time.
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
      /// The parameters were accepted. Its data follows, and puts it on air.
      case set
      case on
      /// To be removed; what it sends now, if anything, is unknown.
      case stale
    }

    /// Place in the plan's identities.
    var identity: Int
    var state = State.setting
    /// When the kernel would remove it.
    var expiry: MonotonicTime
    /// Not to be removed before.
    var removal = MonotonicTime.zero
  }

  let plan: BroadcastPlan
  let wants: @Sendable (AdapterInfo) -> Bool
  var info: AdapterInfo?
  /// Identifies an adapter that was plugged in again.
  var address: UInt64?
  var phase = Phase.waiting
  var features: AdvertisingFeatures?
  /// Instances that others added, by number.
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
  /// Since when something that is due is not on air, and why not.
  var missingSince: MonotonicTime?
  var refusal = ""
  var refusals = 0
  /// A controller with a single set takes no private address while it scans. Connectable advertisements have the public one.
  var isConnectable = false
  var isStopping = false
  var told: BroadcastStatus?
  /// Until then, waiting is not reported; nil: nothing has come in yet.
  var startUpEnd: MonotonicTime?

  init(_ plan: BroadcastPlan, wants: @escaping @Sendable (AdapterInfo) -> Bool) {
    self.plan = plan
    self.wants = wants
  }

  var isStopped: Bool { isStopping && (phase != .ready || (instances.isEmpty && question == nil)) }

  /// When `advance` has something to do.
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

  /// When an instance must be removed, be it to be renewed.
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

  // MARK: What to do next

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

  /// What is to be on air now; notes since when some of it is not.
  private mutating func wanted(at time: MonotonicTime) -> [Int] {
    guard phase == .ready, !isStopping, let began else {
      missingSince = nil
      change = .distantFuture
      return []
    }
    let now = plan.onAir(time - began)
    // A clock that was behind must not hold it up.
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

  /// From the top: bluetoothd takes numbers from the bottom, and does not look whether they are free.
  private var freeNumber: UInt8? {
    guard let features, features.most > 0 else { return nil }
    return (1...features.most).last { instances[$0] == nil && !others.contains($0) }
  }
}
