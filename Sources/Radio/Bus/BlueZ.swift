import Core

/// bluetoothd on the system bus: whether it is running, and its discovery, which belongs to the connection that requested it
/// and ends with it.
///
/// Every local user may send us signals with bluetoothd's interfaces. The bus guarantees the sender, and only signals of the
/// name's owner are accepted.
final class BlueZ {
  enum News: Equatable {
    case isThere(Bool)
    case discovering(adapter: UInt16, Bool)
    case heard(BusDevices.Heard)
  }

  private enum Question {
    case owner
    case start(adapter: UInt16)
    case isDiscovering(adapter: UInt16)
  }

  static let name = "org.bluez"
  private static let adapterInterface = "org.bluez.Adapter1"
  private static let bus = "org.freedesktop.DBus"
  /// The largest number of unanswered calls; the bus answers in order, and soon.
  private static let limit = 64

  let connection: BusConnection
  /// By serial.
  private var questions: [UInt32: Question] = [:]
  private let hearsDevices: Bool
  private var devices = BusDevices()
  /// The unique name of the owner of `org.bluez`; nil: there is none, or it is not known yet.
  private var owner: String?
  /// Messages that other programs sent in bluetoothd's name.
  private(set) var forged: UInt64 = 0

  /// - Parameters:
  ///   - hearsDevices: whether advertisements should come this way, too.
  ///   - address: of the bus; nil: the system's.
  init(hearsDevices: Bool = false, address: String? = nil) throws(SystemError) {
    self.hearsDevices = hearsDevices
    connection = try BusConnection(address: address)
  }

  /// Makes the first calls, once the bus has accepted the connection.
  private func begin() {
    connection.subscribe("type='signal',sender='\(Self.bus)',member='NameOwnerChanged',arg0='\(Self.name)'")
    connection.subscribe(
      "type='signal',sender='\(Self.name)',interface='org.freedesktop.DBus.Properties',"
        + "member='PropertiesChanged',arg0='org.bluez.Adapter1'")
    if hearsDevices {
      connection.subscribe(
        "type='signal',sender='\(Self.name)',interface='org.freedesktop.DBus.Properties',"
          + "member='PropertiesChanged',arg0='org.bluez.Device1'")
      connection.subscribe(
        "type='signal',sender='\(Self.name)',interface='org.freedesktop.DBus.ObjectManager'")
    }
    var body = BusWriter()
    body.text(Self.name)
    let serial = connection.call(
      Self.bus, "/org/freedesktop/DBus", Self.bus, "GetNameOwner", signature: "s", body: body)
    questions[serial] = .owner
  }

  /// bluetoothd offers no passive scan. Without a filter its discovery would pause for 5 s every 10 s.
  func startDiscovery(_ adapter: UInt16) {
    let path = "/org/bluez/hci\(adapter)"
    var filter = BusWriter()
    filter.dictionary([("Transport", .text("le")), ("DuplicateData", .flag(true))])
    connection.call(
      Self.name, path, Self.adapterInterface, "SetDiscoveryFilter", signature: "a{sv}", body: filter)
    ask(.start(adapter: adapter), connection.call(Self.name, path, Self.adapterInterface, "StartDiscovery"))
  }

  private func askWhetherDiscovering(_ adapter: UInt16) {
    var body = BusWriter()
    body.text(Self.adapterInterface)
    body.text("Discovering")
    ask(
      .isDiscovering(adapter: adapter),
      connection.call(
        Self.name, "/org/bluez/hci\(adapter)", "org.freedesktop.DBus.Properties", "Get", signature: "ss",
        body: body))
  }

  private func ask(_ question: Question, _ serial: UInt32) {
    if questions.count < Self.limit { questions[serial] = question }
  }

  func stopDiscovery(_ adapter: UInt16) {
    connection.call(Self.name, "/org/bluez/hci\(adapter)", Self.adapterInterface, "StopDiscovery")
  }

  /// Reads the messages that have arrived. A dead connection counts as no bluetoothd.
  func receive() -> [News] {
    let wasReady = connection.isReady
    let messages = connection.receive()
    if connection.isReady, !wasReady { begin() }
    var news = messages.compactMap(read)
    if connection.isDead { news.append(.isThere(false)) }
    return news
  }

  private func read(_ message: BusMessage) -> News? {
    guard isBelieved(message) else {
      forged += 1
      return nil
    }
    if hearsDevices, message.kind == .signal, let heard = devices.take(message) { return .heard(heard) }
    switch message.kind {
    case .reply, .error:
      guard let serial = message.replySerial, let question = questions.removeValue(forKey: serial) else {
        return nil
      }
      switch question {
      case .owner: return owned(by: message.kind == .reply ? message.values.first?.text : nil)
      case .start(let adapter):
        if message.errorName == "org.bluez.Error.InProgress" {
          // Either it already discovers for us, or the kernel is still busy with the discovery of a bluetoothd that died, and
          // ours was dropped. BlueZ has one error for both.
          askWhetherDiscovering(adapter)
          return nil
        }
        return .discovering(adapter: adapter, message.kind == .reply)
      case .isDiscovering(let adapter):
        return .discovering(adapter: adapter, message.values.first?.flag == true)
      }
    case .signal where message.member == "NameOwnerChanged":
      guard message.values.first?.text == Self.name, message.values.count == 3 else { return nil }
      return owned(by: message.values[2].text)
    case .signal where message.member == "PropertiesChanged":
      guard message.values.count >= 2, message.values[0].text == Self.adapterInterface,
        message.values[1].map?["Discovering"]?.flag == false, let adapter = Self.adapter(message.path)
      else { return nil }
      return .discovering(adapter: adapter, false)
    case .call, .signal: return nil
    }
  }

  private func owned(by name: String?) -> News {
    let name = name.flatMap { $0.isEmpty ? nil : $0 }
    if name != owner { devices = BusDevices() }
    owner = name
    return .isThere(name != nil)
  }

  /// The bus itself reports owners, and answers for a bluetoothd that is not running.
  private func isBelieved(_ message: BusMessage) -> Bool {
    if message.kind == .call || message.sender == Self.bus { return true }
    return message.member != "NameOwnerChanged" && message.sender != nil && message.sender == owner
  }

  /// The N of `/org/bluez/hciN`.
  static func adapter(_ path: String?) -> UInt16? {
    guard let path, path.hasPrefix("/org/bluez/hci") else { return nil }
    return UInt16(path.dropFirst("/org/bluez/hci".count))
  }
}
