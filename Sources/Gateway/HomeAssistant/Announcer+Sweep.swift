import Beacons
import Messages

/// Takes back what the broker keeps and nobody wants any more.
extension Announcer {
  /// Compares what is kept with what should be, and queues all that is to be done. Returns what must be said first: to
  /// let go of what another form announced.
  mutating func sweep(at time: MonotonicTime) -> [Message] {
    for subject in plan.standing { due.append(subject) }
    for name in heard.keys.sorted() { due.append(.beacon(name)) }
    let patience = TimeSpan.seconds(10 + Double(due.count) / 40)
    let topics = unjudged?.filter { kept[$0] != nil }.sorted() ?? kept.keys.sorted()
    unjudged = []
    var leaving: [String] = []
    for topic in topics where !obsolete.contains(topic) {
      judged += 1
      switch verdict(on: topic) {
      case .keep: continue
      case .remove: obsolete.append(topic)
      case .migrate: leaving.append(topic)
      }
    }
    let reductions = leaving.compactMap { reduction(of: $0) }
    if !reductions.isEmpty {
      unjudged = Set(leaving)
      sweepTime = time + Self.pause
      return reductions
    }
    for topic in leaving { obsolete.append(topic, from: time + patience) }
    if !leaving.isEmpty { announceTime = time + .seconds(2) }
    return leaving.map { Discovery.migration($0) }
  }

  /// Takes from a device of the other form what nothing takes over: Home Assistant would keep it for ever. nil: there
  /// is nothing.
  private mutating func reduction(of topic: String) -> Message? {
    guard let parsed = discovery.parse(topic), parsed.form == .device,
      let device = device(parsed.subject)
    else { return nil }
    let keys = Set(device.components.map(\.key))
    let dropped = (kept[topic]?.components ?? [:]).filter { !keys.contains($0.key) }
    if dropped.isEmpty { return nil }
    for key in dropped.keys { kept[topic]?.components[key] = nil }
    var discovery = discovery
    discovery.form = .device
    return discovery.messages(device, dropped: dropped).first
  }

  private enum Verdict { case keep, remove, migrate }

  private func verdict(on topic: String) -> Verdict {
    guard let parsed = discovery.parse(topic), let device = device(parsed.subject) else { return .remove }
    if let component = parsed.component,
      !device.components.contains(where: { $0.key == component.key && $0.platform == component.platform })
    {
      return .remove
    }
    return parsed.form == discovery.form ? .keep : .migrate
  }

  mutating func takeObsolete(at time: MonotonicTime) -> [Message] {
    var messages: [Message] = []
    for _ in 0..<Self.batch {
      guard let topic = obsolete.popFirst(at: time) else { break }
      judged += 1
      // It may be wanted again by now.
      if verdict(on: topic) == .keep { continue }
      kept[topic] = nil
      messages.append(Discovery.removal(topic))
    }
    return messages
  }
}
