import Settings

/// Reads one of a few words.
func readChoice<Choice: RawRepresentable<String> & CaseIterable>(
  _ value: Value, hint: String? = nil
) -> Choice? {
  guard let text = value.text() else { return nil }
  if let choice = Choice(rawValue: text) { return choice }
  let known = Choice.allCases.map(\.rawValue)
  return value.refused(
    "\(value.name) must be \(listed(known)), not \(quoted(text))",
    hint: nearest(to: text, among: known).map { "did you mean \($0)?" } ?? hint)
}
