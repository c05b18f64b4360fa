import Core

extension BroadcastKeeper {
  /// Why the adapter cannot broadcast the plan at present; nil: it can.
  var obstacle: String? {
    guard let features, let info else { return nil }
    return features.obstacle(to: plan, on: info, others: others.count)
  }

  private func status(at time: MonotonicTime) -> BroadcastStatus {
    var status = BroadcastStatus(
      state: .waiting, reason: "", adapter: info?.kernelName, onAir: [], began: began)
    switch phase {
    case .waiting:
      status.reason =
        info.map { "\($0.kernelName) is off" }
        ?? (address == nil ? "no adapter yet" : "the adapter was removed")
    case .asking:
      status.reason = refusal
    case .refused(let reason):
      status.state = .failed
      status.reason = reason
    case .ready:
      status.onAir = instances.values.filter { $0.state == .on }.map(\.identity).sorted()
      if let obstacle {
        status.state = .failed
        status.reason = obstacle
      } else if let missingSince, time - missingSince >= Self.tolerance {
        status.state = .failed
        status.reason = refusal.isEmpty ? "the kernel is slow to start advertising" : refusal
      } else {
        status.state = .on
        if features?.hasSingleSet == true, !others.isEmpty {
          status.reason = "shares the controller with another program's advertising and may start late"
        }
      }
    }
    return status
  }

  mutating func tell(at time: MonotonicTime) -> [KeeperAction] {
    let status = status(at: time)
    let startUpEnd = startUpEnd ?? time + Self.startUp
    self.startUpEnd = startUpEnd
    guard status != told, !isStopping else { return [] }
    if told == nil, status.state == .waiting, time < startUpEnd { return [] }
    told = status
    return [.broadcast(status)]
  }
}
