import Beacons
import Core

/// Answers for bluetoothd, which otherwise refuses to pair. bluetoothd forgets it when the connection ends.
final class PairingAgent {
  private static let path = "/beaconkeeper/pairing"
  private static let manager = "org.bluez.AgentManager1"
  private static let rejected = "org.bluez.Error.Rejected"
  private static let bus = "org.freedesktop.DBus"
  /// The largest number of questions that wait for an answer.
  private static let limit = 16

  let connection: BusConnection
  /// bluetoothd's unique name; empty: it does not run; nil: not known yet.
  private(set) var owner: String?
  /// Whether bluetoothd asks us; nil: not known yet.
  private(set) var isAccepted: Bool?
  private var ownerQuestion: UInt32?
  private var registration: UInt32?
  /// By the end of the device's path, `dev_C1_00_00_00_00_01`.
  private var questions: [String: BusMessage] = [:]
  private var decisions: [String: Bool] = [:]

  init(address: String? = nil) throws(SystemError) { connection = try BusConnection(address: address) }

  func receive() {
    let messages = connection.receive()
    if connection.isReady, ownerQuestion == nil {
      var body = BusWriter()
      body.text(BlueZ.name)
      ownerQuestion = connection.call(
        Self.bus, "/org/freedesktop/DBus", Self.bus, "GetNameOwner", signature: "s", body: body)
    }
    for message in messages { read(message) }
    if connection.isDead { owner = owner ?? "" }
  }

  private func read(_ message: BusMessage) {
    switch message.kind {
    case .reply, .error:
      let isReply = message.kind == .reply
      if message.replySerial == ownerQuestion, owner == nil {
        owner = isReply ? message.values.first?.text ?? "" : ""
        if let owner, owner != "" { register(with: owner) }
      } else if message.replySerial == registration {
        if message.sender == owner { isAccepted = isReply }
        // bluetoothd ended between the two calls, so the bus answers in its place.
        if !isReply, message.sender == Self.bus { owner = "" }
      }
    case .call where message.path == Self.path && message.sender == owner: asked(message)
    // Nobody else may ask.
    case .call: connection.answer(message, error: Self.rejected)
    case .signal: break
    }
  }

  /// - Parameter owner: bluetoothd's unique name. With its well-known name, the bus would start it anew.
  private func register(with owner: String) {
    var body = BusWriter()
    body.text(Self.path)
    body.text("DisplayYesNo")
    connection.call(owner, "/org/bluez", Self.manager, "RegisterAgent", signature: "os", body: body)
    body = BusWriter()
    body.text(Self.path)
    registration = connection.call(
      owner, "/org/bluez", Self.manager, "RequestDefaultAgent", signature: "o", body: body)
  }

  private func asked(_ message: BusMessage) {
    switch message.member {
    case "RequestConfirmation", "RequestAuthorization":
      guard let device = message.values.first?.text?.split(separator: "/").last.map(String.init),
        questions.count < Self.limit
      else { return connection.answer(message, error: Self.rejected) }
      if let decision = decisions.removeValue(forKey: device) {
        connection.answer(message, error: decision ? nil : Self.rejected)
      } else {
        questions[device] = message
      }
    case "Cancel":
      questions = [:]
      connection.answer(message)
    case "Release", "DisplayPasskey": connection.answer(message)
    default: connection.answer(message, error: Self.rejected)
    }
  }

  /// Its question may come later than the kernel's.
  func answer(_ device: DeviceAddress, _ isAgreed: Bool) {
    let name = Self.name(of: device)
    if let question = questions.removeValue(forKey: name) {
      connection.answer(question, error: isAgreed ? nil : Self.rejected)
    } else if decisions.count < Self.limit {
      decisions[name] = isAgreed
    }
  }

  /// Removes what bluetoothd keeps of a device.
  func forget(_ device: DeviceAddress, on adapter: UInt16) {
    let path = "/org/bluez/hci\(adapter)"
    var body = BusWriter()
    body.text("\(path)/\(Self.name(of: device))")
    connection.call(BlueZ.name, path, "org.bluez.Adapter1", "RemoveDevice", signature: "o", body: body)
  }

  private static func name(of device: DeviceAddress) -> String {
    "dev_" + device.description.split(separator: ":").joined(separator: "_")
  }
}
