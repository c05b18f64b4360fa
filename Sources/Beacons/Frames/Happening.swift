/// An event in a reading, in BTHome's words. A button or a dimmer has its events as values. A binary reading or a counter of
/// movements has one when it changes.
///
/// Source: https://bthome.io/format
public struct Happening: Hashable, Sendable {
  /// The word for it in JSON, one of those that `Quantity.happenings` lists.
  public var word: String
  /// How far a dimmer was turned, or how often a tag was moved or a button was pressed.
  public var amount: UInt32?

  public init(_ word: String, amount: UInt32? = nil) {
    self.word = word
    self.amount = amount
  }
}

extension Reading {
  /// Whether a reading of this quantity may be an event.
  public var tellsHappenings: Bool {
    switch value {
    case .button, .dimmer, .command, .flag: true
    case .number: quantity == .movementCount || quantity == .pressCount
    case .text, .bytes, .version: false
    }
  }

  /// nil: no event.
  ///
  /// - Parameter earlier: the previous reading of its kind; nil: it is the first.
  public func happening(after earlier: Value?) -> Happening? {
    switch (value, earlier) {
    case (.button(.none), _), (.dimmer(.none), _): nil
    case (.button(let event), _): Happening(event.name)
    case (.dimmer(let event), _): Happening(event.name, amount: UInt32(event.steps))
    case (.command(let event, _), _): Happening(event.name)
    case (.flag(let flag), .flag(let before)?):
      flag == before ? nil : quantity.words.map { Happening(flag ? $0.on : $0.off) }
    // A door may have been open for days, but a first smoke is an event.
    case (.flag(true), nil): quantity.isDetection ? quantity.words.map { Happening($0.on) } : nil
    case (.number(let count), .number(let before)?) where quantity == .movementCount:
      Self.movements(from: before, to: count).map { Happening(Quantity.moved, amount: $0) }
    case (.number(let count), .number(let before)?) where quantity == .pressCount:
      Self.presses(from: before, to: count).map { Happening(ButtonEvent.press.name, amount: $0) }
    default: nil
    }
  }

  /// Counters start again after 15 or 255; a zero before that is a change of battery.
  private static func presses(from before: Double, to now: Double) -> UInt32? {
    if now > before { return UInt32(exactly: now - before) }
    return now < before && (now > 0 || before == 15 || before == 255) ? 1 : nil
  }

  /// A RuuviTag counts from 0 to 254, and starts again after that or after a change of battery.
  private static func movements(from before: Double, to now: Double) -> UInt32? {
    guard let before = UInt8(exactly: before), let now = UInt8(exactly: now), before != now else {
      return nil
    }
    if now > before { return UInt32(now - before) }
    let turned = UInt32(now) + 255 - UInt32(before)
    return turned < 64 ? turned : nil
  }
}

extension Quantity {
  static let moved = "moved"

  /// All events that its readings may have; empty: they are only measurements.
  public var happenings: [String] {
    switch self {
    case .button: ButtonEvent.allCases.filter { $0 != .none }.map(\.name)
    case .dimmer: [DimmerEvent.rotateLeft(steps: 0).name, DimmerEvent.rotateRight(steps: 0).name]
    case .command: CommandEvent.allCases.map(\.name)
    case .movementCount: [Self.moved]
    case .pressCount: [ButtonEvent.press.name]
    default: words.map { [$0.on, $0.off] } ?? []
    }
  }

  /// The words of a binary reading, by its value.
  var words: (on: String, off: String)? {
    switch self {
    case .opening, .door, .garageDoor, .window: ("open", "closed")
    case .carbonMonoxide, .gasDetected, .light, .motion, .occupancy, .smoke, .sound, .tamper, .vibration:
      ("detected", "clear")
    case .moistureDetected: ("wet", "dry")
    case .problem: ("problem", "ok")
    case .safety: ("safe", "unsafe")
    case .heat: ("hot", "normal")
    case .cold: ("cold", "normal")
    case .batteryLow: ("low", "normal")
    case .batteryCharging: ("charging", "not_charging")
    case .connectivity: ("connected", "disconnected")
    case .lock: ("unlocked", "locked")
    case .moving: ("moving", "not_moving")
    case .plug: ("plugged_in", "unplugged")
    case .presence: ("home", "away")
    case .running: ("running", "not_running")
    case .generic, .powerOn, .calibrating: ("on", "off")
    default: nil
    }
  }

  /// Whether a first `on` is an event.
  fileprivate var isDetection: Bool {
    switch self {
    case .carbonMonoxide, .gasDetected, .moistureDetected, .motion, .problem, .smoke, .sound, .tamper,
      .vibration:
      true
    default: false
    }
  }
}
