import Beacons
import CBlueZ
import Core
import Glibc

/// What must be undone, also written to a file, in case both processes are killed: the next opening undoes it. The file is gone
/// after a restart of the machine, as are the adapter's settings.
final class PairingLeftovers: Sendable {
  /// The file's name. It is in the service's own folder, or else in /run.
  private static let name = "beaconkeeper-enrol"
  /// The largest size of the file in bytes.
  private static let limit = 1 << 16
  /// Descriptors get this number or a higher one. Those that the other process uses are lower, so that no
  /// copy overwrites another.
  private static let high: Int32 = 10

  /// Locked as long as this process or the other one works, whichever user runs them. nil: there is no
  /// Bluetooth.
  let lock: Int32?
  /// nil: the file cannot be made.
  let file: Int32?

  /// Throws `busy` if another opening has the lock.
  init(_ environment: [String: String]) throws(LivePairing.Failure) {
    lock = Self.opened("/sys/class/bluetooth", O_RDONLY | O_DIRECTORY)
    let folder = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first ?? "/run"
    file = Self.opened("\(folder)/\(Self.name)", O_RDWR | O_CREAT | O_NOFOLLOW)
    guard let lock, flock(lock, LOCK_EX | LOCK_NB) != 0 else { return }
    throw .busy
  }

  deinit { for descriptor in [lock, file].compactMap(\.self) { close(descriptor) } }

  private static func opened(_ path: String, _ flags: Int32) -> Int32? {
    let descriptor = unsafe open(path, flags | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    // In a folder where anybody may create files, the file may contain another user's commands.
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, [0, geteuid()].contains(status.st_uid) else { return nil }
    return fcntl(descriptor, F_DUPFD_CLOEXEC, high)
  }

  /// Undoes what an earlier opening left. Returns whether there was anything.
  func undo() throws(LivePairing.Failure) -> Bool {
    guard let file else { return false }
    var content = [UInt8](repeating: 0, count: Self.limit)
    let count = unsafe content.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    let lines = String(decoding: content.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    let packets = lines.compactMap { octets(hexadecimal: $0) }
    if !packets.isEmpty {
      do throws(RadioError) { try LivePairing.undo(packets) } catch { throw .radio(error) }
    }
    // Also removes lines that are no packets, so that the next packet does not follow them.
    forget()
    return !packets.isEmpty
  }

  func remember(_ line: [UInt8]) {
    guard let file else { return }
    _ = unsafe line.withUnsafeBytes { unsafe write(file, $0.baseAddress, $0.count) }
  }

  func forget() {
    guard let file else { return }
    _ = ftruncate(file, 0)
    lseek(file, 0, SEEK_SET)
  }
}

/// Another process, which undoes what was changed once this one has ended, in whatever way.
package final class PairingUndo: Sendable {
  /// The hidden command that is started, and where it finds the file of leftovers, and the lock.
  package static let command = "undo-pairing"
  private static let file: Int32 = 3
  private static let lock: Int32 = 4

  private let input: Int32
  private let identifier: pid_t
  private let leftovers: PairingLeftovers

  init(_ leftovers: PairingLeftovers) throws(SystemError) {
    self.leftovers = leftovers
    var ends: [Int32] = [-1, -1]
    try systemCall("socketpair") {
      // Writing to a pipe of a process that has ended would end us by SIGPIPE.
      unsafe socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    }
    defer { close(ends[1]) }
    input = ends[0]
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    for (descriptor, place) in [(leftovers.file, Self.file), (leftovers.lock, Self.lock)] {
      if let descriptor {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, place)
      } else {
        // The other process must not truncate any other file that has this number.
        unsafe posix_spawn_file_actions_addclose(&actions, place)
      }
    }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    // In a process group of its own, so that Ctrl-C reaches only us.
    unsafe posix_spawnattr_setpgroup(&attributes, 0)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let arguments: [String] = ["beaconkeeper", Self.command]
    var argv = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { unsafe argv.forEach { unsafe free($0) } }
    var child: pid_t = 0
    let code = unsafe posix_spawn(&child, "/proc/self/exe", &actions, &attributes, &argv, environ)
    guard code == 0 else {
      close(ends[0])
      throw SystemError(call: "posix_spawn", code: code)
    }
    identifier = child
  }

  func remember(_ packet: [UInt8]) throws(SystemError) {
    let line = Array((hexadecimal(packet) + "\n").utf8)
    leftovers.remember(line)
    let count = try systemCall("undo") { unsafe send(input, line, line.count, Int32(MSG_NOSIGNAL)) }
    guard count == line.count else { throw SystemError(call: "undo", code: EIO) }
  }

  /// Lets it undo, and waits for it. Called once.
  func finish() {
    close(input)
    var status: Int32 = 0
    while unsafe waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    if status == 0 { leftovers.forget() }
  }

  /// The other process: undoes `packets`, which it has read from standard input until its end.
  package static func main(packets: () throws -> [[UInt8]]) throws {
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
    // The sockets of a gateway must not outlive it here.
    closefrom(lock + 1)
    try LivePairing.undo(packets())
    // Where the file could not be made, this descriptor is closed.
    _ = ftruncate(file, 0)
  }
}
