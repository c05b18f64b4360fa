import Beacons
import Core

/// Judges each beacon at the end of a window and decides on its room.
extension RoomTracker {
  /// Probability at which a room is reported. The margin above one half prevents flicker in doorways.
  static let toldFrom: Float = 0.6
  /// The same without outlines, if a calibration says how often each receiver hears a beacon: the belief is
  /// then more certain. In simulated homes, a beacon that is heard constantly changed rooms a tenth less
  /// often than with 0.6, and was right as often.
  private static let toldFromWithSilence: Float = 0.7
  /// The same after a pause in reception. The first window after it has full weight, but a body in the way
  /// stays there for longer than a window, so one window seldom decides.
  private static let toldFromAfterPause: Float = 0.65

  mutating func judgeWindow(into transitions: inout [RoomTransition]) {
    guard let window = windows.take(into: &entries) else { return }
    for entry in entries { noteWord(Int(entry.hearer), in: window) }
    var start = 0
    while start < entries.count {
      var end = start + 1
      while end < entries.count, entries[end].beacon == entries[start].beacon { end += 1 }
      let track = Int(entries[start].beacon)
      changed.insert(beacon(of: track))
      hearings(of: start..<end)
      let earlier = tracks[track].recentHearers
      note(track, until: RoomWindows.end(of: window))
      if tracks[track].recentHearers != earlier, isTurningUp(track, at: RoomWindows.end(of: window)) {
        // The belief so far depends on which receiver happened to report first.
        if tracks[track].window != nil { beliefs.reset(track) }
        tracks[track].window = nil
        tracks[track].offset = 0
        tracks[track].offsetWeight = 0
      }
      defer { start = end }
      var spoken = hearings.count
      let last = tracks[track].window
      holdOn(track, in: window)
      if !model.isCalibrated { fittedGains.note(hearings, of: track, in: window, usual: gains.decibels) }
      holdOnToSilent(track, in: window)
      takeOffGains()
      setAside(&spoken)
      let sense = sense(track, at: RoomWindows.end(of: window))
      if sense == .elsewhere { hearings.removeAll(where: \.isDoubtful) }
      switch sense {
      case .usual: break
      case .nothingNew:
        tracks[track].window = window
        continue
      case .elsewhere where !model.isCalibrated && hearings.count > 1:
        // The power learnt in the old room would confirm that room for ever. With two receivers, place and power are estimated
        // again.
        tracks[track].offset = 0
        tracks[track].offsetWeight = 0
      case .elsewhere: break
      }
      findNearby(track)
      appearance.update(
        model, hearers: tracks[track].recentHearers, blind: blind, elsewhere: drift.elsewhere, nearby: nearby)
      Self.judge(
        track, hearings, new: spoken, in: window, state: &tracks[track], beliefs: &beliefs, model: model,
        filter: &filter,
        placeAndPower: &placeAndPower, appearance: appearance, nearby: nearby,
        presences: presences(in: window, new: spoken))
      sumRooms(ofTrack: track)
      if !isInDoubt(in: window) {
        decide(
          track, at: RoomWindows.end(of: window), after: RoomModel.Pause(from: last, to: window),
          into: &transitions)
      }
      if model.isCalibrated {
        noteDrift(track, in: window, after: last)
      } else {
        noteGains(track, hearings: spoken)
      }
    }
  }

  /// Finds the places for the belief of a beacon, if they are not those of the model.
  private mutating func findNearby(_ track: Int) {
    guard nearby != nil else { return }
    var heard: [Int32] = []
    let hearers = tracks[track].recentHearers
    hearers.subtracting(blind).forEach { heard += model.rooms(of: $0) }
    var near = beliefs.rooms(track)?.map(\.room) ?? []
    for hearing in hearings { near += model.rooms(of: hearing.hearer) }
    hearers.intersection(blind).forEach { near += model.rooms(of: $0) }
    if tracks[track].told >= 0 { near.append(tracks[track].told) }
    nearby?.update(heard: heard, near: near, of: model.possibleRooms)
  }

  private mutating func note(_ track: Int, until end: MonotonicTime) {
    guard let strongest = hearings.max(by: { ($0.level, $1.hearer) < ($1.level, $0.hearer) }) else { return }
    let heard = HearerSet(hearings.lazy.map(\.hearer))
    tracks[track].note(heard, strongest: plan.hearers[strongest.hearer].receiver, until: end)
    silences.schedule(Int32(track), at: tracks[track].silenceDeadline)
  }

