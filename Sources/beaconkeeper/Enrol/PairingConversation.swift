import ArgumentParser
import Beacons
import Core
import Glibc
import Radio
import Synchronization

/// Pairs with a device, while a person reads and types at the terminal.
struct PairingConversation {
  var adapter: String?
  var allowsNoNumber: Bool

  /// The identity resolving key, the most significant octet first.
  func learnKey() async throws -> [UInt8] {
    guard isatty(0) == 1 else {
      throw failure("somebody must compare a number, so enrol needs a terminal", .unavailable)
    }
    let leftovers = try Leftovers()
    let undo = try attempt(.unavailable) { try UndoProcess(leftovers) }
    let pairing = LivePairing()
    let signals = SignalWatch(SIGINT, SIGTERM, SIGHUP) { pairing.stop() }
    defer { signals.end() }
    // It ends with the program.
    try attempt(.software) {
      try Thread.start {
        var lines = StandardInputLines()
        while let line = try? lines.next() {
          if case .text(let text) = line { pairing.type(text) }
        }
        pairing.stop()
      }
    }
    let result = await Thread.run { [adapter, allowsNoNumber] in
      Result { () throws(LivePairing.Failure) in
        try pairing.run(
          adapter: adapter, allowsNoNumber: allowsNoNumber,
          LivePairing.Handlers(
            onNews: { say(Self.words($0)) },
            onUndo: { packet throws(SystemError) in try undo.remember(packet) }))
      }
    }
    // The adapter is as it was before anything else is said.
    undo.finish()
    switch result {
    case .failure(let error): throw failure("\(error)", .unavailable)
    case .success(.learned(let learned)):
      say("beaconkeeper: paired, and the pairing removed; forget Beaconkeeper on the device, too")
      return learned.key
    case .success(.hasNoKey(let device)):
      throw failure(
        "it paired, but has no identity resolving key: its address \(device) does not change, so write "
          + "address: \(device) instead", .unavailable)
    case .success(.tookTooLong):
      throw failure("no device was paired within two minutes", .unavailable)
    case .success(.stopped): throw failure("stopped; nothing is open and nothing was written", .unavailable)
    }
  }

  private static func words(_ news: PairingNews) -> String {
    switch news {
    case .isOpen(let adapter, let hasBluetoothd):
      """
      \(adapter) can be paired for two minutes\(hasBluetoothd ? ", beside bluetoothd" : ""). On the device open its Bluetooth \
      settings and choose Beaconkeeper
      (or this machine's name). When it shows a number, type the number here. Ctrl-C stops.
      """
    case .connected(let device): "\(device) has connected"
    case .wantsNumber(let device):
      "\(device) asks to pair. Type the number that your device shows, or no; then agree on the device:"
    case .wantsConsent(let device):
      "\(device) asks to pair and shows no number. If it is yours and nobody else's, type yes; otherwise no:"
    case .showsNumber(let device, let number): "\(device): type \(number) on it"
    case .isNoNumber: "no device that asks shows this number"
    case .refused(let device, let reason): "\(device): \(reason)"
    case .left(let device): "\(device) has disconnected"
    }
  }
}

/// What must be undone, also written to a file, in case both processes are killed: the next enrol undoes it. The file is gone
/// after a restart of the machine, as are the adapter's settings. It is locked as long as one of them works.
private struct Leftovers {
  private static let path = "/run/beaconkeeper-enrol"
  /// The largest size of the file in bytes.
  private static let limit = 1 << 16
  /// nil: the file cannot be made, because this is not root.
  let descriptor: Int32?

  init() throws {
    let file = open(Self.path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    descriptor = file < 0 ? nil : file
    guard file >= 0 else { return }
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw failure("another enrol is at work; let it end first", .unavailable)
    }
    var content = [UInt8](repeating: 0, count: Self.limit)
    let count = unsafe content.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    let lines = String(decoding: content.prefix(max(0, count)), as: UTF8.self).split(separator: "\n")
    let packets = lines.compactMap { octets(hexadecimal: $0) }
    // What is no packet is not left for the next one to be written behind.
    guard !packets.isEmpty else {
      forget()
      return
    }
    try attempt(.unavailable) { try LivePairing.undo(packets) }
    forget()
    say("beaconkeeper: an earlier enrol was killed; what it had left open was put back")
  }

  func remember(_ line: [UInt8]) {
    guard let descriptor else { return }
    _ = unsafe line.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }

  func forget() {
    guard let descriptor else { return }
    _ = ftruncate(descriptor, 0)
    lseek(descriptor, 0, SEEK_SET)
  }
}

/// Another process, which undoes what was changed once this one has ended, in whatever way.
private final class UndoProcess: Sendable {
  private let input: Mutex<Int32>
  private let identifier: pid_t
  private let leftovers: Leftovers

  init(_ leftovers: Leftovers) throws(SystemError) {
    self.leftovers = leftovers
    var ends: [Int32] = [-1, -1]
    try systemCall("socketpair") {
      // Writing to a pipe of a process that has ended would end us by SIGPIPE.
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &ends)
    }
    defer { close(ends[1]) }
    input = Mutex(ends[0])
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
    // It keeps the lock.
    if let file = leftovers.descriptor {
      posix_spawn_file_actions_adddup2(&actions, file, UndoPairingCommand.file)
    } else {
      // Whatever has this number here is not for it to cut.
      posix_spawn_file_actions_addclose(&actions, UndoPairingCommand.file)
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // In a process group of its own, so that Ctrl-C reaches only us.
    posix_spawnattr_setpgroup(&attributes, 0)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let arguments: [String] = ["beaconkeeper", "undo-pairing"]
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var child: pid_t = 0
    let code = posix_spawn(&child, "/proc/self/exe", &actions, &attributes, &argv, environ)
    guard code == 0 else {
      close(ends[0])
      throw SystemError(call: "posix_spawn", code: code)
    }
    identifier = child
  }

  func remember(_ packet: [UInt8]) throws(SystemError) {
    let line = Array((hexadecimal(packet) + "\n").utf8)
    leftovers.remember(line)
    try input.withLock { socket throws(SystemError) in
      let count = try systemCall("undo") { send(socket, line, line.count, Int32(MSG_NOSIGNAL)) }
      guard count == line.count else { throw SystemError(call: "undo", code: EIO) }
    }
  }

  /// Lets it undo, and waits for it.
  func finish() {
    input.withLock { _ = close($0) }
    var status: Int32 = 0
    while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
    if status == 0 { leftovers.forget() }
  }
}

/// Started by `enrol`: reads what to undo from standard input until its end, and does it.
struct UndoPairingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "undo-pairing", abstract: "Leaves an adapter as it was; called by enrol.",
    shouldDisplay: false)

  /// Where it finds the file of leftovers.
  static let file: Int32 = 3

  func run() throws {
    for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
    var lines = StandardInputLines()
    var packets: [[UInt8]] = []
    while let line = try lines.next() {
      if case .text(let text) = line, let packet = octets(hexadecimal: text) { packets.append(packet) }
    }
    try attempt(.unavailable) { try LivePairing.undo(packets) }
    // Where the file could not be made, this descriptor is closed.
    _ = ftruncate(Self.file, 0)
  }
}
