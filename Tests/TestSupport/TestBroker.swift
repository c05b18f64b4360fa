import Foundation
import Glibc
import Synchronization

/// A real mosquitto on a port of its own, in a directory of its own.
package final class TestBroker: Sendable {
  package let port: Int
  package let directory: URL
  private var log: URL { directory.appending(path: "mosquitto.log") }
  private let running = Mutex<Child?>(nil)

  /// - Parameter configuration: lines beside the listener; `DIR` stands for the broker's directory.
  package init(_ configuration: String = "allow_anonymous true", port: Int? = nil) throws {
    self.port = try port ?? freePort()
    directory = FileManager.default.temporaryDirectory.appending(path: "mosquitto-test-\(UUID())")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    let user = getuid() == 0 && !configuration.contains("user root") ? "user root\n" : ""
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

  package func write(_ text: String, to name: String) throws {
    try text.write(to: directory.appending(path: name), atomically: true, encoding: .utf8)
  }

  @discardableResult
  package func start() async throws -> TestBroker {
    try Data().write(to: log)
    let process = try Child(
      ["/usr/sbin/mosquitto", "-c", directory.appending(path: "mosquitto.conf").path],
      errors: FileHandle(forWritingTo: log))
    running.withLock { $0 = process }
    for _ in 0..<3000 {
      let answers = isListening(port)
      if !process.isRunning {
        throw Trouble(
          "mosquitto ends at once: look at its configuration, and whether port \(port) was taken meanwhile")
      }
      if answers { return self }
      try await Task.sleep(for: .milliseconds(10))
    }
    throw Trouble("mosquitto does not listen")
  }

  /// Ends the broker at once, without a word to its clients.
  package func kill() {
    running.withLock { $0 = nil }
  }

  /// Stops and continues the broker: it keeps its connections and answers nothing meanwhile.
  package func pause() { signal(SIGSTOP) }
  package func resume() { signal(SIGCONT) }

  /// Makes it read its files again, and returns when it does. Whatever is sent afterwards meets the new ones.
  package func reload() async throws {
    func reloads() -> Int {
      ((try? String(contentsOf: log, encoding: .utf8)) ?? "").split(separator: "\n").count {
        $0.hasSuffix("Reloading config.")
      }
    }
    let before = reloads()
    signal(SIGHUP)
    for _ in 0..<3000 where reloads() == before { try await Task.sleep(for: .milliseconds(10)) }
    if reloads() == before { throw Trouble("mosquitto does not read its files again") }
  }

  private func signal(_ number: Int32) {
    running.withLock { $0?.signal(number) }
  }
}

package struct Trouble: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}

/// Python for brokers that are none of mosquitto's: reads a packet of MQTT, as its first octet and its body.
public let mqttPackets = """
  def exact(peer, count):
      octets = b""
      while len(octets) < count:
          more = peer.recv(count - len(octets))
          if not more: raise EOFError
          octets += more
      return octets
  def packet(peer):
      kind, length, shift = exact(peer, 1)[0], 0, 0
      while True:
          octet = exact(peer, 1)[0]
          length |= (octet & 127) << shift
          shift += 7
          if octet < 128: return kind, exact(peer, length)

  """
