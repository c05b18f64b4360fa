import RangingPolicy

/// What phones have to say, in order.
struct PhoneNews: Sendable {
  enum Item: Sendable {
    /// A window, as it stood at a time.
    case window(Window, at: Milliseconds)
    case verdict(Verdict, Phone.Waiting)
  }

  /// With the phone's place in the configuration.
  var items: [(phone: Int, item: Item)] = []
  /// The phone in question.
  var phone = 0
  /// Where engines put what they have to say; empty in between.
  var policy = PolicyOutput()

  mutating func tell(_ item: Item) { items.append((phone, item)) }
}
