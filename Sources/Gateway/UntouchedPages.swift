import Glibc
import ServiceLifecycle

/// Calls it once the gateway has come to rest, and then every minute: what happens once a day touches as much.
struct UntouchedPagesService: Service {
  private static let rest = Duration.seconds(2)
  private static let interval = Duration.seconds(60)

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var pause = Self.rest
      while (try? await Task.sleep(for: pause)) != nil {
        UntouchedPages.release()
        pause = Self.interval
      }
    }
  }
}

/// Gives back code and constants that are not in use.
///
/// They are mapped from the program's files, page by page as they are touched and some around each of them, and stay; but a
/// start touches a great deal that is never touched again. Dropped pages that are needed after all come back from the
/// kernel's cache, some hundred in less than a millisecond.
enum UntouchedPages {
  /// Drops every page of this process that is just as it is in its file, and can only be read.
  static func release() {
    for range in droppable(mappings()) {
      // The kernel's own list of what is mapped here; what it refuses stays.
      unsafe _ = madvise(
        UnsafeMutableRawPointer(bitPattern: range.lowerBound), Int(range.upperBound - range.lowerBound),
        MADV_DONTNEED)
    }
  }

  /// The kernel's account of what is mapped where; Foundation would read no more than its beginning.
  private static func mappings() -> String {
    guard let file = unsafe fopen("/proc/self/smaps", "re") else { return "" }
    defer { unsafe fclose(file) }
    var text: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 1 << 16)
    while text.count < 1 << 22, case let count = unsafe fread(&part, 1, part.count, file), count > 0 {
      text += part[..<count]
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The mappings in a text of smaps that are of a file, not writable, and hold nothing of our own: constants that the linker
  /// relocated are private copies, which must stay.
  static func droppable(_ smaps: some StringProtocol) -> [Range<UInt>] {
    var found: [Range<UInt>] = []
    var candidate: Range<UInt>?
    for line in smaps.split(separator: "\n") {
      let words = line.split(separator: " ", omittingEmptySubsequences: true)
      if let header = mapping(words) {
        candidate = header.isFile && header.isReadOnly ? header.range : nil
      } else if words.count >= 2, words[0] == "Anonymous:", let range = candidate {
        if words[1] == "0" { found.append(range) }
        candidate = nil
      }
    }
    return found
  }

  /// `7f5b19775000-7f5b1981e000 r-xp 00000000 08:01 1234 /path`
  private static func mapping(_ words: [some StringProtocol]) -> (
    range: Range<UInt>, isFile: Bool, isReadOnly: Bool
  )? {
    guard words.count >= 5, words[1].count == 4 else { return nil }
    let ends = words[0].split(separator: "-")
    guard ends.count == 2, let start = UInt(ends[0], radix: 16), let end = UInt(ends[1], radix: 16),
      start < end
    else {
      return nil
    }
    let isFile = words[4] != "0" && words.count > 5 && words[5].hasPrefix("/")
    return (start..<end, isFile, words[1].hasPrefix("r") && words[1].dropFirst().first == "-")
  }
}
