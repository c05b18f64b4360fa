import Beacons
import Contract
import Core

/// Turns one line of text into the JSON objects that `decode` prints for it.
struct PayloadDecoder {
  enum Kind {
    case payload
    case event
    case manufacturerData(UInt16)
    case serviceData(UInt16)
  }

  struct Fault: Error, CustomStringConvertible {
    var description: String
  }

  private let kind: Kind
  private let sender: DeviceAddress?
  private var decryptor: FrameDecryptor?
  private var reports = AdvertisingReports()

  init(kind: Kind, key: SecretKey?, sender: DeviceAddress?) {
    self.kind = kind
    self.sender = sender
    // Lines of a file need not be in order, nor from one device.
    decryptor = key.map { FrameDecryptor(key: $0, checksReplay: false) }
  }

  mutating func objects(inLine line: String) throws(Fault) -> [[UInt8]] {
    let text = line.trimmed
    if text.isEmpty || text.hasPrefix("#") { return [] }
    var digits = text
    var advertisement: Advertisement?
    if text.hasPrefix("{") { (digits, advertisement) = try textForm(text) }
    let octets: [UInt8]
    do { octets = try HexadecimalText.octets(digits) } catch { throw Fault(description: error.description) }
    return objects(in: octets.span, from: advertisement)
  }

  /// A line of the text format; missing members are unknown.
  private func textForm(_ text: String) throws(Fault) -> (String, Advertisement?) {
    guard let line = try? JSONTree(Array(text.utf8)), let payload = line.text("payload"),
      ["address", "address_type"].allSatisfy({ line.lacks($0) || line.text($0) != nil }),
      line.lacks("rssi") || line["rssi"]?.wholeNumber != nil
    else { throw Fault(description: "not a JSON object with \"payload\": \"HEX\"") }
    guard let address = line.text("address") else { return (payload, nil) }
    let kind: DeviceAddress.Kind = line.text("address_type") == "random" ? .random : .public
    guard let known = DeviceAddress(address, kind: kind) else {
      throw Fault(description: "address \"\(address)\": it looks like C1:00:00:00:00:01")
    }
    return (payload, heard(known, rssi: line["rssi"]?.wholeNumber.flatMap { Int8(exactly: $0) }))
  }

  private func heard(_ address: DeviceAddress, rssi: Int8?) -> Advertisement {
    Advertisement(
      receiver: ReceiverIndex(rawValue: 0), address: address, rssi: rssi, time: .zero,
      wallTime: WallTime(nanoseconds: 0))
  }

  private mutating func objects(in octets: Span<UInt8>, from advertisement: Advertisement?) -> [[UInt8]] {
    var objects: [[UInt8]] = []
    switch kind {
    case .payload: add(payload: octets, from: advertisement, to: &objects)
    case .manufacturerData(let company):
      let result = FrameDecoder.manufacturerData(octets, company: company)
      objects.append(object(result, octets, from: advertisement))
    case .serviceData(let uuid):
      let result = FrameDecoder.serviceData(octets, uuid: uuid)
      objects.append(object(result, octets, from: advertisement))
    case .event:
      let isH4 = octets.count > 1 && octets[0] == 0x04 && octets[1] == 0x3E
      var reports = self.reports
      defer { self.reports = reports }
      do throws(HCIDecline) {
        try reports.read(
          octets.extracting(droppingFirst: isH4 ? 1 : 0), receiver: ReceiverIndex(rawValue: 0), time: .zero,
          wallTime: WallTime(nanoseconds: 0)
        ) { advertisement, payload in add(payload: payload, from: advertisement, to: &objects) }
      } catch {
        objects.append(DecodedFrameJSON().object(declined: error.description))
      }
    }
    return objects
  }

  private mutating func add(
    payload: Span<UInt8>, from advertisement: Advertisement?, to objects: inout [[UInt8]]
  ) {
    let before = objects.count
    var isDecoded = false
    FrameDecoder.forEachFrame(in: payload, from: advertisement?.address ?? sender) { result, data in
      if case .frame = result { isDecoded = true }
      objects.append(object(result, data, from: advertisement))
    }
    if isDecoded { return }
    let tracker = Noise.tracker(FormatContext(payload: payload, address: nil)).map { "noise: \($0.rawValue)" }
    if tracker == nil, objects.count > before { return }
    let writer = DecodedFrameJSON(advertisement: advertisement)
    objects.append(writer.object(declined: tracker ?? "no manufacturer or service data in it"))
  }

  private mutating func object(
    _ result: FrameResult, _ data: Span<UInt8>, from advertisement: Advertisement?
  ) -> [UInt8] {
    var writer = DecodedFrameJSON(advertisement: advertisement)
    guard case .frame(let frame, let source) = result, frame.isEncrypted(in: data) else {
      // A gateway with a key refuses unencrypted frames, too: an altered bit can make ciphertext look like
      // readings.
      if decryptor != nil, case .frame(let frame, let source) = result, frame.mayBeEncrypted {
        return writer.object(.declined(.unencrypted, source), data: data)
      }
      return writer.object(result, data: data)
    }
    let sender = sender ?? advertisement?.address
    let isSenderMissing = sender == nil && frame.needsSender(in: data)
    guard decryptor != nil, !isSenderMissing else {
      let key = "its bind key with --key @FILE"
      let address = "the sender's address with --address, or as \"address\" of a JSON line"
      writer.remedy =
        "to read it, give "
        + (decryptor != nil ? address : isSenderMissing ? "\(key), and \(address)" : key)
      return writer.object(result, data: data)
    }
    var opened: [UInt8] = []
    do throws(Decline) {
      try decryptor?.open(frame, in: data, from: sender ?? DeviceAddress(bits: 0, kind: .public)) {
        frame, text in
        opened = writer.object(.frame(frame, source), data: text)
      }
    } catch {
      opened = writer.object(.declined(error, source), data: data)
    }
    return opened
  }
}
