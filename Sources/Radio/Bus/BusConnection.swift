import CBlueZ
import Core
import Glibc

/// A connection to the system bus: sends at once, and reads when poll reports data.
final class BusConnection {
  private static let defaultPath = "/run/dbus/system_bus_socket"
  /// Limit for calls that wait for room in the socket, in bytes; beyond it the connection counts as dead.
  private static let outgoingLimit = 1 << 16

  let descriptor: FileDescriptor
  /// The bus closed it, or sent something that is not D-Bus.
  private(set) var isDead = false
  private(set) var isReady = false
  private var incoming: [UInt8] = []
  private var outgoing: [UInt8] = []
  private var serial: UInt32 = 0

  /// Connects to the system bus, at the address from the environment, or else at the usual one.
  ///
  /// - Parameter address: instead of the environment's.
  init(address: String? = nil) throws(SystemError) {
    let environment = unsafe getenv("DBUS_SYSTEM_BUS_ADDRESS").map { unsafe String(cString: $0) }
    let path = Self.path(address ?? environment)
    descriptor = FileDescriptor(
      try systemCall("connect to the system bus") {
        unsafe path.withCString { unsafe beaconkeeper_connect($0) }
      })
    let user = String(getuid()).utf8.map { String($0, radix: 16) }.joined()
    write([0] + Array("AUTH EXTERNAL \(user)\r\n".utf8))
  }

  /// The first Unix socket of an address such as `unix:path=/run/dbus/system_bus_socket,guid=…`.
  static func path(_ address: String?) -> String {
    for one in address?.split(separator: ";") ?? [] where one.hasPrefix("unix:") {
      for option in one.dropFirst(5).split(separator: ",") where option.hasPrefix("path=") {
        return String(option.dropFirst(5))
      }
    }
    return defaultPath
  }

  /// Calls a method; returns the serial that its reply will carry.
  @discardableResult
  func call(
    _ destination: String, _ path: String, _ interface: String, _ member: String, signature: String = "",
    body: BusWriter = BusWriter()
  ) -> UInt32 {
    serial &+= 1
    write(
      BusMessage.call(
        destination, path, interface, member, signature: signature, body: body, serial: serial))
    return serial
  }

  /// Answers a call, with nothing or an error's name.
  func answer(_ call: BusMessage, error: String? = nil) {
    serial &+= 1
    write(BusMessage.answer(to: call, error: error, serial: serial))
  }

  /// Asks for the signals that match a rule.
  func subscribe(_ rule: String) {
    var body = BusWriter()
    body.text(rule)
    call(
      "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "AddMatch", signature: "s",
      body: body)
  }

  /// The messages that have arrived; `isReady` becomes true among them.
  func receive() -> [BusMessage] {
    flush()
    var chunk = [UInt8](repeating: 0, count: 16384)
    // A limited number at a time, because the radio comes first.
    for _ in 0..<64 {
      let count = unsafe chunk.withUnsafeMutableBytes {
        unsafe recv(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT))
      }
      if count < 0, errno == EINTR { continue }
      if count == 0 || (count < 0 && errno != EAGAIN) { isDead = true }
      guard count > 0 else { break }
      incoming += chunk[..<count]
    }
    if !isReady { authenticate() }
    guard isReady else { return [] }
    var messages: [BusMessage] = []
    var start = 0
    do throws(BusMessage.Failure) {
      while let (message, length) = try BusMessage.parse(incoming, at: start) {
        if let message { messages.append(message) }
        start += length
      }
    } catch {
      isDead = true
    }
    incoming.removeFirst(start)
    return messages
  }

  /// The bus's answer to EXTERNAL is a line that begins with OK.
  private func authenticate() {
    guard let end = incoming.firstIndex(of: UInt8(ascii: "\n")) else {
      if incoming.count > 1024 { isDead = true }
      return
    }
    guard incoming.starts(with: "OK".utf8) else {
      isDead = true
      return
    }
    incoming.removeFirst(end + 1)
    isReady = true
    write(Array("BEGIN\r\n".utf8))
    call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
  }

  private func write(_ bytes: [UInt8]) {
    outgoing += bytes
    flush()
    if outgoing.count > Self.outgoingLimit { isDead = true }
  }

  private func flush() {
    while !outgoing.isEmpty {
      let count = unsafe outgoing.withUnsafeBytes {
        unsafe send(descriptor.number, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno != EAGAIN { isDead = true }
      guard count > 0 else { return }
      outgoing.removeFirst(count)
    }
  }
}
