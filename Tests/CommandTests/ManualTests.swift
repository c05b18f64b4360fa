import Foundation
import TestSupport
import Testing

/// The manual and the README: links lead somewhere, the program understands each of its commands, scripts draw the pictures.
@Suite struct ManualTests {
  private static let folder = Command.package.appendingPathComponent(
    "Sources/beaconkeeper/Documentation.docc")

  private struct Page {
    var file: URL
    /// Lines outside of blocks, and those of each block of code.
    var prose: [String] = []
    var blocks: [[String]] = []

    init(_ file: URL) throws {
      self.file = file
      var isFenced = false
      var wasCode = false
      for line in try String(contentsOf: file, encoding: .utf8).split(
        separator: "\n", omittingEmptySubsequences: false)
      {
        if line.drop(while: { $0 == " " }).hasPrefix("```") {
          isFenced.toggle()
          wasCode = false
          continue
        }
        // In a list, four spaces are the item's own text.
        let isCode = isFenced || line.hasPrefix("    ") && (wasCode || (prose.last ?? "").isEmpty)
        if isCode {
          if !wasCode { blocks.append([]) }
          blocks[blocks.count - 1].append(String(line))
        } else {
          prose.append(String(line))
        }
        wasCode = isCode
      }
    }

    /// What a forge calls the headings.
    var anchors: Set<String> {
      Set(
        prose.filter { $0.hasPrefix("#") }.map { line in
          String(
            line.drop { $0 == "#" || $0 == " " }.lowercased().filter {
              $0.isLetter || $0.isNumber || "-_ ".contains($0)
            }.map { $0 == " " ? "-" : $0 })
        })
    }

    var links: [String] {
      prose.joined(separator: " ").matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }
    }

    /// Lines of blocks, continued ones in one, and what the text has between backquotes.
    var commands: [String] {
      let lines = blocks.flatMap { block -> [String] in
        block.joined(separator: "\n").replacing(#/\\\n\s*/#, with: "").split(separator: "\n").map(String.init)
      }
      return lines + prose.joined(separator: " ").matches(of: #/`([^`]+)`/#).map { String($0.1) }
    }
  }

  private static func pages() throws -> [Page] {
    let manual = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "md" }
    let others = ["README.md", "CONTRIBUTING.md"].map(Command.package.appendingPathComponent)
    return try (manual + others).sorted { $0.path < $1.path }.map(Page.init)
  }

