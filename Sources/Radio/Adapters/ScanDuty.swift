/// How much of the time the radio listens.
public enum ScanDuty: Sendable {
  /// Always: 60 of 60 ms.
  case full
  /// Half the time, as the kernel does by default: 30 of 60 ms.
  case balanced
  /// A quarter of the time, for boards where Bluetooth and Wi-Fi share an antenna: 25 of 100 ms.
  case wifiFriendly

  /// From the start of one window to the next, in units of 0.625 ms (Core Specification, Vol 4, Part E, 7.8.10).
  var interval: UInt16 { self == .wifiFriendly ? 0xA0 : 0x60 }
  /// How long it listens, in units of 0.625 ms.
  var window: UInt16 {
    switch self {
    case .full: 0x60
    case .balanced: 0x30
    case .wifiFriendly: 0x28
    }
  }
}
