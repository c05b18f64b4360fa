import Glibc
import Synchronization

/// One octet beside the outbox that says whether transitions were sent that are not on disk.
///
/// Their sequence numbers are of an epoch that the outbox knows nothing of, so the next start must begin another. It is
/// overwritten in place, which works on a full disk too.
final class DurabilityMark: Sendable {
  private static let kept = UInt8(ascii: "k")
  private static let lost = UInt8(ascii: "l")

  private let descriptor: Int32
  private let state: Mutex<UInt8>

  /// Beside which outbox it lies.
  static func path(of outbox: String) -> String { outbox + ".mark" }

  init(path: String) {
    descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    var octet = Self.kept
    if descriptor >= 0, pread(descriptor, &octet, 1, 0) != 1 {
      octet = Self.kept
      pwrite(descriptor, &octet, 1, 0)
    }
    state = Mutex(octet)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var isLost: Bool { state.withLock { $0 == Self.lost } }

  func set(isLost: Bool) {
    state.withLock { state in
      var octet = isLost ? Self.lost : Self.kept
      guard octet != state else { return }
      state = octet
      guard descriptor >= 0 else { return }
      pwrite(descriptor, &octet, 1, 0)
      fdatasync(descriptor)
    }
  }
}
