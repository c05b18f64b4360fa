import JSON

/// Reads expectations: one JSON object per line, `{"approach":"50m@1m/s","os":"ios17","expect":"delivered within 2 s"}`.
/// Every member but `expect` is optional and restricts it.
public struct ExpectationFile: Sendable {
  public private(set) var expectations: [ScopedExpectation] = []
  /// At most 20.
  public private(set) var faults: [TimelineFault] = []

  /// The bytes may be hostile.
  public init(_ bytes: [UInt8]) {
    for (index, text) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let indent = text.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.count
      if indent == text.count { continue }
      do throws(JSONCursor.Malformed) {
        let object = try FlatObject(Array(text))
        guard expectations.count < ScopedExpectation.most else {
          throw JSONCursor.Malformed(
            offset: 0, message: "more than \(ScopedExpectation.most) expectations: split the file")
        }
        var expectation = try ScopedExpectation(object, members: ScopedExpectation.fileMembers)
        expectation.line = index + 1
        expectation.column = indent + 1
        expectations.append(expectation)
      } catch {
        faults.append(TimelineFault(line: index + 1, column: error.offset + 1, message: error.message))
      }
      // Beyond the bound every line is the same fault.
      if faults.count == TimelineFile.faultLimit
        || expectations.count == ScopedExpectation.most && !faults.isEmpty
      {
        break
      }
    }
  }
}
