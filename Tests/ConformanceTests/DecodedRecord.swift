import Beacons
import Contract
import Core
import Foundation

/// One vector as `beaconkeeper decode` would print it: the same calls, the JSON read back.
struct DecodedRecord {
  /// Fields and readings of all frames.
  var fields: [String: [Any]] = [:]
  var formats: [String] = []
  var declines: [String] = []

  init(_ record: SharedVectors.Record) throws {
    let payload = try HexadecimalText.octets(record.payload)
    var decryptor = try record.key.flatMap { SecretKey(try HexadecimalText.octets($0)) }
      .map { FrameDecryptor(key: $0, checksReplay: false) }
    switch record.fields["kind"] as? String {
    case "manufacturer_data":
      guard let company = number(record.fields["company_id"]) else { break }
      let result = FrameDecoder.manufacturerData(payload.span, company: company)
      add(result, payload.span, from: nil, record, &decryptor)
    case "service_data":
      guard let uuid = number(record.fields["uuid"]) else { break }
      add(FrameDecoder.serviceData(payload.span, uuid: uuid), payload.span, from: nil, record, &decryptor)
    case "hci_event":
      var reports = AdvertisingReports()
      do {
        try reports.read(
          payload.span.extracting(1...), receiver: ReceiverIndex(rawValue: 0), time: .zero,
          wallTime: WallTime(nanoseconds: 0)
        ) { advertisement, payload in
          FrameDecoder.forEachFrame(in: payload) { result, data in
            add(result, data, from: advertisement, record, &decryptor)
          }
        }
      } catch {
        declines.append(error.description)
      }
    default:
      FrameDecoder.forEachFrame(in: payload.span) { result, data in
        add(result, data, from: nil, record, &decryptor)
      }
    }
  }

  private mutating func add(
    _ result: FrameResult, _ data: Span<UInt8>, from advertisement: Advertisement?,
    _ record: SharedVectors.Record, _ decryptor: inout FrameDecryptor?
  ) {
    let writer = DecodedFrameJSON(advertisement: advertisement)
    guard case .frame(let frame, let source) = result, frame.isEncrypted(in: data), decryptor != nil else {
      add(writer.object(result, data: data))
      return
    }
    var texts: [[UInt8]] = []
    do throws(Decline) {
      try decryptor?.open(frame, in: data, from: advertisement?.address ?? record.address) { frame, opened in
        texts.append(writer.object(.frame(frame, source), data: opened))
      }
    } catch {
      texts.append(writer.object(.declined(error, source), data: data))
    }
    for text in texts { add(text) }
  }

  private mutating func add(_ json: [UInt8]) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(json)) as? [String: Any] else {
      declines.append("no JSON: \(String(decoding: json, as: UTF8.self))")
      return
    }
    if let reason = object["declined"] as? String { declines.append(reason) }
    if let format = object["format"] as? String { formats.append(format) }
    for (name, value) in object where !(value is [String: Any]) { fields[name, default: []].append(value) }
    for (name, value) in object["readings"] as? [String: Any] ?? [:] {
      // temperature_c_2 is one more temperature_c.
      let digits = name.reversed().prefix { $0.isNumber }
      let isOrdinal = digits.count == 1 && digits.first != "1" && name.dropLast().hasSuffix("_")
      fields[isOrdinal ? String(name.dropLast(2)) : name, default: []].append(value)
    }
    derive()
  }

  /// What other projects compute from the same bytes.
  private mutating func derive() {
    let axes = ["x", "y", "z"].compactMap { fields["acceleration_\($0)_g"]?.first as? Double }
    if axes.count == 3 { fields["total_mg"] = [axes.reduce(0) { $0 + $1 * $1 }.squareRoot() * 1000] }
    if let id = fields["id"]?.first as? String, id.count == 40 {
      fields["id"] = [id, String(id.prefix(32))]
      fields["id_major"] = [Int(id.dropFirst(32).prefix(4), radix: 16) ?? -1]
      fields["id_minor"] = [Int(id.suffix(4), radix: 16) ?? -1]
    }
    if let event = fields["button"]?.first as? String { fields["is_pressed"] = [event != "none"] }
    if let uuid = fields["uuid"]?.first as? String, let major = fields["major"]?.first as? Int,
      let minor = fields["minor"]?.first as? Int
    {
      fields["device_id"] = [
        "\(uuid)/\(hexadecimal(UInt128(major), octets: 2))/\(hexadecimal(UInt128(minor), octets: 2))"
      ]
    }
    if let namespace = fields["namespace"]?.first, let instance = fields["instance"]?.first {
      fields["device_id"] = ["\(namespace)/\(instance)"]
    }
    // The clock tick that this project appends cannot be told from an EID.
    if let eid = fields["eid"]?.first { fields["device_id"] = ["\(eid)/0"] }
  }

  private func number(_ text: Any?) -> UInt16? { (text as? String).flatMap { UInt16($0, radix: 16) } }
}
