/// One kind of BTHome object: length, sign, scale and quantity, by object id.
/// Source: https://bthome.io/format, https://github.com/Bluetooth-Devices/bthome-ble (ids 0x60 and above)
public struct BTHomeObject: Hashable, Sendable {
  public enum Kind: Hashable, Sendable {
    /// The raw integer divided by `divisor`, which is exact where multiplying by 0.01 is not.
    case unsigned(divisor: Int32)
    case signed(divisor: Int32)
    /// Steps of 0.35.
    case thirtyFiveHundredths
    case flag
    case button
    /// The lowest five bits of the first octet are the number of arguments; the opcode and the arguments follow.
    case command
    case dimmer
    case text
    case bytes
    case version
  }

  public var quantity: Quantity
  public var kind: Kind
  /// Length of the value in octets; 0: the first octet holds the length.
  public var length: UInt8

  private init(_ quantity: Quantity, _ kind: Kind, _ length: UInt8) {
    self.quantity = quantity
    self.kind = kind
    self.length = length
  }

  private static func unsigned(_ quantity: Quantity, _ length: UInt8, _ divisor: Int32 = 1) -> Self {
    Self(quantity, .unsigned(divisor: divisor), length)
  }

  private static func signed(_ quantity: Quantity, _ length: UInt8, _ divisor: Int32 = 1) -> Self {
    Self(quantity, .signed(divisor: divisor), length)
  }

  private static func flag(_ quantity: Quantity) -> Self { Self(quantity, .flag, 1) }

  /// nil for an id that the specification does not list.
  public init?(id: UInt8) {
    guard let object = Self.objects[Int(id)] else { return nil }
    self = object
  }

  /// By id.
  private static let objects = InlineArray<256, BTHomeObject?> { BTHomeObject(listed: UInt8($0)) }

  private init?(listed id: UInt8) {
    switch id {
    case 0x00: self = .unsigned(.packetID, 1)
    case 0x01: self = .unsigned(.batteryLevel, 1)
    case 0x02: self = .signed(.temperature, 2, 100)
    case 0x03: self = .unsigned(.humidity, 2, 100)
    case 0x04: self = .unsigned(.pressure, 3, 100)
    case 0x05: self = .unsigned(.illuminance, 3, 100)
    case 0x06: self = .unsigned(.massKilograms, 2, 100)
    case 0x07: self = .unsigned(.massPounds, 2, 100)
    case 0x08: self = .signed(.dewPoint, 2, 100)
    case 0x09: self = .unsigned(.count, 1)
    case 0x0A: self = .unsigned(.energy, 3, 1000)
    case 0x0B: self = .unsigned(.power, 3, 100)
    case 0x0C: self = .unsigned(.voltage, 2, 1000)
    case 0x0D: self = .unsigned(.pm25, 2)
    case 0x0E: self = .unsigned(.pm10, 2)
    case 0x0F: self = .flag(.generic)
    case 0x10: self = .flag(.powerOn)
    case 0x11: self = .flag(.opening)
    case 0x12: self = .unsigned(.co2, 2)
    case 0x13: self = .unsigned(.tvoc, 2)
    case 0x14: self = .unsigned(.moisture, 2, 100)
    case 0x15: self = .flag(.batteryLow)
    case 0x16: self = .flag(.batteryCharging)
    case 0x17: self = .flag(.carbonMonoxide)
    case 0x18: self = .flag(.cold)
    case 0x19: self = .flag(.connectivity)
    case 0x1A: self = .flag(.door)
    case 0x1B: self = .flag(.garageDoor)
    case 0x1C: self = .flag(.gasDetected)
    case 0x1D: self = .flag(.heat)
    case 0x1E: self = .flag(.light)
    case 0x1F: self = .flag(.lock)
    case 0x20: self = .flag(.moistureDetected)
    case 0x21: self = .flag(.motion)
    case 0x22: self = .flag(.moving)
    case 0x23: self = .flag(.occupancy)
    case 0x24: self = .flag(.plug)
    case 0x25: self = .flag(.presence)
    case 0x26: self = .flag(.problem)
    case 0x27: self = .flag(.running)
    case 0x28: self = .flag(.safety)
    case 0x29: self = .flag(.smoke)
    case 0x2A: self = .flag(.sound)
    case 0x2B: self = .flag(.tamper)
    case 0x2C: self = .flag(.vibration)
    case 0x2D: self = .flag(.window)
    case 0x2E: self = .unsigned(.humidity, 1)
    case 0x2F: self = .unsigned(.moisture, 1)
    case 0x3A: self = Self(.button, .button, 1)
    case 0x3B: self = Self(.command, .command, 0)
    case 0x3C: self = Self(.dimmer, .dimmer, 2)
    case 0x3D: self = .unsigned(.count, 2)
    case 0x3E: self = .unsigned(.count, 4)
    case 0x3F: self = .signed(.rotation, 2, 10)
    case 0x40: self = .unsigned(.distanceMillimetres, 2)
    case 0x41: self = .unsigned(.distanceMetres, 2, 10)
    case 0x42: self = .unsigned(.duration, 3, 1000)
    case 0x43: self = .unsigned(.current, 2, 1000)
    case 0x44: self = .unsigned(.speed, 2, 100)
    case 0x45: self = .signed(.temperature, 2, 10)
    case 0x46: self = .unsigned(.uvIndex, 1, 10)
    case 0x47: self = .unsigned(.volumeLitres, 2, 10)
    case 0x48: self = .unsigned(.volumeMillilitres, 2)
    case 0x49: self = .unsigned(.volumeFlowRate, 2, 1000)
    case 0x4A: self = .unsigned(.voltage, 2, 10)
    case 0x4B: self = .unsigned(.gasVolume, 3, 1000)
    case 0x4C: self = .unsigned(.gasVolume, 4, 1000)
    case 0x4D: self = .unsigned(.energy, 4, 1000)
    case 0x4E: self = .unsigned(.volumeLitres, 4, 1000)
    case 0x4F: self = .unsigned(.waterVolume, 4, 1000)
    case 0x50: self = .unsigned(.timestamp, 4)
    case 0x51: self = .unsigned(.acceleration, 2, 1000)
    case 0x52: self = .unsigned(.gyroscope, 2, 1000)
    case 0x53: self = Self(.text, .text, 0)
    case 0x54: self = Self(.raw, .bytes, 0)
    case 0x55: self = .unsigned(.volumeStorage, 4, 1000)
    case 0x56: self = .unsigned(.conductivity, 2)
    case 0x57: self = .signed(.temperature, 1)
    case 0x58: self = Self(.temperature, .thirtyFiveHundredths, 1)
    case 0x59: self = .signed(.count, 1)
    case 0x5A: self = .signed(.count, 2)
    case 0x5B: self = .signed(.count, 4)
    case 0x5C: self = .signed(.power, 4, 100)
    case 0x5D: self = .signed(.current, 2, 1000)
    case 0x5E: self = .unsigned(.direction, 2, 100)
    case 0x5F: self = .unsigned(.precipitation, 2, 10)
    case 0x60: self = .unsigned(.channel, 1)
    case 0x61: self = .unsigned(.rotationalSpeed, 2)
    case 0x62: self = .signed(.speed, 4, 1_000_000)
    case 0x63: self = .signed(.acceleration, 4, 1_000_000)
    case 0x64: self = .unsigned(.lightLevel, 1)
    case 0xF0: self = .unsigned(.deviceType, 2)
    case 0xF1: self = Self(.firmwareVersion, .version, 4)
    case 0xF2: self = Self(.firmwareVersion, .version, 3)
    default: return nil
    }
  }
}
