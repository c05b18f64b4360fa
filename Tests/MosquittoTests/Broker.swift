import Foundation
import Glibc
import Synchronization
import Testing

/// One real broker at a time: the machine that runs the tests may be small.
@Suite("A real broker", .serialized, .timeLimit(.minutes(5)))
enum RealBroker {}

/// A real mosquitto on a port of its own, in a directory of its own.
final class Broker: Server {
  let port: Int
  let directory: URL
  private let running = Mutex<pid_t?>(nil)

  /// - Parameter configuration: lines beside the listener; `DIR` stands for the broker's directory.
  init(_ configuration: String = "allow_anonymous true", port: Int? = nil) throws {
    self.port = try port ?? freePort()
    directory = FileManager.default.temporaryDirectory.appending(path: "mosquitto-test-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let user = getuid() == 0 ? "user root\n" : ""
    let text = """
      \(user)listener \(self.port) 127.0.0.1
      persistence false
      max_inflight_messages 100
      max_queued_messages 100000
      set_tcp_nodelay true
      \(configuration.replacingOccurrences(of: "DIR", with: directory.path))

      """
    try text.write(to: directory.appending(path: "mosquitto.conf"), atomically: true, encoding: .utf8)
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(at: directory)
  }

  func write(_ text: String, to name: String) throws {
    try text.write(to: directory.appending(path: name), atomically: true, encoding: .utf8)
  }

  @discardableResult
  func start() async throws -> Broker {
    let process = try spawn(["/usr/sbin/mosquitto", "-c", directory.appending(path: "mosquitto.conf").path])
    running.withLock { $0 = process }
    for _ in 0..<500 {
      if isListening(port) { return self }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("mosquitto does not listen")
  }

  /// Ends the broker at once, without a word to its clients.
  func kill() {
    let process = running.withLock { running in
      defer { running = nil }
      return running
    }
    guard let process else { return }
    Glibc.kill(process, SIGKILL)
    waitpid(process, nil, 0)
  }

  /// Stops and continues the broker: it keeps its connections and answers nothing meanwhile.
  func pause() { signal(SIGSTOP) }
  func resume() { signal(SIGCONT) }

  private func signal(_ number: Int32) {
    if let process = running.withLock({ $0 }) { Glibc.kill(process, number) }
  }
}

struct Trouble: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}
