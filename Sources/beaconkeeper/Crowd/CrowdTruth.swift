import ArgumentParser
import Beacons
import Crowd
import Glibc
import JSON
import Machine

/// The file that says where tags really are: `{"beacon":"tag:0.7","room":"r003","time":"…"}` for each room that one enters.
final class CrowdTruth {
  private let path: String
  private let file: FileDescriptor
  /// When the crowd began to walk.
  var start: WallTime

  init(_ path: String, start: WallTime) throws {
    self.path = path
    self.start = start
    do {
      file = FileDescriptor(
        try systemCall("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) })
    } catch {
      throw failure("\(path): \(reason(error))", .cannotCreate)
    }
  }

  func note(_ moves: [CrowdMove], _ site: CrowdSite) throws {
    guard !moves.isEmpty else { return }
    var lines: [UInt8] = []
    for move in moves {
      lines += JSONWriter.object {
        $0.field("beacon", WalkingCrowd.name(ofTag: move.tag))
        $0.field("room", site.name(ofRoom: move.room))
        $0.field("time", start + (move.time - .zero))
      }
      lines.append(UInt8(ascii: "\n"))
    }
    do { try file.write(lines.span) } catch { throw failure("\(path): \(reason(error))", .inputOutput) }
  }
}
