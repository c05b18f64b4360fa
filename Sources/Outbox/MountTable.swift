import FoundationEssentials

/// Which kind of file system contains a path (proc_pid_mountinfo(5), the format of `/proc/self/mounts`).
struct MountTable {
  private let mounts: [(place: String, kind: String)]

  init(_ text: String) {
    mounts = text.split(separator: "\n").compactMap { line -> (place: String, kind: String)? in
      let fields = line.split(separator: " ")
      guard fields.count >= 3 else { return nil }
      return (String(fields[1].replacing("\\040", with: " ")), String(fields[2]))
    }
  }

  static var current: MountTable {
    MountTable((try? String(contentsOfFile: "/proc/self/mounts", encoding: .utf8)) ?? "")
  }

  /// Whether files there are lost when the machine restarts.
  func isInMemory(_ path: String) -> Bool {
    // Of two mounts at the same place, the later one covers the other.
    let holder = mounts.enumerated()
      .filter { ("\(path)/").hasPrefix($0.element.place == "/" ? "/" : $0.element.place + "/") }
      .max { ($0.element.place.count, $0.offset) < ($1.element.place.count, $1.offset) }
    return ["tmpfs", "ramfs"].contains(holder?.element.kind)
  }
}
