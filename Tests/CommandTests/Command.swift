import Foundation
import Synchronization
import TestSupport

/// The built `beaconkeeper`, run as a user would run it.
struct Command {
  struct Result {
    var status: Int32
    var output: String
    var errors: String

    /// Neither a trap nor its back trace.
    var isCalm: Bool { !errors.contains("Fatal error") && !errors.contains("crashed") && status < 128 }
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// It lies where the tests lie.
  static let binary: URL = {
    var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
      folder = URL(fileURLWithPath: argument).deletingLastPathComponent()
    }
    return folder.appendingPathComponent("beaconkeeper")
  }()

  /// The package's own folder, where `config` is.
  static let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private let process: Child
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID())")

  /// Starts it; output goes to files, so that no pipe can fill up.
  init(
    _ arguments: [String], input: String = "", standardInput: FileHandle? = nil,
    directory: URL = Command.package, executable: URL = Command.binary, environment: [String: String] = [:]
  ) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for (name, text) in [("in", input), ("out", ""), ("err", "")] {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name))
    }
    // Nothing of one test is left to another, and nothing is left behind.
    let environment = ProcessInfo.processInfo.environment.merging(
      ["STATE_DIRECTORY": folder.appendingPathComponent("state").path], uniquingKeysWith: { $1 }
    ).merging(environment, uniquingKeysWith: { $1 })
    process = try Child(
      [executable.path] + arguments, in: directory, environment: environment,
      input: standardInput ?? FileHandle(forReadingFrom: folder.appendingPathComponent("in")),
      output: FileHandle(forWritingTo: folder.appendingPathComponent("out")),
      errors: FileHandle(forWritingTo: folder.appendingPathComponent("err")))
  }

  var processIdentifier: pid_t { process.processIdentifier }
  var isRunning: Bool { process.isRunning }
  func signal(_ number: Int32) { process.signal(number) }

  var outputSoFar: String { text("out") }
  var errorsSoFar: String { text("err") }

  private func text(_ name: String) -> String {
    String(decoding: (try? Data(contentsOf: folder.appendingPathComponent(name))) ?? Data(), as: UTF8.self)
  }

  /// Waits for a condition, and is patient where the machine is busy. Returns whether it came.
  func wait(within seconds: Double = 300, for condition: () -> Bool) async throws -> Bool {
    let end = ContinuousClock.now + .seconds(seconds)
    while ContinuousClock.now < end {
      if condition() { return true }
      try await Task.sleep(for: .milliseconds(20))
    }
    return condition()
  }

  /// Waits for the end; kills what does not end in time, and then its status says so.
  func end(within seconds: Double = 300) async throws -> Result {
    if try await !wait(within: seconds, for: { !process.isRunning }) {
      process.signal(SIGKILL)
    }
    let status = try await process.end()
    defer { try? FileManager.default.removeItem(at: folder) }
    return Result(status: status, output: outputSoFar, errors: errorsSoFar)
  }

  static func run(_ arguments: String..., input: String = "") async throws -> Result {
    try await Command(arguments, input: input).end()
  }
}

/// A file in the temporary folder with some content.
func file(_ content: some Collection<UInt8>, _ ending: String, mode: Int = 0o644) throws -> String {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).\(ending)").path
  try Data(content).write(to: URL(fileURLWithPath: path))
  try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  return path
}

func file(_ content: String, _ ending: String, mode: Int = 0o644) throws -> String {
  try file(Array(content.utf8), ending, mode: mode)
}

/// The van and the pump of `config/walk.jsonl`, without the house: for tests that count what is told of them.
enum Forecourt {
  static let rules = """
    gateway: { name: forecourt }
    receivers:
      - { name: hci0, exponent: 2.2 }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: fridge, address: C1:00:00:00:00:05, measured_power: -55 dBm }
    zones:
      - name: pump-3
        beacons: [fleet]
        near:  { distance: 2 m, dwell: 2 s, rearm: 5 m }
        enter: { distance: 6 m, dwell: 2 s }
        exit:  { distance: 9 m, dwell: 5 s, lost: auto }
      - name: shop
        beacons: [fridge]

    """
}
