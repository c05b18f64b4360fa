import Settings

/// Why a configuration's text is not changed, in plain words.
public struct EditRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  public var reason: String
  public var remedy: String?
  /// What `check` says of the file as it is, or as it would be.
  public var diagnostics: [Diagnostic]
  /// What was meant, to paste; nil: it would not be valid anywhere.
  public var yaml: String?

  init(_ reason: String, remedy: String? = nil, diagnostics: [Diagnostic] = [], yaml: String? = nil) {
    self.reason = reason
    self.remedy = remedy
    self.diagnostics = diagnostics
    self.yaml = yaml
  }

  public var description: String { remedy.map { "\(reason): \($0)" } ?? reason }
}

/// A part of YAML that the editor leaves to people.
struct Unsupported: Error {
  var reason: String
  /// What `check` would say of the changed file.
  var diagnostics: [Diagnostic]

  init(_ reason: String, diagnostics: [Diagnostic] = []) {
    self.reason = reason
    self.diagnostics = diagnostics
  }
}
