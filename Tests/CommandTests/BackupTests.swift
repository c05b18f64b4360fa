import Foundation
import Glibc
import TestSupport
import Testing

/// A backup of a gateway that runs, and what comes back.
@Suite(.serialized) struct BackupTests {
  private func command(_ arguments: [String], _ folder: URL, _ environment: [String] = []) async throws
    -> Command.Result
  {
    try await Command(
      ["STATE_DIRECTORY=\(folder.path)/state"] + environment + [Command.binary.path] + arguments,
      directory: folder,
      executable: URL(fileURLWithPath: "/usr/bin/env")
    ).end()
  }

  /// What is in a folder, and not made by `restore` to keep what was there.
  private func contents(_ folder: URL) throws -> [String: Data] {
    var found: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where !name.contains(".before-restore-") {
      found[name] = try? Data(contentsOf: folder.appendingPathComponent(name))
    }
    return found
  }

  private func rows(_ question: String, _ file: String, _ folder: URL) async throws -> String {
    let output = folder.appendingPathComponent("rows")
    try Data().write(to: output)
    let child = try Child(
      ["sqlite3", file, question], in: folder, output: FileHandle(forWritingTo: output))
    #expect(try await child.end() == 0, "\(file): \(question)")
    return try String(contentsOf: output, encoding: .utf8)
  }

