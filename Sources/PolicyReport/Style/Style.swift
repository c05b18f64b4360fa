/// The look of the page: on wide screens, phones and paper, by day and by night. No fonts or pictures.
enum Style {
  static let sheet = [page, chart, controls, screen].joined(separator: "\n")
}
