import Beacons
import Core
import TestSupport

/// Bytes from hexadecimal text; a typing error in a test is a test that must fail loudly.
func bytes(_ text: String) -> [UInt8] {
  do { return try HexadecimalText.octets(text) } catch { fatalError("\(error)") }
}

/// All results of a payload.
func decode(_ payload: String) -> [FrameResult] { decode(bytes(payload)) }

func decode(_ payload: [UInt8]) -> [FrameResult] {
  var results: [FrameResult] = []
  FrameDecoder.forEachFrame(in: payload.span) { result, _ in results.append(result) }
  return results
}

/// The frames of a payload, declined structures left out.
func frames(_ payload: String) -> [Frame] {
  decode(payload).compactMap { if case .frame(let frame, _) = $0 { frame } else { nil } }
}

/// The readings of a payload by their JSON names.
func readings(_ payload: String) -> [String: Reading.Value] {
  var readings: [String: Reading.Value] = [:]
  let payload = bytes(payload)
  FrameDecoder.forEachFrame(in: payload.span) { result, data in
    guard case .frame(let frame, _) = result else { return }
    frame.forEachReading(in: data) { readings[$0.name] = $0.value }
  }
  return readings
}

/// The readings of a payload in words, in the order of their names.
func told(_ payload: String) -> String {
  readings(payload).sorted { $0.key < $1.key }
    .map { name, value in
      switch value {
      case .number(let number): "\(name) \((number * 100).rounded() / 100)"
      case .flag(let flag): "\(name) \(flag)"
      case .button(let event): "\(name) \(event.name)"
      case .dimmer(let event): "\(name) \(event.name) \(event.steps)"
      default: "\(name) \(value)"
      }
    }.joined(separator: ", ")
}

/// The model that a payload tells.
func model(_ payload: String) -> String? {
  var model: String?
  let octets = bytes(payload)
  FrameDecoder.forEachFrame(in: octets.span) { result, data in
    switch result {
    case .frame(.sensor(let sensor), _): model = sensor.format.model(of: data)
    case .frame(.iBeacon(let beacon), _): model = beacon.model
    case .frame(.noise(let noise), _): model = noise.rawValue
    default: break
    }
  }
  return model
}

func manufacturer(_ company: String, _ data: String) -> String { structure("ff", company, data) }
func service(_ uuid: String, _ data: String) -> String { structure("16", uuid, data) }

/// An AD structure around data; the company id or UUID as people write it, most significant octet first.
private func structure(_ type: String, _ number: String, _ data: String) -> String {
  let octets = bytes(number)
  return hexadecimal(UInt128(bytes(data).count + 3), octets: 1) + type
    + hexadecimal(UInt128(octets[1]), octets: 1) + hexadecimal(UInt128(octets[0]), octets: 1) + data
}

extension SeededGenerator {
  mutating func bytes(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &self) }
  }
}
