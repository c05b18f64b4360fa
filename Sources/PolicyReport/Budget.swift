/// How much detail a page has room for: the more cards, the less on each. So its size is bounded.
struct Budget {
  /// Rows of near triggers on each card.
  let nears: Int
  /// Rows of states on each card.
  let states: Int
  /// Entries of each kind that the script gets for each card.
  let entries: Int

  init(cards: Int) {
    let cards = max(1, cards)
    nears = min(max(1000 / cards, 6), 60)
    states = min(max(4000 / cards, 20), 100)
    entries = min(max(40_000 / cards, 200), 8000)
  }
}
