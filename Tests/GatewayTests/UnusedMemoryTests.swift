import CUnusedMemory
import Foundation
import Testing

@Suite struct UnusedMemoryTests {
  @Test func whatIsDroppedComesBackAsItWas() {
    let before = [3.25, 1.5, 2].sorted().map { "\($0)" } + [Data([1, 2, 3]).base64EncodedString()]
    for _ in 0..<20 {
      #expect(beaconkeeper_release_untouched_pages() > 1 << 20)
      beaconkeeper_release_freed_memory()
      let after = [3.25, 1.5, 2].sorted().map { "\($0)" } + [Data([1, 2, 3]).base64EncodedString()]
      #expect(after == before)
    }
  }

  @Test func othersMayGoOnMeanwhile() async {
    let sums = await withTaskGroup(of: Int.self) { group in
      for seed in 0..<8 {
        group.addTask {
          var numbers = (0..<20_000).map { ($0 &* 7919 &+ seed) % 10_007 }
          for _ in 0..<5 {
            _ = beaconkeeper_release_untouched_pages()
            beaconkeeper_release_freed_memory()
            numbers.sort()
            numbers = numbers.map { "\($0)" }.compactMap { Int($0) }
          }
          return numbers.reduce(0, +) - (0..<20_000).map { ($0 &* 7919 &+ seed) % 10_007 }.reduce(0, +)
        }
      }
      var sums: [Int] = []
      for await sum in group { sums.append(sum) }
      return sums
    }
    #expect(sums == Array(repeating: 0, count: 8))
  }
}
