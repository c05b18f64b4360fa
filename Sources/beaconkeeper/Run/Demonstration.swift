import Configuration
import Core
import FoundationEssentials
import Gateway

/// The recorded walk for a machine without a radio. It is decided by a copy of its configuration, so that its page may change that.
struct Demonstration: CustomStringConvertible {
  private let walk: String
  let folder: PrivateFolder
  /// The copy.
  let configuration: String
  /// For changes on the page.
  private let password = inventedPassword(groups: 2)

  init() throws {
    guard let source = Self.find() else {
      throw failure(
        "the demo's demo.yaml and walk.jsonl are neither in ./config nor in /usr/share/beaconkeeper; install the package, or run "
          + "this in Beaconkeeper's folder", .unavailable)
    }
    walk = source + "/walk.jsonl"
    let text = String(decoding: try InputText(path: source + "/demo.yaml").bytes(), as: UTF8.self)
    folder = try attempt(.inputOutput) { try PrivateFolder("demo") }
    let page = "http: { "
    let copy = text.replacing(page, with: page + "write_password_file: password, ")
    guard folder.write(password + "\n", as: "password") != nil, let path = folder.write(copy, as: "demo.yaml")
    else {
      folder.remove()
      throw failure("\(folder.path): cannot be written", .inputOutput)
    }
    configuration = path
  }

  var input: GatewayRun.Input { .walk(path: walk, sandbox: folder.path) }

  var description: String {
    """
    plays the recorded walk \(walk) in real time
    beaconkeeper: the page may change a copy, \(configuration), until the end; its password is \(password)
    """
  }

  /// The folder with the walk and its configuration: in the working directory, beside the program's sources, or where a package
  /// installs it.
  private static func find() -> String? {
    var folders = ["config"]
    var folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
    for _ in 0..<4 {
      folders.append(folder.appendingPathComponent("config").path)
      folder.deleteLastPathComponent()
    }
    folders.append("/usr/share/beaconkeeper")
    return folders.first { folder in
      ["/demo.yaml", "/walk.jsonl"].allSatisfy { FileManager.default.fileExists(atPath: folder + $0) }
    }
  }
}
