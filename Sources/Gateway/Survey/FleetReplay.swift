import Configuration
import Contract
import Core
import Fleet
import FoundationEssentials
import Glibc

/// A fleet's decisions about the journals of its workers, as one worker that never failed would have made them.
package struct FleetReplay {
  /// A partition during a replay: its remaining epochs, and the place in the first of them.
  private struct Course {
    var runs: [Journals.Run]
    var next = 0
    var partition: FleetPartition?
    var time: MonotonicTime { partition?.time ?? MonotonicTime(nanoseconds: .min) }
  }

  private let fresh: FleetPartition
  private let journals: Journals
  private var courses: [Course]
  package private(set) var messages: UInt64 = 0
  package private(set) var observations: UInt64 = 0
  package let total: UInt64
  /// A fault in a journal.
  private var fault: JournalError?

  /// - Parameter paths: files that `fuse --journal` wrote, or folders with them.
  package init(_ configuration: Configuration, journals paths: [String]) throws(JournalError) {
    journals = try Journals(paths)
    fresh = FleetPartition(configuration, 0, of: journals.partitions, epoch: 0)
    courses = Dictionary(grouping: journals.runs, by: \.partition).sorted { $0.key < $1.key }
      .map { Course(runs: $0.value) }
    total = journals.runs.reduce(0) { $0 + UInt64($1.places.count) }
  }

  /// Continues with the partition that is furthest behind, up to its next tick; false at the end. `messages` is emptied first,
  /// and then has what the partition publishes.
  ///
  /// Throws after everything before a fault in a journal has been returned.
  package mutating func next(into output: inout [Message], notices: inout [String]) throws(JournalError)
    -> Bool
  {
    output.removeAll(keepingCapacity: true)
    if let fault { throw fault }
    guard let index = courses.indices.min(by: { courses[$0].time < courses[$1].time }) else { return false }
    let run = courses[index].runs[0]
    // Moved out, so that it is not copied.
    var partition =
      courses[index].partition.take() ?? FleetPartition(fresh, run.partition, epoch: run.epoch)
    let (time, heard) = (partition.time, partition.counts.observations)
    while courses[index].next < run.places.count {
      let place = run.places[courses[index].next]
      courses[index].next += 1
      messages += 1
      do throws(JournalError) {
        let entry = try journals.entry(at: place)
        notices += partition.take(key: entry.key, entry.payload, into: &output)
      } catch {
        fault = error
        break
      }
      if partition.time != time { break }
    }
    observations += partition.counts.observations - heard
    courses[index].partition = partition
    if courses[index].next == run.places.count {
      courses[index].runs.removeFirst()
      (courses[index].next, courses[index].partition) = (0, nil)
      if courses[index].runs.isEmpty { courses.remove(at: index) }
    }
    return true
  }
}

/// The journals of a fleet's workers, combined: for each partition and epoch all messages of its queue, in order.
struct Journals {
  /// The place of a message: its file, and its range of octets.
  struct Place {
    var number: UInt64
    var file: Int
    var range: Range<Int>
  }

  /// The messages of a partition from where it began anew.
  struct Run {
    var partition: Int
    var epoch: UInt64
    var places: [Place] = []
  }

  private struct Name: Hashable {
    var partition: Int
    var epoch: UInt64
  }

  private(set) var runs: [Run] = []
  /// The number of partitions of the fleet.
  private(set) var partitions = 0
  private var files: [(path: String, data: Data)] = []

  /// - Parameter paths: files, or folders with files.
  init(_ paths: [String]) throws(JournalError) {
    var found: [Name: Run] = [:]
    var files: [String] = []
    for path in paths { files += try Self.files(in: path) }
    for path in files {
      do {
        self.files.append((path, try Data(contentsOf: URL(filePath: path), options: .mappedIfSafe)))
      } catch {
        throw JournalError(path: path, message: Self.reason(error), isUnreadable: true)
      }
      try read(file: self.files.count - 1, into: &found)
    }
    guard partitions > 0 else {
      throw JournalError(path: paths.joined(separator: ", "), message: "the journal is empty")
    }
    runs = found.values.sorted { ($0.partition, $0.epoch) < ($1.partition, $1.epoch) }
    for index in runs.indices { try order(&runs[index]) }
  }

