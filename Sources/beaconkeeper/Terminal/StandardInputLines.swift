import ArgumentParser
import Glibc

/// Standard input line by line, in bounded memory.
struct StandardInputLines {
  enum Line {
    case text(String)
    case tooLong
  }

  /// Longer than any advertisement written out.
  static let limit = 65_536

  /// The number of the last line, from 1.
  private(set) var number = 0
  private var buffer: [UInt8] = []
  private var position = 0
  private var isAtEnd = false

  /// nil at the end.
  mutating func next() throws(ExitCode) -> Line? {
    var line: [UInt8] = []
    var isTooLong = false
    while true {
      if position == buffer.count {
        if !isAtEnd { try fill() }
        if isAtEnd {
          guard !line.isEmpty || isTooLong else { return nil }
          break
        }
      }
      let end = buffer[position...].firstIndex(of: UInt8(ascii: "\n"))
      let piece = buffer[position..<(end ?? buffer.count)]
      if line.count + piece.count > Self.limit { isTooLong = true } else { line += piece }
      position = end.map { $0 + 1 } ?? buffer.count
      if end != nil { break }
    }
    number += 1
    return isTooLong ? .tooLong : .text(String(decoding: line, as: UTF8.self))
  }

  private mutating func fill() throws(ExitCode) {
    buffer = [UInt8](repeating: 0, count: Self.limit)
    let count = buffer.withUnsafeMutableBytes { read(0, $0.baseAddress, $0.count) }
    guard count >= 0 else {
      throw failure("standard input cannot be read: \(String(cString: strerror(errno)))", .inputOutput)
    }
    buffer.removeLast(buffer.count - count)
    position = 0
    isAtEnd = count == 0
  }
}
