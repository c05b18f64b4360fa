import Foundation
import Glibc

/// A real mosquitto on a port of its own, in a directory of its own.
final class Broker {
  let port: Int
  let directory: URL
  private var process: Process?

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
  func start() throws -> Broker {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/sbin/mosquitto")
    process.arguments = ["-c", directory.appending(path: "mosquitto.conf").path]
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    for _ in 0..<500 {
      if isListening(port) { return self }
      usleep(10_000)
    }
    throw Trouble("mosquitto does not listen")
  }

  /// Ends the broker at once, without a word to its clients.
  func kill() {
    guard let process else { return }
    Glibc.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Stops and continues the broker: it keeps its connections and answers nothing meanwhile.
  func pause() { if let process { Glibc.kill(process.processIdentifier, SIGSTOP) } }
  func resume() { if let process { Glibc.kill(process.processIdentifier, SIGCONT) } }
}

struct Trouble: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A port on which nothing listens now.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let bound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard bound else { throw Trouble("no free port") }
  return Int(UInt16(bigEndian: address.sin_port))
}

func isListening(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}

/// Runs a program to its end and returns what it printed.
@discardableResult
func run(_ arguments: [String], in directory: URL? = nil) throws -> String {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/env")
  process.arguments = arguments
  process.currentDirectoryURL = directory
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  try process.run()
  let output = pipe.fileHandleForReading.readDataToEndOfFile()
  process.waitUntilExit()
  let text = String(decoding: output, as: UTF8.self)
  if process.terminationStatus != 0 { throw Trouble("\(arguments): \(text)") }
  return text
}