  @Test func `a gateway that runs is backed up, and goes on after the restore where it was`() async throws {
    let stage = try await DiskStage()
    defer { stage.end() }
    let folder = stage.folder
    let configuration = folder.appendingPathComponent("yard.yaml")
    let text =
      try String(contentsOf: configuration, encoding: .utf8).replacing(
        #"http: { listen: "127.0.0.1:0" }"#,
        with: #"http: { listen: "127.0.0.1:0", password_file: page.password }"#)
      + "\nkeys_file: secrets/keys.yaml\n"
    try text.write(to: configuration, atomically: true, encoding: .utf8)
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("secrets"), withIntermediateDirectories: true)
    for (name, content) in [
      ("page.password", "open sesame, please\n"),
      ("secrets/keys.yaml", "anna: 00112233445566778899aabbccddeeff\n"),
    ] {
      let path = folder.appendingPathComponent(name)
      try Data(content.utf8).write(to: path)
      #expect(chmod(path.path, 0o600) == 0)
    }
    // It never stops writing.
    let pipe = Pipe()
    let air = Task {
      for step in 0... where !Task.isCancelled {
        let heard = DiskStage.heard(
          step % 2, step / 20 % 2 == 0 ? -45 : -95, at: Date().timeIntervalSince1970)
        try pipe.fileHandleForWriting.write(contentsOf: Data(heard.utf8))
        try await Task.sleep(for: .milliseconds(20))
      }
    }
    defer { air.cancel() }
    // A diary is written every two minutes, and at the end.
    let first = try stage.start(hearing: pipe)
    #expect(try await first.wait { stage.said("enter").count > 2 }, "\(first.errorsSoFar)")
    first.signal(SIGTERM)
    #expect(try await first.end().status == 0)
    let gateway = try stage.start(hearing: pipe)
    defer { gateway.signal(SIGKILL) }
    let earlier = stage.said("enter").count
    #expect(try await gateway.wait { stage.said("enter").count > earlier + 1 }, "\(gateway.errorsSoFar)")
    let made = try await command(["backup", "--config", "yard.yaml", "yard.backup"], folder)
    #expect(made.status == 0, "\(made)")
    for name in [
      "configuration/yard.yaml", "configuration/page.password", "configuration/secrets/keys.yaml",
      "state/yard.sqlite",
      "state/yard.diary", "state/yard.sqlite.mark",
    ] {
      #expect(made.output.contains(name), "\(name): \(made.output)")
    }
    #expect(gateway.isRunning && !made.output.contains("00112233"))
    var status = stat()
    #expect(stat(folder.path + "/yard.backup", &status) == 0 && status.st_mode & 0o777 == 0o600)
    let again = try await command(["backup", "--config", "yard.yaml", "yard.backup"], folder)
    #expect(again.status == 73 && again.errors.contains("already"), "\(again)")
    // The format is that of SQLite's own archives.
    let listed = try await rows("SELECT group_concat(name, ' ') FROM sqlar", "yard.backup", folder)
    #expect(listed.contains("configuration/yard.yaml"))

    let early = try await command(["restore", "--config", "yard.yaml", "yard.backup"], folder)
    #expect(early.status == 69 && early.errors.contains("the gateway runs"), "\(early)")
    gateway.signal(SIGTERM)
    #expect(try await gateway.end().status == 0)

    // Everything changes afterwards.
    let original = try contents(folder)
    try Data("gateway: { name: yard }\n# another\n".utf8).write(to: configuration)
    try FileManager.default.removeItem(at: folder.appendingPathComponent("secrets"))
    try Data("gone".utf8).write(to: folder.appendingPathComponent("state/yard.topics"))
    let restored = try await command(["restore", "--config", "yard.yaml", "yard.backup"], folder)
    #expect(restored.status == 0, "\(restored)")
    let present = try contents(folder)
    for name in ["yard.yaml", "page.password", "secrets/keys.yaml"] {
      #expect(present[name] == original[name], "\(name)")
    }
    #expect(present["state/yard.topics"] != Data("gone".utf8))
    // What was there is kept, octet by octet.
    let kept = try FileManager.default.subpathsOfDirectory(atPath: folder.path).filter {
      $0.contains(".before-restore-")
    }
    for name in ["yard.yaml", "state/yard.sqlite", "state/yard.diary", "state/yard.topics"] {
      #expect(kept.contains { $0.hasPrefix(name + ".before-restore-") }, "\(name): \(kept)")
    }
    let other = try #require(kept.first { $0.hasPrefix("yard.yaml.before") })
    #expect(
      try String(contentsOf: folder.appendingPathComponent(other), encoding: .utf8).contains("# another"))
    #expect(
      !present.keys.contains { $0.hasSuffix(".restore-new") || $0.hasSuffix("-wal") }, "\(present.keys)")

    let count = stage.said("enter").count
    let next = try stage.start(hearing: pipe)
    defer { next.signal(SIGKILL) }
    #expect(try await next.wait { stage.said("enter").count > count }, "\(next.errorsSoFar)")
    #expect(!next.errorsSoFar.contains("damaged"), "\(next.errorsSoFar)")
    next.signal(SIGTERM)
    #expect(try await next.end().status == 0)
    let visits = try await command(["visits", "--config", "yard.yaml", "--json"], folder)
    #expect(visits.status == 0 && visits.output.contains("tag-0"), "\(visits)")
  }

  /// A folder with a backup of a configuration and of an outbox that no gateway uses.
  private func still(_ body: (URL) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("backup-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("state"), withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("gateway: { name: yard }\nbroker: embedded\n".utf8).write(
      to: folder.appendingPathComponent("yard.yaml"))
    try await run(
      [
        "sqlite3", "state/yard.sqlite",
        "PRAGMA journal_mode = WAL; CREATE TABLE t(a); PRAGMA user_version = 5;",
      ],
      in: folder)
    try Data("an earlier topic\n".utf8).write(to: folder.appendingPathComponent("state/yard.topics"))
    let made = try await command(["backup", "--config", "yard.yaml", "b"], folder)
    #expect(made.status == 0, "\(made)")
    try await body(folder)
  }

  /// Restoring it is refused, with the words, and changes nothing.
  private func refused(_ words: String, status: Int32 = 65, _ folder: URL, _ options: [String] = [])
    async throws
  {
    let before = try contents(folder)
    let result = try await command(["restore", "--config", "yard.yaml", "b"] + options, folder)
    #expect(result.status == status && result.errors.contains(words) && result.isCalm, "\(words): \(result)")
    #expect(try contents(folder) == before, "\(words)")
  }

  @Test func `what was changed on the way is refused, and nothing is touched`() async throws {
    try await still { folder in
      let good = try Data(contentsOf: folder.appendingPathComponent("b"))
      let file = folder.appendingPathComponent("b")
      // One octet anywhere.
      for place in stride(from: 0, to: good.count, by: max(good.count / 60, 1)) {
        var bad = good
        bad[place] ^= 0x20
        try bad.write(to: file)
        let result = try await command(["restore", "--check", "b"], folder)
        #expect(result.isCalm && [0, 65].contains(result.status), "\(place): \(result)")
        // Free space and version numbers of SQLite's are no part of the content.
        if result.status == 0 { continue }
        try await refused("b ", folder)
      }
      for count in [0, 10, 100, 4096, good.count / 2, good.count - 1] {
        try good.prefix(count).write(to: file)
        try await refused("b ", folder)
      }
      for (change, words) in [
        (
          "UPDATE sqlar SET data = CAST('gateway: { name: evil }' AS BLOB), sz = 23 WHERE name LIKE '%.yaml'",
          "damaged"
        ),
        (
          "UPDATE sqlar SET name = 'state/../../../etc/passwd' WHERE name LIKE 'state/%.topics'",
          "impossible name"
        ),
        ("UPDATE sqlar SET name = '/etc/passwd' WHERE name LIKE 'state/%.topics'", "impossible name"),
        ("UPDATE sqlar SET sz = 1000000000000 WHERE name LIKE '%.yaml'", "another program"),
        ("UPDATE sqlar SET mode = 0120777 WHERE name LIKE '%.yaml'", "another program"),
        ("INSERT INTO sqlar VALUES ('state/x', 33152, 0, 1, 'x')", "another program"),
        ("DELETE FROM sqlar WHERE name LIKE 'state/%.topics'", "list of members"),
        ("UPDATE property SET value = 'other' WHERE name = 'gateway'", "list of members"),
        ("CREATE TRIGGER t AFTER INSERT ON sqlar BEGIN SELECT 1; END", "other tables"),
        ("ALTER TABLE property RENAME TO p; CREATE VIEW property AS SELECT * FROM p", "other tables"),
        ("PRAGMA application_id = 1", "not a backup"),
        ("PRAGMA user_version = 2", "newer Beaconkeeper"),
      ] {
        try good.write(to: file)
        try await run(["sqlite3", "b", change], in: folder)
        try await refused(words, folder)
      }
    }
  }

  @Test func `state and configuration of a newer version are refused`() async throws {
    try await still { folder in
      unlink(folder.path + "/b")
      try await run(["sqlite3", "state/yard.sqlite", "PRAGMA user_version = 99"], in: folder)
      #expect(try await command(["backup", "--config", "yard.yaml", "b"], folder).status == 0)
      for arguments in [["run"], ["doctor"]] {
        let result = try await command(arguments + ["--config", "yard.yaml"], folder)
        #expect(result.status == (arguments == ["run"] ? 65 : 69), "\(result)")
        #expect(
          (result.output + result.errors).contains("restore a backup from before the upgrade"), "\(result)")
      }
      try await run(["sqlite3", "state/yard.sqlite", "PRAGMA user_version = 5"], in: folder)
      try await refused("newer Beaconkeeper (layout 99)", folder)
    }
  }

  @Test func `what lies elsewhere is restored when it is asked for`() async throws {
    try await still { folder in
      let elsewhere = FileManager.default.temporaryDirectory.appendingPathComponent("elsewhere-\(UUID())")
        .path
      try Data("secret\n".utf8).write(to: URL(fileURLWithPath: elsewhere))
      defer { unlink(elsewhere) }
      chmod(elsewhere, 0o600)
      try Data(
        "gateway: { name: yard }\nbroker: { url: mqtt://127.0.0.1, username: a, password_file: \(elsewhere) }\n"
          .utf8
      ).write(to: folder.appendingPathComponent("yard.yaml"))
      unlink(folder.path + "/b")
      #expect(try await command(["backup", "--config", "yard.yaml", "b"], folder).status == 0)
      unlink(elsewhere)
      let without = try await command(["restore", "--config", "yard.yaml", "b"], folder)
      #expect(without.status == 0 && without.errors.contains("add --elsewhere"), "\(without)")
      #expect(access(elsewhere, F_OK) != 0)
      let with = try await command(["restore", "--config", "yard.yaml", "b", "--elsewhere"], folder)
      #expect(with.status == 0 && access(elsewhere, F_OK) == 0, "\(with)")
      var status = stat()
      #expect(stat(elsewhere, &status) == 0 && status.st_mode & 0o777 == 0o600)
      let nowhere = try await command(["restore", "b"], folder)
      #expect(nowhere.status == 78 && nowhere.errors.contains("--config"), "\(nowhere)")
    }
  }

  @Test func `what is broken now does not hinder what was good then`() async throws {
    try await still { folder in
      let keys = folder.appendingPathComponent("keys.yaml")
      try Data("anna: 00112233445566778899aabbccddeeff\n".utf8).write(to: keys)
      chmod(keys.path, 0o600)
      for path in ["keys.yaml", keys.path] {
        unlink(folder.path + "/b")
        try Data("gateway: { name: yard }\nbroker: embedded\nkeys_file: \(path)\n".utf8).write(
          to: folder.appendingPathComponent("yard.yaml"))
        #expect(try await command(["backup", "--config", "yard.yaml", "b"], folder).status == 0)
        let good = try Data(contentsOf: keys)
        try Data("anna: no key\n".utf8).write(to: keys)
        try Data("broken: [\n".utf8).write(to: folder.appendingPathComponent("yard.yaml"))
        let result = try await command(["restore", "--config", "yard.yaml", "b"], folder)
        #expect(result.status == 0, "\(result)")
        #expect(try Data(contentsOf: keys) == good)
      }
    }
  }

  @Test func `a restore that cannot finish leaves all as it was`() async throws {
    try await still { folder in
      // A folder stands where the last file belongs, and cannot be replaced by one.
      unlink(folder.path + "/state/yard.topics")
      mkdir(folder.path + "/state/yard.topics.restore-new", 0o700)
      try await refused("b: ", status: 74, folder)
      rmdir(folder.path + "/state/yard.topics.restore-new")
      let result = try await command(["restore", "--config", "yard.yaml", "b"], folder)
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test func `a restore that power cuts between two names is noticed by all, and finished by the next`()
    async throws
  {
    try await still { folder in
      try await run(["cc", "-shared", "-fPIC", "-o", "shim.so", DiskStage.shim.path, "-ldl"], in: folder)
      let names = ["state/yard.sqlite", "state/yard.topics", "yard.yaml"]
      let wanted = try contents(folder).filter { names.contains($0.key) }
      for cut in 1...4 {
        try Data("gateway: { name: yard }\nbroker: embedded\n# of before\n".utf8).write(
          to: folder.appendingPathComponent("yard.yaml"))
        try Data("of before\n".utf8).write(to: folder.appendingPathComponent("state/yard.topics"))
        let result = try await command(
          ["restore", "--config", "yard.yaml", "b"], folder,
          ["LD_PRELOAD=\(folder.path)/shim.so", "CUT=\(cut)"])
        let mark = folder.path + "/state/yard.restoring"
        guard cut < 4 else {
          #expect(result.status == 0 && access(mark, F_OK) != 0, "\(result)")
          continue
        }
        #expect(result.status == 128 + SIGKILL && access(mark, F_OK) == 0, "\(cut): \(result)")
        // Until the state is whole, the configuration is the one of before.
        let text = try String(contentsOf: folder.appendingPathComponent("yard.yaml"), encoding: .utf8)
        #expect(text.contains("# of before"), "\(cut)")
        let before = try contents(folder)
        for arguments in [["run"], ["backup", "c"], ["doctor"]] {
          let result = try await command(arguments + ["--config", "yard.yaml"], folder)
          #expect(result.status == (arguments == ["doctor"] ? 69 : 65) && result.isCalm, "\(cut): \(result)")
          #expect((result.output + result.errors).contains("a restore has not finished"), "\(cut): \(result)")
        }
        // A file that the configuration names may be missing, too.
        let unreadable = folder.appendingPathComponent("unreadable.yaml")
        try Data("nonsense: 1\n".utf8).write(to: unreadable)
        for arguments in [["run"], ["backup", "c"], ["doctor"]] {
          let result = try await command(arguments + ["--config", "unreadable.yaml"], folder)
          #expect(result.status == 78 && result.isCalm, "\(cut): \(result)")
          #expect((result.output + result.errors).contains("a restore has not finished"), "\(cut): \(result)")
        }
        try FileManager.default.removeItem(at: unreadable)
        #expect(try contents(folder) == before, "\(cut)")
        let again = try await command(["restore", "--config", "yard.yaml", "b"], folder)
        #expect(again.status == 0 && access(mark, F_OK) != 0, "\(cut): \(again)")
        #expect(try contents(folder).filter { names.contains($0.key) } == wanted, "\(cut)")
      }
    }
  }

  @Test func `a disk on which nothing can be put back is not called untouched`() async throws {
    try await still { folder in
      try await run(["cc", "-shared", "-fPIC", "-o", "shim.so", DiskStage.shim.path, "-ldl"], in: folder)
      let result = try await command(
        ["restore", "--config", "yard.yaml", "b"], folder, ["LD_PRELOAD=\(folder.path)/shim.so", "BROKEN=2"])
      #expect(result.status == 65 && result.errors.contains("a restore has not finished"), "\(result)")
      #expect(!result.errors.contains("nothing was done"), "\(result)")
      let again = try await command(["restore", "--config", "yard.yaml", "b"], folder)
      #expect(again.status == 0 && access(folder.path + "/state/yard.restoring", F_OK) != 0, "\(again)")
    }
  }

  @Test func `of two restores at once, one is refused`() async throws {
    try await still { folder in
      for place in [folder.path, folder.path + "/state"] {
        let other = open(place, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        #expect(flock(other, LOCK_EX | LOCK_NB) == 0)
        try await refused("another restore is at work in \(place)", status: 69, folder)
        close(other)
      }
      #expect(try await command(["restore", "--config", "yard.yaml", "b"], folder).status == 0)
    }
  }
}
