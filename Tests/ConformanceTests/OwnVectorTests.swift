import Foundation
import Testing

/// Advertisements written octet by octet from the specifications: what is there without the vectors of other projects.
@Suite struct OwnVectorTests {
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "Vectors/ours.jsonl")

  @Test func everyFormatReadsAsItsSpecificationSays() throws {
    let records = try SharedVectors.records(at: Self.file)
    #expect(records.count == 12)
    for record in records {
      let decoded = try DecodedRecord(record)
      if record.isNegative {
        #expect(!decoded.declines.isEmpty, "\(record.test): must be declined")
        #expect(decoded.formats.isEmpty, "\(record.test)")
        continue
      }
      #expect(decoded.declines.isEmpty, "\(record.test)")
      for (name, expected) in record.expected {
        let values = decoded.fields[name] ?? []
        #expect(
          values.contains { Comparison.agrees(expected, with: [$0], factor: 1) },
          "\(record.test)/\(name): \(expected), ours \(values)")
      }
    }
  }
}
