/// How much detail a page has room for: the more cards, the less on each. So the size of the page is bounded.
struct Budget {
  /// Rows of near triggers on each card.
  let nears: Int
  /// Rows of states on each card.
  let states: Int
  /// Bars of a strip with words on them; further ones are drawn as one shape.
  let bars: Int
  /// Entries of each kind that the script gets for each card.
  let entries: Int
  /// Points of each curve of the distance.
  let points: Int

  init(cards: Int) {
    let cards = max(1, cards)
    nears = min(max(600 / cards, 6), 60)
    states = min(max(2000 / cards, 12), 100)
    bars = min(max(5000 / cards, 50), 500)
    entries = min(max(12_000 / cards, 80), 8000)
    points = min(max(12_000 / cards, 100), DistanceCurve.limit)
  }
}
