extension Reading: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.write(quantity.rawValue)
    writer.write(ordinal)
    writer.write(value)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    let quantity = Quantity(rawValue: try reader.read())
    guard let quantity else { throw reader.damaged }
    self.init(quantity, ordinal: try reader.read(), try reader.read())
  }
}

extension Reading.Value: StateCoded {
  public func write(to writer: inout StateWriter) {
    switch self {
    case .number(let number):
      writer.write(0 as UInt8)
      writer.write(number)
    case .flag(let flag):
      writer.write(1 as UInt8)
      writer.write(flag)
    case .button(let event):
      writer.write(2 as UInt8)
      writer.write(event.rawValue)
    case .dimmer(let event):
      writer.write(3 as UInt8)
      writer.write(event.code)
      writer.write(event.steps)
    case .command(let event, let arguments):
      writer.write(4 as UInt8)
      writer.write(event.rawValue)
      arguments.write(to: &writer)
    case .text(let range):
      writer.write(5 as UInt8)
      range.write(to: &writer)
    case .bytes(let range):
      writer.write(6 as UInt8)
      range.write(to: &writer)
    case .version(let octets, let parts):
      writer.write(7 as UInt8)
      writer.write(octets)
      writer.write(parts)
    }
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .number(try reader.read())
    case 1: self = .flag(try reader.read())
    case 2:
      guard let event = ButtonEvent(rawValue: try reader.read()) else { throw reader.damaged }
      self = .button(event)
    case 3:
      let event = DimmerEvent(code: try reader.read(), steps: try reader.read())
      guard let event else { throw reader.damaged }
      self = .dimmer(event)
    case 4:
      guard let event = CommandEvent(rawValue: try reader.read()) else { throw reader.damaged }
      self = .command(event, arguments: try Range(reading: &reader))
    case 5: self = .text(try Range(reading: &reader))
    case 6: self = .bytes(try Range(reading: &reader))
    case 7:
      self = .version(octets: try reader.read(), parts: try reader.read())
      guard case .version(_, 0...4) = self else { throw reader.damaged }
    default: throw reader.damaged
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
  fileprivate func write(to writer: inout StateWriter) {
    writer.write(UInt32(clamping: lowerBound))
    writer.write(UInt32(clamping: upperBound))
  }

  fileprivate init(reading reader: inout StateReader) throws(StateError) {
    let (lower, upper): (UInt32, UInt32) = (try reader.read(), try reader.read())
    guard lower <= upper else { throw reader.damaged }
    self = Int(lower)..<Int(upper)
  }
}
