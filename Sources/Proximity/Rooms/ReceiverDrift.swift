import Beacons

/// Whether receivers still hear the rooms as they did when those were calibrated. One that was moved, turned or hidden does
/// not, and no single advertisement shows it: the signal of a beacon at one place may always be 10 dB off. So what counts is the
/// mean error of each receiver in each room, over minutes.
///
/// In a recorded flat of six receivers (`MovedReceiverTests`) the root of the mean square over rooms was at most 5.6 dB where
/// nothing had changed, 8.9 dB or more for one that heard 20 dB less, and 4 to 14 dB for 12 dB less. Receivers that changed
/// places are seldom found: the estimate gives way to them.
struct ReceiverDrift: Sendable {
  private let rooms: Int
  /// By hearer, then room.
  private var tallies: [MeanError]
  /// The receiver that hears the rooms otherwise than calibrated, with dB.
  private(set) var moved: (hearer: Int, decibels: Float)?
  private var notes = 0

  /// Notes between two judgements.
  private static let pause = 256
  /// Three minutes in a room are remembered, and 12 s must have been heard of it.
  private static let memory: Float = 600
  private static let enough: Float = 40
  /// In so many rooms, or in all if there are fewer. A beacon that lies still says little.
  private static let least = 3
  /// dB, from which a receiver is told, and down to which it stays told.
  private static let limit: Float = 8
  private static let rest: Float = 6
  /// It makes others look wrong, too, so it must be worse than they by this factor.
  private static let clearly: Float = 1.25

  init(hearers: Int, rooms: Int) {
    self.rooms = rooms
    tallies = [MeanError](repeating: MeanError(), count: hearers * rooms)
  }

  /// Notes how much stronger than expected a receiver heard a beacon that is in a room, dB.
  mutating func note(_ error: Float, of hearer: Int, in room: Int) {
    let index = hearer * rooms + room
    guard tallies.indices.contains(index), error.isFinite else { return }
    tallies[index].add(error, memory: Self.memory)
    notes += 1
    if notes % Self.pause == 0 { judge() }
  }

  /// By how many dB a receiver hears the rooms otherwise than calibrated; nil: too little is known.
  func error(of hearer: Int) -> Float? { error(of: hearer, common: common) }

  private func error(of hearer: Int, common: [Float]) -> Float? {
    let own = tallies[(hearer * rooms)..<((hearer + 1) * rooms)]
    let known = zip(own, common).filter { $0.0.weight >= Self.enough }
    guard known.count >= min(Self.least, rooms) else { return nil }
    let squares = known.reduce(0) { $0 + ($1.0.decibels - $1.1) * ($1.0.decibels - $1.1) }
    return (squares / Float(known.count)).squareRoot()
  }

  /// By room: the error that most receivers have in common there. One that was moved and speaks often takes what is believed of
  /// beacons' strength along, and then it seems right and all others wrong. The median tells who it is, if there are enough of them.
  private var common: [Float] {
    (0..<rooms).map { room in
      let errors = stride(from: room, to: tallies.count, by: rooms).map { tallies[$0] }
        .filter { $0.weight >= Self.enough }.map(\.decibels).sorted()
      guard errors.count > 3 else { return 0 }
      return (errors[errors.count / 2] + errors[(errors.count - 1) / 2]) / 2
    }
  }

  private mutating func judge() {
    var worst: (hearer: Int, decibels: Float)?
    var second: Float = 0
    let common = common
    for hearer in 0..<(tallies.count / max(rooms, 1)) {
      guard let error = error(of: hearer, common: common) else { continue }
      if error > worst?.decibels ?? 0 {
        (worst, second) = ((hearer, error), worst?.decibels ?? 0)
      } else {
        second = max(second, error)
      }
    }
    if let worst, worst.decibels >= max(Self.limit, Self.clearly * second) {
      moved = worst
    } else if let earlier = moved {
      moved = error(of: earlier.hearer, common: common).flatMap {
        $0 < Self.rest ? nil : (earlier.hearer, $0)
      }
    }
  }
}

extension ReceiverDrift {
  func snapshot(into writer: inout StateWriter) {
    for tally in tallies { writer.write(tally) }
    writer.write(moved != nil)
    if let moved {
      writer.write(Int32(moved.hearer))
      writer.write(moved.decibels)
    }
    writer.write(UInt64(notes))
  }

  /// Of a new one for as many receivers and rooms.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    for index in tallies.indices { tallies[index] = try reader.read() }
    if try reader.read(Bool.self) {
      let hearer: Int32 = try reader.index(below: tallies.count / max(rooms, 1))
      moved = (Int(hearer), try reader.read())
    }
    notes = Int(try reader.tally())
  }
}
