/// One value that a beacon measured or reported.
public struct Reading: Hashable, Sendable {
  public var quantity: Quantity
  /// 1 for the first value of this quantity in its frame, 2 for the second.
  public var ordinal: UInt8
  public var value: Value

  public enum Value: Hashable, Sendable {
    /// In the quantity's unit.
    case number(Double)
    case flag(Bool)
    case button(ButtonEvent)
    case dimmer(DimmerEvent)
    /// With the position of its arguments in the frame's data; their meaning depends on the maker.
    case command(CommandEvent, arguments: Range<Int>)
    /// The position of UTF-8 text in the frame's data.
    case text(Range<Int>)
    /// The position of opaque bytes in the frame's data.
    case bytes(Range<Int>)
    /// Major version first: the lowest `parts` octets of `octets`, from the most significant one.
    case version(octets: UInt32, parts: UInt8)
  }

  @inlinable public init(_ quantity: Quantity, ordinal: UInt8 = 1, _ value: Value) {
    self.quantity = quantity
    self.ordinal = ordinal
    self.value = value
  }

  @inlinable init(_ quantity: Quantity, _ number: Double) { self.init(quantity, .number(number)) }

  /// Whether a sensor of its quantity can have measured it.
  ///
  /// - Parameter hottest: the end of a thermometer's scale; nil: the usual one.
  func isPlausible(hottest: Double? = nil) -> Bool {
    guard case .number(let number) = value, let range = quantity.plausible else { return true }
    if let hottest, quantity == .temperature { return (range.lowerBound...hottest).contains(number) }
    return range.contains(number)
  }

  /// Its name in JSON: the quantity's name, with `_2`, `_3` … for further values of the same quantity.
  public var name: String {
    ordinal == 1 ? quantity.name : "\(quantity.name)_\(ordinal)"
  }
}

/// An event of a button. Raw values are the codes of BTHome v2, object 0x3A, which has no more than three presses.
public enum ButtonEvent: UInt8, Hashable, Sendable, CaseIterable {
  case none = 0x00
  case press = 0x01
  case doublePress = 0x02
  case triplePress = 0x03
  case longPress = 0x04
  case longDoublePress = 0x05
  case longTriplePress = 0x06
  case holdPress = 0x80
  case quadruplePress = 0xF0
  case quintuplePress = 0xF1

  /// The code for `holdPress` in the firmware of Shelly buttons before 1.0.20.
  private static let earlyHoldPress: UInt8 = 0xFE

  /// nil for a code that BTHome does not define.
  public init?(code: UInt8) {
    if code == Self.quadruplePress.rawValue || code == Self.quintuplePress.rawValue { return nil }
    self.init(rawValue: code == Self.earlyHoldPress ? Self.holdPress.rawValue : code)
  }

  public var name: String {
    switch self {
    case .none: "none"
    case .press: "press"
    case .doublePress: "double_press"
    case .triplePress: "triple_press"
    case .longPress: "long_press"
    case .longDoublePress: "long_double_press"
    case .longTriplePress: "long_triple_press"
    case .holdPress: "hold_press"
    case .quadruplePress: "quadruple_press"
    case .quintuplePress: "quintuple_press"
    }
  }
}

/// A request of a remote control (BTHome v2, object 0x3B).
public enum CommandEvent: UInt8, Hashable, Sendable, CaseIterable {
  case off = 0x00
  case on = 0x01
  case toggle = 0x02
  case stepUp = 0x03
  case stepDown = 0x04

  public var name: String {
    switch self {
    case .off: "off"
    case .on: "on"
    case .toggle: "toggle"
    case .stepUp: "step_up"
    case .stepDown: "step_down"
    }
  }
}

/// An event of a dimmer (BTHome v2, object 0x3C).
public enum DimmerEvent: Hashable, Sendable {
  case none
  case rotateLeft(steps: UInt8)
  case rotateRight(steps: UInt8)

  public var name: String {
    switch self {
    case .none: "none"
    case .rotateLeft: "rotate_left"
    case .rotateRight: "rotate_right"
    }
  }

  public var steps: UInt8 {
    switch self {
    case .none: 0
    case .rotateLeft(let steps), .rotateRight(let steps): steps
    }
  }
}

extension Reading: StateCoded {
  public func write(to coder: inout StateCoder) {
    // By name, because the number of a quantity may differ in another version.
    coder.write(quantity.name)
    coder.write(ordinal)
    coder.write(value)
  }

  public init(reading coder: inout StateCoder) throws(StateError) {
    guard let quantity = Quantity(named: try coder.read()) else { throw coder.damaged }
    self.init(quantity, ordinal: try coder.read(), try coder.read())
  }
}

extension Reading.Value: StateCoded {
  public func write(to coder: inout StateCoder) {
    switch self {
    case .number(let number):
      coder.write(0 as UInt8)
      coder.write(number)
    case .flag(let flag):
      coder.write(1 as UInt8)
      coder.write(flag)
    case .button(let event):
      coder.write(2 as UInt8)
      coder.write(event.rawValue)
    case .dimmer(let event):
      coder.write(3 as UInt8)
      coder.write(event.code)
      coder.write(event.steps)
    case .command(let event, let arguments):
      coder.write(4 as UInt8)
      coder.write(event.rawValue)
      arguments.write(to: &coder)
    case .text(let range):
      coder.write(5 as UInt8)
      range.write(to: &coder)
    case .bytes(let range):
      coder.write(6 as UInt8)
      range.write(to: &coder)
    case .version(let octets, let parts):
      coder.write(7 as UInt8)
      coder.write(octets)
      coder.write(parts)
    }
  }

  public init(reading coder: inout StateCoder) throws(StateError) {
    switch try coder.read(UInt8.self) {
    case 0: self = .number(try coder.read())
    case 1: self = .flag(try coder.read())
    case 2:
      guard let event = ButtonEvent(rawValue: try coder.read()) else { throw coder.damaged }
      self = .button(event)
    case 3:
      let event = DimmerEvent(code: try coder.read(), steps: try coder.read())
      guard let event else { throw coder.damaged }
      self = .dimmer(event)
    case 4:
      guard let event = CommandEvent(rawValue: try coder.read()) else { throw coder.damaged }
      self = .command(event, arguments: try Range(reading: &coder))
    case 5: self = .text(try Range(reading: &coder))
    case 6: self = .bytes(try Range(reading: &coder))
    case 7:
      self = .version(octets: try coder.read(), parts: try coder.read())
      guard case .version(_, 0...4) = self else { throw coder.damaged }
    default: throw coder.damaged
    }
  }
}

extension DimmerEvent {
  fileprivate var code: UInt8 {
    switch self {
    case .none: 0
    case .rotateLeft: 1
    case .rotateRight: 2
    }
  }

  fileprivate init?(code: UInt8, steps: UInt8) {
    switch (code, steps) {
    case (0, 0): self = .none
    case (1, _): self = .rotateLeft(steps: steps)
    case (2, _): self = .rotateRight(steps: steps)
    default: return nil
    }
  }
}

extension Range<Int> {
  fileprivate func write(to coder: inout StateCoder) {
    coder.write(UInt32(clamping: lowerBound))
    coder.write(UInt32(clamping: upperBound))
  }

  fileprivate init(reading coder: inout StateCoder) throws(StateError) {
    let (lower, upper): (UInt32, UInt32) = (try coder.read(), try coder.read())
    guard lower <= upper else { throw coder.damaged }
    self = Int(lower)..<Int(upper)
  }
}
