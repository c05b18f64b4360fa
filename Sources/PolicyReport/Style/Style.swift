import Pages

extension Style {
  /// Of the pages on phones.
  static let sheet = [page, chart, controls, screen].joined(separator: "\n")
}
