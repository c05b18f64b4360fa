import ArgumentParser
import Glibc
import Machine
import RangingPolicy

/// Lines of JSON from a file or standard input, of limited size.
struct InputText {
  let path: String

  /// Longer than any text that people write.
  private static let largest = 64 << 20

  func bytes() throws -> [UInt8] {
    do throws(SystemError) {
      let number = path == "-" ? 0 : try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC) }
      return try FileDescriptor(number).readToEnd(limit: Self.largest)
    } catch  where error.code == ENOBUFS {
      throw failure("\(path): longer than 64 MiB", .dataError)
    } catch {
      throw failure("\(path): cannot be read: \(reason(error))", .inputOutput)
    }
  }

  /// Prints every fault with its place, and throws if there is one.
  func refuse(_ faults: [TimelineFault]) throws {
    for fault in faults {
      say("\(path):\(fault.line):\(fault.column): error: \(fault.message)")
      if let hint = fault.hint { say("  hint: \(hint)") }
    }
    guard faults.isEmpty else {
      throw failure(
        "\(path): \(faults.count == 1 ? "a line" : "\(faults.count) lines") cannot be used", .dataError)
    }
  }

  /// Where a line is, for people.
  func place(_ expectation: ScopedExpectation) -> String {
    "\(path == "-" ? "standard input" : path):\(expectation.line ?? 0):\(expectation.column ?? 0)"
  }
}
