/// Why an HCI event, or the rest of it, was not read.
public enum HCIDecline: Error, Hashable, Sendable {
  /// Some other event, which is no error.
  case notAnAdvertisingReport(event: UInt8, subevent: UInt8?)
  /// The event, or the report at this index, is too short.
  case truncated(report: Int, needs: Int, has: Int)
  /// The event contains no report.
  case noReports
}

extension HCIDecline: CustomStringConvertible {
  public var description: String {
    switch self {
    case .notAnAdvertisingReport(let event, let subevent):
      "not an advertising report: event \(event)\(subevent.map { ", subevent \($0)" } ?? "")"
    case .truncated(let report, let needs, let has):
      "truncated: report \(report + 1) needs \(needs) bytes, has \(has)"
    case .noReports: "an advertising report event without reports"
    }
  }
}
