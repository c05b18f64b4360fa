/// One thing that is wrong, or looks wrong, in a configuration file.
public struct Diagnostic: Hashable, Sendable {
  public enum Severity: String, Hashable, Sendable {
    case error, warning
  }

  /// A place in a file; line and column count from 1, columns in Unicode scalars.
  public struct Position: Hashable, Comparable, Sendable {
    public var line: Int
    public var column: Int

    public init(line: Int, column: Int) {
      self.line = line
      self.column = column
    }

    public static func < (a: Self, b: Self) -> Bool { (a.line, a.column) < (b.line, b.column) }
  }

  public var severity: Severity
  public var file: String
  /// nil if it concerns the whole file (which cannot be read).
  public var position: Position?
  /// What is wrong.
  public var message: String
  /// What was probably meant, or what to do.
  public var hint: String?
}

extension Diagnostic: CustomStringConvertible {
  /// `file:line:column: error: what is wrong`, with the hint on a second line.
  public var description: String {
    let place = position.map { "\(file):\($0.line):\($0.column)" } ?? file
    let remedy = hint.map { "\n  hint: \($0)" } ?? ""
    return "\(place): \(severity.rawValue): \(message)\(remedy)"
  }
}

/// Why a configuration cannot be used: all its errors and warnings, by position.
public struct ConfigurationErrors: Error, Hashable, Sendable {
  public var diagnostics: [Diagnostic]
  public init(_ diagnostics: [Diagnostic]) { self.diagnostics = diagnostics }

  /// EX_CONFIG of sysexits.h.
  public static let exitCode: Int32 = 78
}

extension ConfigurationErrors: CustomStringConvertible {
  public var description: String { diagnostics.map(\.description).joined(separator: "\n") }
}
