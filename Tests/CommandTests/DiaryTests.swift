import Core
import Foundation
import Outbox
import Testing

/// What happened is kept, shown after a restart, and forgotten when asked.
@Suite(.serialized) struct DiaryTests {
  /// On this machine's clock.
  private static var today: String {
    let format = DateFormatter()
    (format.locale, format.dateFormat) = (Locale(identifier: "en_US_POSIX"), "yyyy-MM-dd")
    return format.string(from: Date())
  }

  private func command(_ arguments: [String], _ stage: DiskStage) async throws -> Command.Result {
    try await Command(
      ["STATE_DIRECTORY=\(stage.folder.path)/state", Command.binary.path] + arguments + [
        "--config", "yard.yaml",
      ],
      directory: stage.folder, executable: URL(fileURLWithPath: "/usr/bin/env")
    ).end()
  }

  @Test func `a day is told after restarts, by page and command, and what is forgotten is gone`() async throws
  {
    let stage = try await DiskStage()
    defer { stage.end() }
    let none = try await command(["visits"], stage)
    #expect(none.status == 69 && none.errors.contains("there is no diary"), "\(none.errors)")
    let pipe = Pipe()
    defer { try? pipe.fileHandleForWriting.close() }
    let gateway = try stage.start(hearing: pipe)
    #expect(try await gateway.wait { !stage.healths.isEmpty }, "\(gateway.errorsSoFar)")
    for tag in 0..<2 {
      try pipe.fileHandleForWriting.write(contentsOf: Data(DiskStage.heard(tag, -45).utf8))
    }
    #expect(try await gateway.wait { stage.said("enter").count == 2 }, "\(gateway.errorsSoFar)")
    #expect(try await gateway.wait { gateway.outputSoFar.contains("http://127") }, "\(gateway.errorsSoFar)")
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).0
    // What is not on disk yet is told, too.
    let fresh = try await get("\(page)/api/v1/diary?beacon=tag-0")
    #expect(fresh.contains(#""event":"enter""#) && fresh.contains(#""place":"shop""#), "\(fresh)")
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)

    let visits = try await command(["visits", "--json"], stage)
    #expect(visits.status == 0 && visits.output.split(separator: "\n").count == 2, "\(visits)")
    // Nobody sees how long they stay.
    #expect(
      visits.output.contains(#""beacon":"tag-1","zone":"shop""#) && visits.output.contains(#""open":false"#))
    let day = Self.today
    let today = try await command(["visits", "--since", day, "--until", day, "--json"], stage)
    #expect(today.output == visits.output || day != Self.today, "a day is whole: \(today)")
    let minute = try await command(
      ["visits", "--since", "2020-01-01 00:00", "--until", "2020-01-01 00:01"], stage)
    #expect(minute.status == 0 && minute.errors.contains("no visits"), "\(minute)")
    let table = try await command(["visits", "--beacon", "tag-0"], stage)
    #expect(table.output.contains("?") && table.output.contains("shop"), "\(table.output)")
    #expect(table.output.contains("unknown, there until 2"), "\(table.output)")

    let next = try stage.start(hearing: pipe)
    defer { next.signal(SIGKILL) }
    #expect(try await next.wait { next.outputSoFar.contains("http://127") }, "\(next.errorsSoFar)")
    let again = try #require(next.outputSoFar.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).0
    let latest = try await get("\(again)/api/v1/transitions")
    #expect(latest.components(separatedBy: #""event":"enter""#).count == 3, "of the earlier run: \(latest)")
    let kept = try await get("\(again)/api/v1/visits?format=csv")
    #expect(
      kept.hasPrefix("beacon,kind,place,from,near,to,seconds,open,last_known,unwatched_s\r\ntag-"), "\(kept)")

    // A gateway that is renamed goes on with it.
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
    let file = stage.folder.appendingPathComponent("yard.yaml")
    let named = try String(contentsOf: file, encoding: .utf8).replacing("name: yard", with: "name: garden")
    try named.write(to: file, atomically: true, encoding: .utf8)
    let third = try stage.start(hearing: pipe)
    defer { third.signal(SIGKILL) }
    #expect(try await third.wait { third.outputSoFar.contains("http://127") }, "\(third.errorsSoFar)")
    let renamed = try #require(third.outputSoFar.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).0
    #expect(try await get("\(renamed)/api/v1/visits").contains("tag-1"))

    let other = try await command(["forget", "tag-o"], stage)
    #expect(other.output.contains("did you mean tag-0?") || other.output.contains("tag-1"), "\(other)")
    let forgot = try await command(["forget", "tag-0"], stage)
    // Its enter, and its exit made up for the new name.
    #expect(forgot.status == 0 && forgot.output.contains("2 entries about tag-0 deleted"), "\(forgot)")
    #expect(try await !get("\(renamed)/api/v1/diary").contains("tag-0"))
    #expect(try await !get("\(renamed)/api/v1/transitions").contains("tag-0"))
    #expect(try await get("\(renamed)/api/v1/transitions").contains("tag-1"))
    third.signal(SIGTERM)
    #expect(try await third.end().status == 0)
  }

  /// In Berlin, on 25 October 2026, 02:00 to 03:00 comes twice: from 00:00 and from 01:00 UTC.
  @Test(arguments: [
    (["--since", "2026-10-25 02:30", "--until", "2026-10-25 02:59"], 3),
    (["--since", "2026-10-25 02:45", "--until", "2026-10-25 02:15"], 1),
    (["--since", "2026-10-24", "--until", "2026-10-25 02:15"], 2),
    (["--since", "2026-02-01", "--until", "2026-10-25 02:15"], 2),
    (["--since", "2026-10-25T01:45:00Z", "--until", "2026-10-25"], 1),
  ]) func `no visit is left out in the hour that comes twice`(bounds: [String], count: Int) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("hour-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("state"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("gateway: { name: yard }\nzones: [{ name: shop }]\n".utf8).write(
      to: folder.appendingPathComponent("yard.yaml"))
    let directory = StateDirectory(configured: folder.appendingPathComponent("state").path)
    let store = try DiaryStore.open(gateway: "yard", directory: directory).store
    let visits = [("00:10", "00:40"), ("00:50", "01:05"), ("01:20", "01:50")]
    try store.add(
      visits.flatMap { from, to in
        [(from, "enter"), (to, "exit")].map { time, word in
          DiaryEntry(
            time: WallTime(rfc3339: "2026-10-25T\(time):00Z")!, kind: .zone, thing: "tag", place: "shop",
            word: word)
        }
      })
    store.close()
    let told = try await Command(
      [
        "TZ=CET-1CEST,M3.5.0,M10.5.0/3", "STATE_DIRECTORY=\(directory.path)", Command.binary.path, "visits",
        "--config", "yard.yaml",
      ] + bounds, directory: folder, executable: URL(fileURLWithPath: "/usr/bin/env")
    ).end()
    #expect(told.output.split(separator: "\n").count == count, "\(told)")
    if count == 3 { #expect(told.output.contains("2026-10-25 02:50 CEST  to  02:05 CET"), "\(told.output)") }
  }

  @Test func `a full disk costs no transition, and is told`() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let gateway = try stage.start()
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { stage.said("enter").count > 2 }, "\(gateway.errorsSoFar)")
    #expect(try await gateway.wait { gateway.outputSoFar.contains("http://127") }, "\(gateway.errorsSoFar)")
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).0
    let before = try await get("\(page)/api/v1/diary?kind=zone&limit=5000")
    try Data().write(to: stage.full)
    let count = stage.said("exit").count
    #expect(try await gateway.wait { stage.said("exit").count > count + 2 })
    let meanwhile = try await get("\(page)/api/v1/diary?kind=zone&limit=5000")
    #expect(meanwhile.count > before.count, "what waits in memory is told")
    try FileManager.default.removeItem(at: stage.full)
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    let visits = try await command(["visits", "--json"], stage)
    let enters = stage.said("enter").count
    #expect(visits.output.split(separator: "\n").count >= enters, "\(enters): \(visits.output)")
  }

  @Test func `one word turns it off`() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let file = stage.folder.appendingPathComponent("yard.yaml")
    try (String(contentsOf: file, encoding: .utf8) + "\ndiary: off\n").write(
      to: file, atomically: true, encoding: .utf8)
    let gateway = try stage.start()
    defer { gateway.signal(SIGKILL) }
    #expect(try await gateway.wait { !stage.said("enter").isEmpty }, "\(gateway.errorsSoFar)")
    #expect(try await gateway.wait { gateway.outputSoFar.contains("http://127") }, "\(gateway.errorsSoFar)")
    let page = try #require(gateway.outputSoFar.firstMatch(of: #/http://127\.0\.0\.1:\d+/#)).0
    #expect(try await get("\(page)/api/v1/diary").contains("Nothing of what happens is kept"))
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)
    #expect(!FileManager.default.fileExists(atPath: "\(stage.folder.path)/state/yard.diary"))
  }

  private func get(_ address: String) async throws -> String {
    try await Command(["-sS", address], executable: URL(fileURLWithPath: "/usr/bin/curl")).end().output
  }
}