  @Test func linksLeadSomewhere() throws {
    let pages = try Self.pages()
    let anchors = Dictionary(
      uniqueKeysWithValues: pages.map { ($0.file.standardizedFileURL.path, $0.anchors) })
    var count = 0
    for page in pages {
      for link in page.links where !link.contains("://") {
        count += 1
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false).map(
          String.init)
        let target =
          parts[0].isEmpty
          ? page.file : page.file.deletingLastPathComponent().appendingPathComponent(parts[0])
        let path = target.standardizedFileURL.path
        #expect(FileManager.default.fileExists(atPath: path), "\(page.file.lastPathComponent): \(link)")
        if parts.count > 1 {
          #expect(anchors[path]?.contains(parts[1]) == true, "\(page.file.lastPathComponent): \(link)")
        }
      }
    }
    #expect(count > 100)
  }

  @Test func theFirstPageListsAll() throws {
    let first = try String(
      contentsOf: Self.folder.appendingPathComponent("Documentation.md"), encoding: .utf8)
    for page in try Self.pages() where page.file.path.hasPrefix(Self.folder.path) {
      let name = page.file.lastPathComponent
      #expect(name == "Documentation.md" || first.contains("](\(name))"), "\(name)")
    }
  }

  /// A fragment may name zones, rooms and beacons that the reader has.
  @Test func theConfigurationsAreUsable() async throws {
    let schema = try JSONSerialization.jsonObject(
      with: Data(contentsOf: Command.package.appendingPathComponent("config/beaconkeeper.schema.json")))
    let keys = try #require((schema as? [String: Any])?["properties"] as? [String: Any])
    var count = 0
    for page in try Self.pages() {
      for block in page.blocks {
        let first = block.first { !$0.isEmpty && !$0.hasPrefix("#") } ?? ""
        let indent = first.prefix { $0 == " " }.count
        let line = first.dropFirst(indent)
        guard let colon = line.firstIndex(of: ":"), keys[String(line[..<colon])] != nil else { continue }
        let rest = line[colon...].dropFirst()
        guard rest.isEmpty || rest.hasPrefix(" ") else { continue }
        count += 1
        let yaml = block.map { String($0.dropFirst(indent)) }.joined(separator: "\n") + "\n"
        let result = try await Command(["check", "--elsewhere", try file(yaml, "yaml")]).end()
        let errors = result.errors.split(separator: "\n").filter {
          $0.contains(": error: ") && !$0.contains(#/there is no (zone|room|beacon) “/#)
        }
        #expect(errors.isEmpty && result.isCalm, "\(page.file.lastPathComponent):\n\(yaml)\n\(result.errors)")
      }
    }
    #expect(count > 25)
  }

  @Test func scriptsDrawThePictures() throws {
    let config = Command.package.appendingPathComponent("config")
    let scripts = try FileManager.default.contentsOfDirectory(at: config, includingPropertiesForKeys: nil)
      .filter { $0.lastPathComponent.hasPrefix("draw-") }
      .map { try String(contentsOf: $0, encoding: .utf8) }
    for page in try Self.pages() {
      for link in page.links where link.hasSuffix(".png") || link.hasSuffix(".svg") {
        let name = URL(fileURLWithPath: link).lastPathComponent
        #expect(scripts.contains { $0.contains(name) }, "no script of config/draw-* draws \(name)")
      }
    }
  }

  @Test func scriptsThatAreNamedAreThere() throws {
    for page in try Self.pages() {
      for command in page.commands {
        for words in Shell.commands(of: command) {
          guard let first = words.first, first.hasPrefix("deploy/") || first.hasPrefix("Tests/"),
            !first.contains("<")
          else {
            continue
          }
          let file = Command.package.appendingPathComponent(first)
          #expect(
            FileManager.default.fileExists(atPath: file.path), "\(page.file.lastPathComponent): \(command)")
          guard words.count > 1, let text = try? String(contentsOf: file, encoding: .utf8) else { continue }
          for option in words.dropFirst() where option.hasPrefix("--") {
            let name = String(option.prefix { $0 != "=" })
            #expect(text.contains(name), "\(page.file.lastPathComponent): \(first) knows no \(name)")
          }
        }
      }
    }
  }

  /// Each is given one option more, which there is not: the program reads the whole line, complains of that option only, and does nothing.
  @Test func theProgramUnderstandsEachCommand() async throws {
    let none = "--no-such-option-of-the-manual"
    var tried: Set<[String]> = []
    for page in try Self.pages() {
      for command in page.commands {
        for words in Shell.commands(of: command) {
          guard let first = words.first, first == "beaconkeeper" || first.hasSuffix("release/beaconkeeper")
          else {
            continue
          }
          let arguments = Array(words.dropFirst())
          // `beaconkeeper` alone, and topics and access lists that begin with it, are no commands.
          guard let name = arguments.first, name.first?.isLetter == true, tried.insert(arguments).inserted
          else {
            continue
          }
          let result = try await Command(arguments + [none]).end()
          // It says so of the command itself, or there is no command of this name. A name alone is no whole line.
          #expect(
            result.status == 64 && result.errors.contains("Usage: beaconkeeper \(name)")
              && (result.errors.contains("Unknown option '\(none)'") || arguments.count == 1),
            "\(page.file.lastPathComponent): \(command)\n\(result.errors)")
        }
      }
    }
    #expect(tried.count > 50)
  }
}

/// What a line of a shell would run, as words.
private enum Shell {
  static func commands(of line: String) -> [[String]] {
    var found: [[String]] = [[]]
    var word: String?
    var quote: Character?
    func end() {
      if let whole = word { found[found.count - 1].append(whole) }
      word = nil
    }
    scan: for character in line {
      switch character {
      case _ where quote != nil:
        if character == quote { quote = nil } else { word = (word ?? "") + String(character) }
      case "'", "\"":
        quote = character
        word = word ?? ""
      case "#" where word == nil: break scan
      case "|", ";", "&", "(", ")":
        end()
        found.append([])
      case " ", "\t": end()
      default: word = (word ?? "") + String(character)
      }
    }
    end()
    return found.map(plain).filter { !$0.isEmpty }
  }

  /// Without the prompt, `sudo`, variables and where output goes.
  private static func plain(_ words: [String]) -> [String] {
    var words = words.drop {
      $0 == "$" || $0 == "sudo" || $0 == "-" || $0 == "run:" || $0.contains(#/^[A-Z_]+=/#)
    }
    if let out = words.firstIndex(where: { $0.hasPrefix(">") || $0.hasPrefix("<") }) { words = words[..<out] }
    return Array(words)
  }
}