  /// Computes the mean level of the beacon at each receiver.
  private mutating func hearings(of range: Range<Int>) {
    hearings.removeAll(keepingCapacity: true)
    for entry in entries[range] {
      if hearings.last?.hearer != Int(entry.hearer) {
        hearings.append(RoomHearing(hearer: Int(entry.hearer)))
      }
      hearings[hearings.count - 1].add(entry.level)
    }
  }

  /// Adds levels from earlier windows that are still valid.
  private mutating func holdOn(_ track: Int, in window: Int64) {
    for hearing in hearings { held.note(hearing, of: track, in: window) }
    held.add(track, in: window, isPast: true, except: blind, to: &hearings)
  }

  /// Adds levels of receivers that fell silent. Without them the silence of one receiver would move beacons.
  private mutating func holdOnToSilent(_ track: Int, in window: Int64) {
    let (words, pauses) = (lastWords, pauses)
    held.addDoubtful(track, in: window, to: &hearings) { hearer in
      Self.window(ofWord: words[hearer], before: window).flatMap {
        pauses.keepsLevels(hearer, after: window - $0) ? $0 : nil
      }
    }
    held.forgetOld(track, in: window) { hearer in
      Self.window(ofWord: words[hearer], before: window + 1).flatMap {
        window - $0 <= ReceiverPauses.limit ? $0 : nil
      }
    }
  }

  /// The last window in which a receiver heard anything; nil: none, or this one or a later one.
  private func lastWord(_ hearer: Int, before window: Int64) -> Int64? {
    Self.window(ofWord: lastWords[hearer], before: window)
  }

  private static func window(ofWord word: MonotonicTime, before window: Int64) -> Int64? {
    guard word.nanoseconds != .min, word < RoomWindows.end(of: window) else { return nil }
    return RoomWindows.window(of: word) - 1
  }

  mutating func noteWord(_ hearer: Int, in window: Int64) {
    let end = RoomWindows.end(of: window)
    // An unknown beacon may have been heard later.
    guard lastWords[hearer] < end else { return }
    if let last = lastWord(hearer, before: window) { pauses.note(window - last, of: hearer, in: window) }
    lastWords[hearer] = end
  }

  /// A receiver that heard the beacon this much weaker than others decides little, dB.
  private static let minorLevel: Float = 15

  /// Whether a receiver that heard the beacon well may just have failed.
  private func isInDoubt(in window: Int64) -> Bool {
    guard hearings.contains(where: \.isDoubtful) else { return false }
    let strongest = hearings.lazy.map(\.level).max() ?? 0
    return hearings.contains { hearing in
      hearing.isDoubtful && hearing.level > strongest - Self.minorLevel
        && lastWord(hearing.hearer, before: window).map {
          pauses.isDoubtful(hearing.hearer, after: window - $0)
        } ?? false
    }
  }

  /// Ignores moved receivers, unless no other receiver hears the beacon.
  ///
  /// - Parameter count: of the hearings, those of this window.
  private mutating func setAside(_ count: inout Int) {
    guard hearings.contains(where: { !drift.elsewhere.contains($0.hearer) }) else { return }
    for index in hearings.indices.reversed() where drift.elsewhere.contains(hearings[index].hearer) {
      hearings.remove(at: index)
      if index < count { count -= 1 }
    }
  }

  private mutating func takeOffGains() {
    let gains = gainsOfHearers
    for index in hearings.indices { hearings[index].takeOff(gains[hearings[index].hearer]) }
  }

  /// The received level, with the receiver's gain.
  private func rssi(_ hearing: RoomHearing) -> Float {
    hearing.level + gainsOfHearers[hearing.hearer]
  }

