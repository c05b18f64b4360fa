import Contract

/// The latest transitions and verdicts, for the page and for streams that resume where they broke off. Bounded.
package struct RecentDecisions: Sendable {
  package enum Entry: Sendable {
    case transition(TransitionMessage)
    case verdict(VerdictMessage)
  }

  package static let limit = 1024
  private static let eventLimit = 20

  /// A ring: the entry of number n is at n modulo its length.
  /// nil: it is forgotten.
  private var entries: [Entry?] = []
  /// The number that the next entry gets.
  package private(set) var end = 0

  /// - Parameter earlier: transitions of earlier runs, the oldest first.
  package init(_ earlier: [TransitionMessage] = []) { for message in earlier { note(.transition(message)) } }

  /// Events of beacons are separate: a client of the transitions does not get them.
  private var events: [TransitionMessage] = []

  package mutating func note(_ entry: Entry) {
    if case .transition(let message) = entry, message.kind == nil {
      if events.count == Self.limit { events.removeFirst(Self.limit / 4) }
      return events.append(message)
    }
    if entries.count < Self.limit { entries.append(entry) } else { entries[end % Self.limit] = entry }
    end += 1
  }

  /// Deletes what happened to beacons and phones of these names.
  package mutating func forget(_ names: Set<String>) {
    for index in entries.indices {
      switch entries[index] {
      case .transition(let message)? where names.contains(message.beacon): entries[index] = nil
      case .verdict(let message)? where names.contains(message.phone) || names.contains(message.beacon):
        entries[index] = nil
      default: break
      }
    }
    events.removeAll { names.contains($0.beacon) }
  }

  /// A message's number: epoch and sequence number.
  package struct Number: Hashable {
    package var epoch: UInt64
    package var sequence: UInt64

    package init(_ message: some NumberedMessage) {
      (epoch, sequence) = (message.epoch, message.sequence)
    }
  }

  /// Transitions got other numbers before they were published.
  package mutating func renumber(_ new: [Number: Number]) {
    for index in entries.indices {
      guard case .transition(var message)? = entries[index], let number = new[Number(message)]
      else { continue }
      (message.epoch, message.sequence) = (number.epoch, number.sequence)
      entries[index] = .transition(message)
    }
    for index in events.indices {
      guard let number = new[Number(events[index])] else { continue }
      (events[index].epoch, events[index].sequence) = (number.epoch, number.sequence)
    }
  }

  private var start: Int { end - entries.count }

  /// Entries from a number on, the oldest first.
  package func entries(from first: Int) -> [Entry] {
    (min(max(first, start), end)..<end).compactMap { entries[$0 % Self.limit] }
  }

  /// The number after a transition that a client names as the last it saw; nil: it is not kept.
  package func place(after id: String) -> Int? {
    let place = (start..<end).last { number in
      if case .transition(let message)? = entries[number % Self.limit] { message.number == id } else { false }
    }
    return place.map { $0 + 1 }
  }

  /// Whether earlier entries may be forgotten.
  package var isFull: Bool { entries.count == Self.limit }

  /// The latest transitions, the newest first.
  package func transitions(atMost limit: Int) -> [TransitionMessage] {
    var latest: [TransitionMessage] = []
    for number in (start..<end).reversed() where latest.count < limit {
      if case .transition(let message)? = entries[number % Self.limit] { latest.append(message) }
    }
    return latest
  }

  /// The latest events of a beacon, the newest first.
  package func events(of beacon: String) -> [TransitionMessage] {
    Array(events.reversed().lazy.filter { $0.beacon == beacon }.prefix(Self.eventLimit))
  }

  /// The latest events of all beacons, the newest first.
  package func events(atMost limit: Int) -> [TransitionMessage] { events.suffix(limit).reversed() }

  /// The latest verdicts, the newest first.
  package func verdicts(atMost limit: Int) -> [VerdictMessage] {
    var latest: [VerdictMessage] = []
    for number in (start..<end).reversed() where latest.count < limit {
      if case .verdict(let message)? = entries[number % Self.limit] { latest.append(message) }
    }
    return latest
  }
}

extension TransitionMessage {
  /// Its public number: `epoch-seq`.
  package var number: String { "\(epoch)-\(sequence)" }
}
