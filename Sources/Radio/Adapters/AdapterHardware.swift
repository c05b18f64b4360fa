import CBlueZ
import Core
import Glibc

/// The hardware behind an adapter, according to /sys: its rfkill switch and its USB device.
enum AdapterHardware {
  /// Whether rfkill blocks it, softly or by a switch on the machine; nil: unknown.
  static func isBlocked(_ adapter: UInt16) -> Bool? {
    guard let number = rfkillNumber(adapter) else { return nil }
    let folder = "/sys/class/rfkill/rfkill\(number)"
    guard let soft = text("\(folder)/soft"), let hard = text("\(folder)/hard") else { return nil }
    return soft != "0" || hard != "0"
  }

  /// Lifts the soft block.
  static func unblock(_ adapter: UInt16) throws(SystemError) {
    guard let number = rfkillNumber(adapter) else { throw SystemError(call: "rfkill", code: ENOENT) }
    try systemCall("/dev/rfkill") { beaconkeeper_unblock(number) }
  }

  /// Resets the USB device; ENODEV if the adapter is not on USB.
  static func resetUSB(_ adapter: UInt16) throws(SystemError) {
    // The adapter is a child of one of the device's interfaces.
    let device = "/sys/class/bluetooth/hci\(adapter)/device/.."
    guard let bus = text("\(device)/busnum").flatMap({ UInt16($0) }),
      let number = text("\(device)/devnum").flatMap({ UInt16($0) })
    else { throw SystemError(call: "USB reset", code: ENODEV) }
    let path = "/dev/bus/usb/\(padded(bus))/\(padded(number))"
    try systemCall(path) { unsafe path.withCString { unsafe beaconkeeper_reset_usb($0) } }
  }

  /// The number of its rfkill switch: a folder rfkillN below the adapter's.
  private static func rfkillNumber(_ adapter: UInt16) -> UInt32? {
    guard let folder = unsafe opendir("/sys/class/bluetooth/hci\(adapter)") else { return nil }
    defer { unsafe closedir(folder) }
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix("rfkill"), let number = UInt32(name.dropFirst(6)) { return number }
    }
    return nil
  }

  /// The first line of a small file; nil if it cannot be read.
  private static func text(_ path: String) -> String? {
    SmallFile.text(path).map { String($0.prefix { $0 != "\n" }) }
  }

  private static func padded(_ number: UInt16) -> String {
    String(repeating: "0", count: max(0, 3 - "\(number)".count)) + "\(number)"
  }
}
