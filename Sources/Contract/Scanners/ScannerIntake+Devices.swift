import Beacons
import Core

/// Other makers' scanners: a message describes one device, or an array of devices.
extension ScannerIntake {
  mutating func takeDevices(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    let scanner = scanners[message.scanner]
    var causes: [(cause: ScannerRefusal, field: UnreadableField?)] = []
    let (devices, others) = scanner.mapping.read(message.payload, topic: fields) { causes.append(($0, $1)) }
    figures[message.scanner].withoutSignal += UInt64(others)
    for device in devices {
      do throws(ScannerRefusal) { try take(device, message, scanner, into: &hearing) } catch {
        // Its field was refused already.
        if error != .identity || !device.isUnreadable { causes.append((error, nil)) }
      }
    }
    for (cause, field) in causes { refuse(cause, message.scanner, for: field, into: &hearing) }
    if scanner.kind == .theengs, !hasToldDecoded, !devices.allSatisfy(\.hasData) {
      tellDecoded(message, scanner, into: &hearing)
    }
  }

  /// A sensor that the sender has read itself: without its advertisement nothing is read here, and nobody would know why.
  private mutating func tellDecoded(_ message: Message, _ scanner: Scanner, into hearing: inout Hearing) {
    guard case .text(let model)? = (try? JSONTree(message.payload))?["model_id"] else { return }
    hasToldDecoded = true
    hearing.notices.append(
      "the senders on \(scanner.topic.filter) read sensors themselves, the first a \(model.printable), and leave out the advertisement, so no reading of it is known here. For readings, switch on pubadvdata there (Theengs Gateway: --publish_advdata 1)"
    )
  }

  private mutating func take(
    _ device: ScannedDevice, _ message: Message, _ scanner: Scanner, into hearing: inout Hearing
  ) throws(ScannerRefusal) {
    let key = device.id.flatMap { scanner.identities[$0] ?? scanner.identities[$0.lowercased()] }
    let name =
      key == nil && device.payload.isEmpty ? device.id.flatMap { SpokenIdentity.isName($0) ? $0 : nil } : nil
    guard key != nil || device.address != nil || !device.payload.isEmpty || name != nil else {
      throw .identity
    }
    guard let place = (device.receiver ?? scanner.receiver).map(scanner.name(of:)) else { throw .receiver }
    let receiver = try receivers.index(
      of: place, limit: Self.receiverLimit, at: message.arrival, into: &hearing.renamings)
    receivers.heard(
      receiver, scanner: message.scanner, at: message.arrival, message.wallTime, into: &hearing.changes)
    if let time = device.time, repeats.isRepeated(Self.sender(receiver, device), at: time) { throw .repeated }
    figures[message.scanner].observations += 1
    noteSpeech(of: receiver, about: Self.hash(device), at: message.arrival, into: &hearing)
    if let name {
      hearing.named.append(
        NamedDevice(
          id: name, address: device.address, receiver: receiver, rssi: device.rssi, time: message.arrival,
          wallTime: message.wallTime))
      if device.address == nil { return }
    }
    if let key {
      hearing.observations.append(
        Observation(
          key: key, receiver: receiver, rssi: device.rssi, time: message.arrival, wallTime: message.wallTime))
    } else {
      hearing.batch.append(
        Advertisement(
          receiver: receiver, address: device.address ?? DeviceAddress(bits: 0, kind: .random),
          rssi: device.rssi, time: message.arrival, wallTime: message.wallTime),
        payload: device.payload.span)
    }
  }

  /// A hash of the device's address, or else of its id or payload.
  private static func hash(_ device: ScannedDevice) -> UInt64 {
    if let address = device.address { return (address.bits &* 0x9E37_79B9_7F4A_7C15) >> 40 }
    let id = Array((device.id ?? "").utf8)
    var hash = FNV1a()
    hash.combine(id.isEmpty ? device.payload.span : id.span)
    return UInt64(truncatingIfNeeded: hash.value >> 64)
  }

  /// The key under which repetitions are recognised.
  private static func sender(_ receiver: ReceiverIndex, _ device: ScannedDevice) -> String {
    "\(receiver.rawValue) \(device.address.map { "\($0.kind.rawValue) \($0.bits)" } ?? "") \(device.id ?? "")"
  }
}