  private static func judge(
    _ track: Int, _ hearings: [RoomHearing], new count: Int, in window: Int64, state: inout RoomTrack,
    beliefs: inout RoomBeliefs, model: RoomModel, filter: inout RoomFilter,
    placeAndPower: inout PlaceAndPower, appearance: Appearance, nearby: NearbyRooms?,
    presences: [Hearability.Presence]
  ) {
    beliefs.change(track, nearby) { belief in
      if let last = state.window, window > last {
        let seconds = Double(window - last) * RoomWindows.length.seconds
        filter.move(belief, model, prior: appearance.prior, seconds: seconds)
      } else if state.window == nil, state.told < 0 {
        appearance.fill(belief, model)
      }
      let pause = RoomModel.Pause(from: state.window, to: window)
      state.window = window
      let windows = state.offsetWeight
      if let doubt = PlaceAndPower.doubt(after: windows, model) {
        let temper = windows == 0 ? 1 : model.temper(after: pause)
        placeAndPower.judge(belief, hearings, &state, model, doubt: doubt, temper: temper, at: nearby)
        if !filter.normalise(belief) { appearance.fill(belief, model) }
        return
      }
      if windows == 0 { state.offsetWeight = RoomOffset.calibrated }
      let offset = state.offset
      // A held level was counted before, so it adds little information.
      func pauseOf(_ hearing: RoomHearing) -> RoomModel.Pause {
        hearing.isDoubtful ? pause.doubted : hearing.isHeld ? .none : pause
      }
      if model.hasTables {
        func likelihoods(_ hearing: RoomHearing) -> [Float] {
          model.likelihoods(
            hearing.hearer, level: hearing.level - offset, after: pauseOf(hearing), at: nearby)
        }
        for place in stride(from: 0, to: hearings.count, by: 2) {
          if place + 1 < hearings.count {
            filter.weigh(belief, by: likelihoods(hearings[place]), likelihoods(hearings[place + 1]))
          } else {
            filter.weigh(belief, by: likelihoods(hearings[place]))
          }
          // Prevents underflow.
          if place % 4 == 2, place + 1 < hearings.count, !filter.normalise(belief) { break }
        }
      } else {
        let levels = hearings.map { hearing in
          (
            hearer: hearing.hearer, level: RoomModel.whole(hearing.level - offset),
            temper: model.temper(after: pauseOf(hearing))
          )
        }
        filter.weigh(belief, by: levels, model)
      }
      let tables = presences.compactMap {
        model.hearability?.likelihoods($0, shift: offset + $0.gain, after: pause)
      }
      for place in stride(from: 0, to: tables.count, by: 2) {
        if place + 1 < tables.count {
          filter.weigh(belief, by: tables[place], tables[place + 1])
        } else {
          filter.weigh(belief, by: tables[place])
        }
        if place % 4 == 2, !filter.normalise(belief) { break }
      }
      if !filter.normalise(belief) { appearance.fill(belief, model) }
      // All receivers of this window were ignored.
      guard count > 0 else { return }
      let residual = RoomOffset.residual(
        UnsafeBufferPointer(belief), hearings.prefix(count), state.offset, model, filter, at: nearby)
      RoomOffset.learn(residual, &state)
    }
  }

  /// Which receivers heard the beacon in a window and which did not. A receiver that may just have failed is
  /// in neither group: it heard no other beacon either, or its last level of this one still counts.
  private func presences(in window: Int64, new count: Int) -> [Hearability.Presence] {
    guard model.hearability != nil else { return [] }
    let heard = HearerSet(hearings.prefix(count).lazy.map(\.hearer))
    let mute = HearerSet(hearings.lazy.filter(\.isDoubtful).map(\.hearer)).union(blind).union(drift.elsewhere)
    let gains = gainsOfHearers
    return plan.hearers.indices.compactMap { hearer in
      let isHeard = heard.contains(hearer)
      guard isHeard || !mute.contains(hearer) && isAlive(hearer, in: window) else { return nil }
      return Hearability.Presence(hearer: hearer, isHeard: isHeard, gain: gains[hearer])
    }
  }

  private func isAlive(_ hearer: Int, in window: Int64) -> Bool {
    lastWords[hearer] >= RoomWindows.end(of: window - ReceiverPauses.doubt)
  }

  /// Reports another room if the belief, whose sums are known, requires it.
  private mutating func decide(
    _ track: Int, at time: MonotonicTime, after pause: RoomModel.Pause,
    into transitions: inout [RoomTransition]
  ) {
    let least =
      pause == .long
      ? Self.toldFromAfterPause
      : model.hearability != nil && model.grid == nil ? Self.toldFromWithSilence : Self.toldFrom
    guard let first = sums.indices.max(by: { sums[$0] < sums[$1] }), sums[first] >= least else { return }
    let best = room(first)
    guard Int32(best) != tracks[track].told, hasBeenHeardByAll(track, at: time),
      // Without outlines, other receivers give no evidence for a blind room.
      model.grid != nil || !isBlind(RoomIndex(rawValue: Int32(best)))
    else { return }
    let beacon = beacon(of: track)
    let old = tracks[track].told
    let wallTime = tracks[track].wallTime(at: time)
    func transition(_ event: RoomTransition.Event, _ room: Int, over other: Int?) -> RoomTransition {
      RoomTransition(
        event: event, room: RoomIndex(rawValue: Int32(room)), beacon: beacon, time: time, wallTime: wallTime,
        probability: Double(probability(of: room)),
        evidence: evidence(for: best, over: other, offset: tracks[track].offset),
        receiver: tracks[track].lastReceiver)
    }
    if old >= 0 {
      transitions.append(transition(.exit, Int(old), over: Int(old)))
      insiders[Int(old)][beacon] = nil
    }
    let second = sums.indices.filter { $0 != first }.max { sums[$0] < sums[$1] }
    transitions.append(transition(.enter, best, over: old >= 0 ? Int(old) : second.map(room)))
    tracks[track].told = Int32(best)
    tracks[track].latest = Int32(best)
    tracks[track].since = wallTime
    tracks[track].outside = OutsideLevel()
    beginStay(track)
    for hearing in hearings where hearing.isDoubtful { held.forget(track, at: hearing.hearer) }
    insiders[best][beacon] = wallTime
  }

