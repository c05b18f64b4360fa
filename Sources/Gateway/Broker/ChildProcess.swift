import Core
import FoundationEssentials
import Glibc
import Synchronization

/// A child process whose output is read line by line, with a thread of its own.
///
/// The thread starts the child and lives as long as the child. The kernel's parent-death signal (prctl(2), PR_SET_PDEATHSIG)
/// follows the thread that forked, and threads of a pool end at any time.
final class ChildProcess: Sendable {
  struct StartError: Error, CustomStringConvertible {
    var description: String
  }

  struct State {
    var identifier: pid_t?
    var status: Int32?
    /// The last lines of its output.
    var words: [String] = []
    var waiters: [UInt64: CheckedContinuation<Int32?, Never>] = [:]
    var next: UInt64 = 0
  }

  private static let rememberedLines = 5
  private static let longestLine = 4096

  let state = Mutex(State())
  private let onLine: @Sendable (String) -> Void

  private init(onLine: @escaping @Sendable (String) -> Void) { self.onLine = onLine }

  /// - Parameters:
  ///   - arguments: the program's full path and its arguments.
  ///   - input: its standard input.
  static func start(
    _ arguments: [String], input: [UInt8] = [], onLine: @escaping @Sendable (String) -> Void
  ) async throws(StartError) -> ChildProcess {
    let child = ChildProcess(onLine: onLine)
    let error = await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try Thread.start { child.live(arguments, input, started: continuation) }
      } catch {
        continuation.resume(returning: StartError(description: "\(error)"))
      }
    }
    if let error { throw error }
    return child
  }

  var hasEnded: Bool { state.withLock { $0.status != nil } }

  var lastWords: String { state.withLock { $0.words.joined(separator: "; ") } }

  func signal(_ number: Int32) {
    // Under the lock: after the process was waited for, its identifier may belong to another.
    state.withLock { state in
      if let identifier = state.identifier { _ = kill(identifier, number) }
    }
  }

  /// Waits for the end. Returns the wait status, or `nil` if the time passes first or the task is cancelled.
  func ended(within limit: Duration? = nil) async -> Int32? {
    let number = state.withLock { state in
      state.next += 1
      return state.next
    }
    let timer = limit.map { limit in
      Task {
        try? await Task.sleep(for: limit)
        give(nil, to: number)
      }
    }
    defer { timer?.cancel() }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let status = state.withLock { state in
          if state.status == nil { state.waiters[number] = continuation }
          return state.status
        }
        if let status { continuation.resume(returning: status) }
        // Cancelled before it waited, so `onCancel` had nothing to resume.
        if Task.isCancelled { give(nil, to: number) }
      }
    } onCancel: {
      give(nil, to: number)
    }
  }

  private func give(_ status: Int32?, to number: UInt64) {
    state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(returning: status)
  }

  // MARK: On its thread

  private func live(
    _ arguments: [String], _ bytes: [UInt8], started: CheckedContinuation<StartError?, Never>
  ) {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { return started.resume(returning: StartError(description: words(errno))) }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A socket pair, because writing to a pipe of a child that has ended would end us by SIGPIPE.
    var input: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &input) == 0 else {
      for end in ends { close(end) }
      return started.resume(returning: StartError(description: words(errno)))
    }
    let result = spawn(arguments, input[1], ends[1])
    close(input[1])
    defer { close(input[0]) }
    close(ends[1])
    defer { close(ends[0]) }
    switch result {
    case .failure(let error): started.resume(returning: error)
    case .success(let identifier):
      state.withLock { $0.identifier = identifier }
      started.resume(returning: nil)
      send(bytes, to: input[0])
      readLines(from: ends[0])
      wait(for: identifier)
    }
  }

  private func send(_ bytes: [UInt8], to socket: Int32) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      rest = rest.dropFirst(count)
    }
    shutdown(socket, Int32(SHUT_WR))
  }

  private func spawn(_ arguments: [String], _ input: Int32, _ output: Int32) -> Result<pid_t, StartError> {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, input, 0)
    posix_spawn_file_actions_adddup2(&actions, output, 1)
    posix_spawn_file_actions_adddup2(&actions, output, 2)
    // Our sockets and locks would stay open in the child.
    for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
      if let descriptor = Int32(name), descriptor > 2 {
        posix_spawn_file_actions_addclose(&actions, descriptor)
      }
    }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A process group of its own: Ctrl-C in the terminal must reach only us, because we stop it after the last message.
    posix_spawnattr_setpgroup(&attributes, 0)
    // We may have blocked signals that the child needs.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK))
    var argv = arguments.map { strdup($0) } + [nil]
    defer { for argument in argv { free(argument) } }
    var identifier: pid_t = 0
    let error = posix_spawn(&identifier, arguments[0], &actions, &attributes, &argv, environ)
    return error == 0 ? .success(identifier) : .failure(StartError(description: words(error)))
  }

  private func readLines(from descriptor: Int32) {
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      for byte in buffer.prefix(count) {
        if byte == UInt8(ascii: "\n") {
          say(line)
          line.removeAll(keepingCapacity: true)
        } else if line.count < Self.longestLine {
          line.append(byte)
        }
      }
    }
    if !line.isEmpty { say(line) }
  }

  private func say(_ line: [UInt8]) {
    let text = String(decoding: line, as: UTF8.self)
    state.withLock { state in
      state.words.append(text)
      if state.words.count > Self.rememberedLines { state.words.removeFirst() }
    }
    onLine(text)
  }

  private func wait(for identifier: pid_t) {
    // Wait without reaping first, so that `signal` never meets a reused identifier.
    var information = siginfo_t()
    while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) == -1, errno == EINTR {}
    let waiters = state.withLock { state in
      var status: Int32 = 0
      _ = waitpid(identifier, &status, 0)
      state.identifier = nil
      state.status = status
      defer { state.waiters = [:] }
      return (status, Array(state.waiters.values))
    }
    for waiter in waiters.1 { waiter.resume(returning: waiters.0) }
  }
}

private func words(_ error: Int32) -> String { String(cString: strerror(error)) }