  private static func reason(_ error: any Error) -> String {
    (error as? CocoaError)?.reason(else: "\(error)") ?? "\(error)"
  }

  private static func files(in path: String) throws(JournalError) -> [String] {
    var isFolder = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder else {
      return [path]
    }
    var names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path).filter { $0.hasSuffix(".jsonl") }
    } catch {
      throw JournalError(path: path, message: reason(error), isUnreadable: true)
    }
    names.sort()
    guard !names.isEmpty else {
      throw JournalError(path: path, message: "no journal (*.jsonl) is in this folder")
    }
    return names.map { "\(path)/\($0)" }
  }

  private mutating func read(file: Int, into found: inout [Name: Run]) throws(JournalError) {
    let (path, data) = files[file]
    let bytes = data.span
    var (start, number) = (0, 0)
    var (name, next): (Name?, UInt64) = (nil, 0)
    var run: Run?
    defer { if let name, let run { found[name] = run } }
    // A last line without an end was being written when the worker was killed.
    while let end = bytes.firstLineEnd(from: start) {
      number += 1
      func fault(_ message: String) -> JournalError {
        JournalError(path: path, line: number, message: message)
      }
      switch JournalPlace(bytes.extracting(start..<end)) {
      case .takeover(let partition, let partitions, let epoch, let seen):
        if let name, let run { found[name] = run }
        let new = Name(partition: partition, epoch: epoch)
        name = new
        next = seen + 1
        if self.partitions == 0 { self.partitions = partitions }
        guard partitions == self.partitions else {
          throw fault("here the fleet has \(partitions) partitions, in other journals \(self.partitions)")
        }
        run = found.removeValue(forKey: new) ?? Run(partition: partition, epoch: epoch)
      case .message(let message):
        guard run != nil else { throw fault("the line that says whose journal it is must come first") }
        guard message.number == next else {
          throw fault("message \(next) should follow, not \(message.number)")
        }
        next += 1
        run?.places.append(Place(number: message.number, file: file, range: start..<end))
      case nil: throw fault(Self.foreign)
      }
      start = end + 1
    }
  }

  private static let foreign = "not a line of a fleet's journal, which fuse --journal writes"

  /// Several workers may have read the same messages, if one died and another took over.
  private func order(_ run: inout Run) throws(JournalError) {
    run.places.sort { $0.number < $1.number }
    var kept: [Place] = []
    for place in run.places {
      if let last = kept.last, last.number == place.number {
        guard files[last.file].data[last.range] == files[place.file].data[place.range] else {
          throw JournalError(
            path: files[place.file].path,
            message:
              "message \(place.number) of partition \(run.partition) is another one in \(files[last.file].path): these are journals of different fleets"
          )
        }
        continue
      }
      let expected = UInt64(kept.count + 1)
      guard place.number == expected else {
        throw JournalError(
          path: "",
          message:
            "partition \(run.partition): messages \(expected) to \(place.number - 1) are missing; a journal must begin with the fleet and have all workers"
        )
      }
      kept.append(place)
    }
    run.places = kept
  }

  func entry(at place: Place) throws(JournalError) -> JournalLine.Entry {
    let (path, data) = files[place.file]
    let line = data.span.extracting(place.range)
    if case .message(let message)? = JournalPlace(line), let entry = message.entry(line) { return entry }
    let number = data[..<place.range.lowerBound].count { $0 == UInt8(ascii: "\n") } + 1
    throw JournalError(path: path, line: number, message: Self.foreign)
  }
}

extension Span<UInt8> {
  /// nil: the line has no end.
  fileprivate func firstLineEnd(from start: Int) -> Int? {
    withUnsafeBytes { bytes in
      guard start < bytes.count, let base = bytes.baseAddress,
        let end = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
      else { return nil }
      return UnsafeRawPointer(end) - base
    }
  }
}

/// Why journals cannot be replayed, in which file, and how to mend it.
package struct JournalError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The file; empty if no single file is wrong.
  package var path: String
  /// From 1 on; nil: the file itself.
  package var line: Int?
  package var message: String
  /// The system does not permit reading the file.
  package var isUnreadable = false

  package var description: String {
    [path.isEmpty ? nil : path, line.map { "line \($0)" }, message].compactMap(\.self).joined(separator: ": ")
  }
}
