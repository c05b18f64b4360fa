import Foundation
import Glibc

/// Starts a program with its output in a file, or nowhere. `waitpid` is the caller's business.
///
/// Not Foundation's `Process`: its `waitUntilExit` on another thread than `run` may wait for ever.
func spawn(_ arguments: [String], in directory: URL? = nil, output: String = "/dev/null") throws -> pid_t {
  var actions = posix_spawn_file_actions_t()
  posix_spawn_file_actions_init(&actions)
  defer { posix_spawn_file_actions_destroy(&actions) }
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
  posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
  posix_spawn_file_actions_adddup2(&actions, 1, 2)
  let arguments = directory.map { ["env", "-C", $0.path] + arguments } ?? arguments
  var words = arguments.map { strdup($0) } + [nil]
  defer { for word in words { free(word) } }
  var process: pid_t = 0
  let error = posix_spawnp(&process, arguments[0], &actions, nil, &words, environ)
  if error != 0 { throw Trouble("\(arguments[0]): \(String(cString: strerror(error)))") }
  return process
}

/// Runs a program to its end.
func run(_ arguments: [String], in directory: URL? = nil) async throws {
  let output = FileManager.default.temporaryDirectory.appending(path: "run-\(UUID())").path
  defer { unlink(output) }
  let process = try spawn(arguments, in: directory, output: output)
  var status: Int32 = 0
  while waitpid(process, &status, WNOHANG) == 0 { try await Task.sleep(for: .milliseconds(2)) }
  if status != 0 {
    throw Trouble("\(arguments): \((try? String(contentsOfFile: output, encoding: .utf8)) ?? "")")
  }
}
