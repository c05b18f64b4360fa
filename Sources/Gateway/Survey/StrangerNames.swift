import Beacons
import Contract
import Core
import Outbox

/// The names of devices in range, the same in `scan` and on the dashboard, so that a row of one can be found
/// in the other.
package struct StrangerNames: Sendable {
  /// Makes the marks of one start of the machine different from those of another.
  private let salt: String

  package init(salt: String) { self.salt = salt }

  /// The marks of all programs on this machine, until it starts again.
  package static let here = StrangerNames(salt: OpenOutbox.bootID)

  /// The name that it sends, in quotes because it may be anything; nil: it sends none.
  func said(by device: AirSurvey.Device) -> String? { plainly(device).map { "“\($0)”" } }

  /// The same without quotes.
  func plainly(_ device: AirSurvey.Device) -> String? {
    let name = device.localName.flatMap { $0.isEmpty ? nil : $0 } ?? device.scannerID
    return name.map { String($0.prefix(24)) }
  }

  /// A hash of its address, because that is private; 6 digits are enough to distinguish neighbours.
  func mark(of device: AirSurvey.Device) -> String {
    var hash = FNV1a()
    hash.combine("\(salt) \(device.address.bits)".utf8.span)
    return "~" + hexadecimal(hash.value, octets: 3)
  }
}
