import Beacons
import Core

/// The output of `decode`: one JSON object per frame, or per declined frame with the reason.
package struct DecodedFrameJSON {
  /// The sender and the signal, if the source has them.
  package var advertisement: Advertisement?
  /// What is missing to decrypt an encrypted frame.
  package var remedy: String?

  package init(advertisement: Advertisement? = nil) { self.advertisement = advertisement }

  /// `data` is the data that `FrameDecoder.forEachFrame` passed with the result.
  package func object(_ result: FrameResult, data: Span<UInt8>) -> [UInt8] {
    var writer = JSONWriter()
    switch result {
    case .frame(.noise(let noise), let source):
      declined("noise: \(noise.rawValue)", source, &writer)
    case .declined(let reason, let source):
      declined(reason.description, source, &writer)
    case .frame(let frame, _):
      writer.object { writer in
        writer.field("format", frame.format)
        identity(frame, data, &writer)
        if let remedy { writer.field("remedy", remedy) }
        readings(frame, data, &writer)
        sender(&writer)
      }
    }
    return writer.bytes
  }

  /// For a payload or event without any frame.
  package func object(declined reason: String) -> [UInt8] {
    JSONWriter.object { writer in
      writer.field("declined", reason)
      writer.field("ad_type", nil as String?)
      sender(&writer)
    }
  }

  private func declined(_ reason: String, _ source: FrameSource, _ writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("declined", reason)
      writer.field("ad_type", source.adType.map { prefixed(UInt16($0), octets: 1) })
      switch source {
      case .manufacturerData(let company): writer.field("company", prefixed(company, octets: 2))
      case .serviceData(let uuid): writer.field("service", prefixed(uuid, octets: 2))
      case .structure: break
      }
      if let vendor = Vendors.number(of: source).flatMap(Vendors.name) { writer.field("vendor", vendor) }
      sender(&writer)
    }
  }

  private func identity(_ frame: Frame, _ data: Span<UInt8>, _ writer: inout JSONWriter) {
    switch frame {
    case .iBeacon(let frame):
      if hasReadings(.iBeacon(frame), data), let model = frame.model { writer.field("model", model) }
      writer.field("uuid", uuidText(frame.uuid))
      writer.field("major", frame.major)
      writer.field("minor", frame.minor)
      writer.field("measured_power_dbm", frame.measuredPower)
    case .altBeacon(let frame):
      writer.field("id", hexadecimal(frame.idHigh, octets: 16) + hexadecimal(UInt128(frame.idLow), octets: 4))
      writer.field("manufacturer", prefixed(frame.manufacturer, octets: 2))
      writer.field("measured_power_dbm", frame.measuredPower)
      if let reserved = frame.reserved { writer.field("reserved", reserved) }
    case .eddystoneUID(let frame):
      writer.field("namespace", hexadecimal(frame.namespace, octets: 10))
      writer.field("instance", hexadecimal(UInt128(frame.instance), octets: 6))
      writer.field("tx_power_dbm", frame.txPower)
    case .eddystoneURL(let frame):
      writer.field("url", frame.url)
      writer.field("tx_power_dbm", frame.txPower)
    case .eddystoneEncryptedTLM(let frame):
      writer.field("encrypted", true)
      writer.field("ciphertext", hexadecimal(frame.ciphertext, octets: 12))
      writer.field("salt", hexadecimal(UInt128(frame.salt), octets: 2))
      writer.field("check", hexadecimal(UInt128(frame.check), octets: 2))
    case .eddystoneEID(let frame):
      writer.field("eid", hexadecimal(UInt128(frame.identifier), octets: 8))
      writer.field("tx_power_dbm", frame.txPower)
    case .bthome(let frame):
      writer.field("version", 2)
      if frame.isEncrypted { writer.field("encrypted", true) }
      if frame.isTriggerBased { writer.field("trigger_based", true) }
      address(frame.address, &writer)
    case .sensor(let sensor):
      writer.field("model", sensor.format.model(of: data))
      if frame.isEncrypted(in: data) { writer.field("encrypted", true) }
      sensor.forEachDetail(in: data) { name, detail in
        writer.key(named: name)
        switch detail {
        case .number(let number): writer.value(number)
        case .text(let text): writer.value(text)
        }
      }
    case .exposureNotification(let frame):
      writer.field("identifier", hexadecimal(frame.identifier, octets: 16))
      writer.field("encrypted_metadata", hexadecimal(UInt128(frame.encryptedMetadata), octets: 4))
    case .eddystoneTLM, .noise: break
    }
  }

  private func readings(_ frame: Frame, _ data: Span<UInt8>, _ writer: inout JSONWriter) {
    switch frame {
    case .eddystoneTLM, .sensor: break
    case .iBeacon: guard hasReadings(frame, data) else { return }
    case .bthome(let frame):
      guard case .objects(_, let rest) = frame.content else { return }
      if let rest { writer.field("rest_declined", rest.description) }
    default: return
    }
    writer.object("readings") { writer in
      frame.forEachReading(in: data) { write($0, data, &writer) }
    }
  }

  private func hasReadings(_ frame: Frame, _ data: Span<UInt8>) -> Bool {
    var isEmpty = true
    frame.forEachReading(in: data) { _ in isEmpty = false }
    return !isEmpty
  }

  private func write(_ reading: Reading, _ data: Span<UInt8>, _ writer: inout JSONWriter) {
    let suffix = reading.ordinal == 1 ? "" : "_\(reading.ordinal)"
    writer.key(named: reading.name)
    switch reading.value {
    case .number(let number):
      // Eight decimals are enough for every scale in use, and shorten binary fractions.
      if let whole = Int64(exactly: number) { writer.value(whole) } else { writer.value(number, decimals: 8) }
    case .flag(let flag): writer.value(flag)
    case .button(let event): writer.value(event.name)
    case .command(let event, let arguments):
      writer.value(event.name)
      if !arguments.isEmpty {
        writer.key(named: "command_arguments" + suffix)
        writer.value(hexadecimal(arguments.map { data[$0] }))
      }
    case .dimmer(let event):
      writer.value(event.name)
      writer.key(named: "dimmer_steps" + suffix)
      writer.value(event.steps)
    case .text(let range): writer.value(String(decoding: range.map { data[$0] }, as: UTF8.self))
    case .bytes(let range):
      writer.value(hexadecimal(range.map { data[$0] }))
    case .version(let octets, let parts):
      let numbers = (0..<UInt32(parts)).reversed().map { String(octets >> (8 * $0) & 0xFF) }
      writer.value(numbers.joined(separator: "."))
    }
  }

  private func address(_ bits: UInt64?, _ writer: inout JSONWriter) {
    if let bits { writer.field("mac", DeviceAddress(bits: bits, kind: .public).description) }
  }

  private func sender(_ writer: inout JSONWriter) {
    guard let advertisement else { return }
    writer.field("address", advertisement.address.description)
    writer.field("address_type", advertisement.address.kind == .public ? "public" : "random")
    if let rssi = advertisement.rssi { writer.field("rssi", rssi) }
  }

  private func prefixed(_ value: UInt16, octets: Int) -> String {
    "0x" + hexadecimal(UInt128(value), octets: octets)
  }
}
