import TestSupport
import Testing

@testable import Configuration

/// What was probably meant is found as by the textbook, and at a price that a hostile file cannot raise.
@Suite struct SuggestionTests {
  /// Optimal string alignment, cell by cell.
  private func reference(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar]) -> Int {
    var cells = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for i in 0...a.count {
      for j in 0...b.count {
        if i == 0 || j == 0 {
          cells[i][j] = i + j
          continue
        }
        let isSame = a[i - 1] == b[j - 1]
        cells[i][j] = min(
          cells[i - 1][j] + 1, cells[i][j - 1] + 1, cells[i - 1][j - 1] + (isSame ? 0 : 1))
        if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] {
          cells[i][j] = min(cells[i][j], cells[i - 2][j - 2] + 1)
        }
      }
    }
    return cells[a.count][b.count]
  }

  private func word(_ letters: String, upTo length: Int, using random: inout SeededGenerator) -> String {
    String(
      (0..<Int.random(in: 0...length, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a"
      })
  }

  @Test func distancesAreThoseOfTheTextbook() {
    var random = SeededGenerator(seed: 7)
    var measure = EditDistance()
    for _ in 0..<20_000 {
      let a = Array(word("abc", upTo: 9, using: &random).unicodeScalars)
      let b = Array(word("abc", upTo: 9, using: &random).unicodeScalars)
      let limit = Int.random(in: 0...5, using: &random)
      let expected = reference(a, b)
      #expect(
        measure.distance(a, b, atMost: limit) == (expected <= limit ? expected : nil), "\(a) \(b) \(limit)")
    }
  }

  @Test func theNearestIsFoundAndOfEquallyNearTheFirst() {
    var random = SeededGenerator(seed: 8)
    for _ in 0..<2_000 {
      let written = word("abcd", upTo: 8, using: &random)
      let candidates = (0..<5).map { _ in word("abcd", upTo: 8, using: &random) }
      let near = candidates.filter { candidate in
        let shorter = min(written.count, candidate.count)
        let distance = reference(Array(written.unicodeScalars), Array(candidate.unicodeScalars))
        return distance <= max(1, shorter / 3) && distance < shorter
      }
      let expected = near.min {
        let (a, b) = (
          reference(Array(written.unicodeScalars), Array($0.unicodeScalars)),
          reference(Array(written.unicodeScalars), Array($1.unicodeScalars))
        )
        return (a, $0) < (b, $1)
      }
      #expect(nearest(to: written, among: candidates) == expected, "\(written) \(candidates)")
    }
  }

  /// 8,000 names and as many that are like all of them.
  @Test(.timeLimit(.minutes(10))) func manyMisspeltNamesAreReportedTogether() throws {
    var lines = ["beacons:"]
    for number in 0..<8000 {
      let high = String(0x10 + number / 200, radix: 16)
      let low = String(0x10 + number % 200, radix: 16)
      lines.append("  - { name: n\(10_000 + number), address: \"C1:00:00:00:\(high):\(low)\" }")
    }
    lines.append(
      "zones: [{ name: z, beacons: [" + (0..<8000).map { "m\(10_000 + $0)" }.joined(separator: ", ") + "] }]")
    let errors = try #require(throws: ConfigurationErrors.self) {
      try Configuration.read(
        Array(lines.joined(separator: "\n").utf8), path: "test.yaml", environment: [:], hostName: "host")
    }
    #expect(errors.diagnostics.count >= 200)
    #expect(errors.diagnostics[0].hint?.contains("did you mean n1") == true)
    #expect(errors.diagnostics.allSatisfy { ($0.hint ?? "").utf8.count < 1000 })
  }

  @Test func onlyAFewOfManyNamesAreListed() {
    let names = (100..<200).map(String.init)
    #expect(enumerated(names).hasSuffix("122, 123 and 76 more"))
    #expect(enumerated(["b", "a"]) == "a and b")
  }
}
