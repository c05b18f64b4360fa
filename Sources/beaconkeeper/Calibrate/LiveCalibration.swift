import ArgumentParser
import Beacons
import Captures
import Configuration
import Core
import Gateway
import Glibc
import Mosquitto
import Proximity
import Radio
import Synchronization

/// A live walk, with the terminal.
final class LiveCalibration: Sendable {
  private let configuration: Configuration
  private let beacon: String?
  private let input: LiveWalk.Input
  private let walk: LiveWalk
  private let isOver = Mutex(false)
  private let notices = Mutex<[String]>([])

  private static let pause: Int32 = 200

  init(
    _ configuration: Configuration, beacon: String?, input: LiveWalk.Input, record: String?
  ) throws(ExitCode) {
    self.configuration = configuration
    self.beacon = beacon
    self.input = input
    do throws(SystemError) {
      walk = try LiveWalk(configuration, beacon: beacon, record: record)
    } catch {
      let remedy = error.code == EEXIST ? "; give --record another name, or remove the earlier walk" : ""
      throw failure("\(error)\(remedy)", .cannotCreate)
    }
  }

  /// nil: the user gave up.
  func run() async throws -> (walk: HeardWalk, marks: [PlacedMark])? {
    guard let terminal = KeyTerminal() else {
      _ = walk.finishRecording()
      throw failure(
        "there is no terminal for the keys; with a recording, name it and --marks", .unavailable)
    }
    let hearing = Task { [self] in
      do {
        try await walk.hear(input) { text in self.notices.withLock { $0.append(text) } }
        notices.withLock { $0.append("the input has ended: press q") }
      } catch {
        isOver.withLock { $0 = true }
        throw error
      }
    }
    let isFinished = await terminal.follow(onSignal: { [self] in isOver.withLock { $0 = true } }, follow)
    hearing.cancel()
    for notice in notices.withLock({ $0 }) { say("beaconkeeper: \(notice)") }
    let ending = await end(of: hearing)
    if let fault = walk.finishRecording() {
      say("beaconkeeper: the recording of the walk ended early: \(reason(fault))")
    }
    if let ending { throw ending }
    return isFinished ? walk.take() : nil
  }

  /// Returns why receiving ended, if it was not at our request.
  private func end(of hearing: Task<Void, any Error>) async -> ExitCode? {
    do { try await hearing.value } catch is CancellationError {
    } catch let error as RadioError {
      return failure("\(error)", .unavailable)
    } catch let error as BrokerRefusal {
      return failure("\(error)", .unavailable)
    } catch let error as CaptureError {
      return failure(error)
    } catch {
      return failure("\(error)", .software)
    }
    return nil
  }

  /// Returns true if the user finished, false if the user gave up.
  private func follow(_ terminal: KeyTerminal) -> Bool {
    var screen = WalkScreen(
      rooms: configuration.rooms.map { .init(name: $0.name, floor: $0.floor, outline: Outline($0.outline)) },
      expected: configuration.rooms.flatMap(\.receivers))
    while true {
      let (now, glimpse) = (LiveClock.now, walk.glimpse)
      for notice in notices.withLock({ notices in
        defer { notices = [] }
        return notices
      }) { screen.note(notice) }
      terminal.draw(screen.lines(glimpse, beacon: beacon, at: now, width: terminal.size.width))
      if isOver.withLock({ $0 }) { return false }
      switch terminal.press(within: Self.pause) {
      case .nothing, .arrow: continue
      case .ended: return false
      case .key(let key):
        switch screen.press(key) {
        case .nothing: continue
        case .giveUp: return false
        case .finish: return true
        case .mark(let room, let point):
          walk.mark(
            room.map { configuration.rooms[$0].name }, point, at: LiveClock.now,
            wallTime: LiveClock.wallNow)
        }
      }
    }
  }
}