  /// Whether all working receivers had time to hear a beacon that appeared. Scanners report every second or two, at different
  /// times, and the first to report may be any of them.
  private func hasBeenHeardByAll(_ track: Int, at time: MonotonicTime) -> Bool {
    guard isTurningUp(track, at: time) else { return true }
    let heard = tracks[track].recentHearers.union(blind)
    return everyone.isSubset(of: heard)
  }

  private func isTurningUp(_ track: Int, at time: MonotonicTime) -> Bool {
    tracks[track].turnedUp + (tracks[track].told < 0 ? Self.timeToBeHeard : Self.timeToBeHeardAnew) > time
  }

  private static let timeToBeHeard = TimeSpan.milliseconds(1800)
  /// For a restored beacon, which keeps its room during this time. The slowest scanners report every five
  /// seconds.
  private static let timeToBeHeardAnew = TimeSpan.seconds(6)

  /// The receivers' evidence for a room against another, the strongest first.
  private func evidence(for room: Int, over other: Int?, offset: Float) -> [RoomEvidence] {
    func misfit(_ hearing: RoomHearing, _ room: Int) -> Float {
      let difference = hearing.level - offset - model.level(hearing.hearer, in: room)
      return difference * difference
    }
    let arguments = hearings.filter { !$0.isDoubtful }.map { hearing in
      (hearing, weight: (other.map { misfit(hearing, $0) } ?? 0) - misfit(hearing, room))
    }
    return arguments.sorted { ($0.weight, $1.0.hearer) > ($1.weight, $0.0.hearer) }
      .prefix(RoomTransition.evidenceLimit).map { hearing, _ in
        RoomEvidence(
          receiver: plan.hearers[hearing.hearer].receiver, rssi: Double(rssi(hearing)),
          expected: Double(model.level(hearing.hearer, in: room) + offset + rssi(hearing) - hearing.level),
          samples: hearing.samples)
      }
  }

  /// Uses a shared buffer, because it runs for every window of every beacon.
  private mutating func sumRooms(ofTrack track: Int) {
    if let nearby {
      return beliefs.look(track, nearby) { sums = Array($0.dropLast()) }
    }
    if sums.count != model.roomCount { sums = [Float](repeating: 0, count: model.roomCount) }
    beliefs.read(track) { Self.sumRooms($0, model, into: &sums) }
  }

  /// The room of an index in `sums`.
  private func room(_ index: Int) -> Int { nearby.map { Int($0.rooms[index]) } ?? index }

  /// The probability of a room for the beacon being judged. A reported room has a place in `nearby`.
  func probability(of room: Int) -> Float {
    nearby.map { nearby in nearby.place(of: room).map { sums[$0] } ?? 0 } ?? sums[room]
  }

  private static func sumRooms(
    _ belief: UnsafeBufferPointer<Float>, _ model: RoomModel, into sums: inout [Float]
  ) {
    for room in sums.indices { sums[room] = 0 }
    for run in model.runs { sums[run.room] += RoomFilter.sum(belief, run.places) }
  }

  /// The rooms that a beacon may be in, and the probability of each. `others`: the probability of each
  /// further room.
  func probabilities(ofTrack track: Int) -> (rooms: [(room: Int32, probability: Float)], others: Float) {
    if let rooms = beliefs.rooms(track) { return (rooms, beliefs.probabilityOfOthers(track)) }
    var sums = [Float](repeating: 0, count: model.roomCount)
    beliefs.read(track) { Self.sumRooms($0, model, into: &sums) }
    return (sums.enumerated().map { (Int32($0), $1) }, 0)
  }
}

/// The level of one beacon at one receiver in a window.
struct RoomHearing: Sendable {
  let hearer: Int
  /// Mean level, dBm.
  fileprivate(set) var level: Float = 0
  private(set) var samples = 0
  /// Whether the level comes from an earlier window.
  var isHeld = false
  /// Whether the receiver has heard no beacon at all since.
  var isDoubtful = false

  /// Subtracts the receiver's gain, dB.
  mutating func takeOff(_ gain: Float) { level -= gain }

  mutating func add(_ rssi: Int8) {
    samples += 1
    level += (Float(rssi) - level) / Float(samples)
  }
}
