import Foundation
import Glibc
import Synchronization

/// A program that a test has started. It dies with its last reference.
///
/// Not Foundation's `Process`: it notices an end by a socket, which a child that another test starts at the same moment may hold open.
package final class Child: Sendable {
  package let processIdentifier: pid_t
  private let ended = Mutex<Int32?>(nil)

  /// - Parameters:
  ///   - arguments: the program, with its path or to be found in `PATH`, and what it is told.
  ///   - environment: nil for the test's own.
  ///   - input: an open file; nil for nothing. `output` and `errors` likewise.
  package init(
    _ arguments: [String], in directory: URL? = nil, environment: [String: String]? = nil,
    input: FileHandle? = nil, output: FileHandle? = nil, errors: FileHandle? = nil
  ) throws {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for (standard, file) in [(Int32(0), input), (1, output), (2, errors)] {
      if let file {
        posix_spawn_file_actions_adddup2(&actions, file.fileDescriptor, standard)
      } else {
        posix_spawn_file_actions_addopen(&actions, standard, "/dev/null", O_RDWR, 0)
      }
    }
    // Another test's pipe, held open here too, would never be at its end there.
    for descriptor in 3..<Int32(1024) { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A child of a test inherits blocked signals, and would not hear SIGHUP.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    let arguments = directory.map { ["env", "-C", $0.path] + arguments } ?? arguments
    var words = arguments.map { strdup($0) } + [nil]
    var variables = (environment ?? ProcessInfo.processInfo.environment).map { strdup("\($0)=\($1)") } + [nil]
    defer { for word in words + variables { free(word) } }
    var process: pid_t = 0
    let error = posix_spawnp(&process, arguments[0], &actions, &attributes, &words, &variables)
    if error != 0 { throw Trouble("\(arguments[0]): \(String(cString: strerror(error)))") }
    processIdentifier = process
  }

  deinit {
    signal(SIGKILL)
    _ = status(waiting: true)
  }

  package var isRunning: Bool { status == nil }

  /// The exit status, 128 and the signal's number if one ended it, nil while it runs.
  package var status: Int32? { status(waiting: false) }

  private func status(waiting: Bool) -> Int32? {
    ended.withLock { ended in
      var word: Int32 = 0
      if ended == nil, waitpid(processIdentifier, &word, waiting ? 0 : WNOHANG) == processIdentifier {
        ended = word & 0x7F == 0 ? word >> 8 & 0xFF : 128 + word & 0x7F
      }
      return ended
    }
  }

  package func signal(_ number: Int32) {
    if isRunning { kill(processIdentifier, number) }
  }

  /// Its exit status, once it has ended.
  package func end() async throws -> Int32 {
    while true {
      if let status { return status }
      try await Task.sleep(for: .milliseconds(2))
    }
  }
}

/// Runs a program to its end, which must be a good one.
package func run(_ arguments: [String], in directory: URL? = nil, environment: [String: String]? = nil)
  async throws
{
  let path = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID())").path
  try Data().write(to: URL(fileURLWithPath: path))
  defer { unlink(path) }
  let output = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
  let child = try Child(arguments, in: directory, environment: environment, output: output, errors: output)
  if try await child.end() != 0 {
    throw Trouble("\(arguments): \((try? String(contentsOfFile: path, encoding: .utf8)) ?? "")")
  }
}
