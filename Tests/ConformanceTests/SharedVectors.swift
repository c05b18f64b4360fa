import Beacons
import Core
import Foundation

/// Advertisements from other projects' test suites with the values they state. They are kept beside the
/// project, not in it: `BEACONKEEPER_SHARED`, by default `../shared` of the package.
enum SharedVectors {
  static let folder: URL = {
    let environment = ProcessInfo.processInfo.environment["BEACONKEEPER_SHARED"]
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let shared =
      environment.map { URL(filePath: $0) } ?? package.deletingLastPathComponent().appending(path: "shared")
    return shared.appending(path: "data/vectors")
  }()

  static let areThere = FileManager.default.fileExists(atPath: folder.path)

  static func records(_ file: String) throws -> [Record] {
    try records(at: folder.appending(path: file + ".jsonl"))
  }

  static func records(at file: URL) throws -> [Record] {
    let text = try String(contentsOf: file, encoding: .utf8)
    return try text.split(separator: "\n").map { line in
      guard let fields = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
        throw CocoaError(.coderInvalidValue)
      }
      return Record(fields: fields)
    }
  }

  struct Record {
    var fields: [String: Any]

    var test: String { fields["test"] as? String ?? "" }
    var payload: String { fields["payload_hex"] as? String ?? "" }
    var isNegative: Bool { fields["negative"] as? Bool ?? false }
    var isDisputed: Bool { fields["disputed"] as? Bool ?? false }
    var key: String? { fields["key"] as? String }
    var uuid: String? { fields["uuid"] as? String }
    var source: String { fields["source"] as? String ?? "" }
    var expected: [String: Any] {
      let expected = fields["expected"] as? [String: Any] ?? [:]
      return expected["values"] as? [String: Any] ?? expected
    }

    var address: DeviceAddress {
      DeviceAddress(fields["mac"] as? String ?? "00:00:00:00:00:00", kind: .public)
        ?? DeviceAddress(bits: 0, kind: .public)
    }
  }
}
