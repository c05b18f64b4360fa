/// Codes many numbers of which most equal the previous one, such as the probabilities of a large site's rooms, in 32-bit words.
/// Each run begins with a count: positive, of equal numbers, which are written once; negative, of numbers that are written one
/// by one.
package enum PackedNumbers {
  /// Fewer equal numbers are written one by one.
  private static let least = 4

  /// - Parameter words: the result; earlier content is replaced.
  package static func pack(_ numbers: [Float], into words: inout [UInt32]) {
    words.removeAll(keepingCapacity: true)
    var place = 0
    var unwritten = 0
    while place < numbers.count {
      let pattern = numbers[place].bitPattern
      var end = place + 1
      while end < numbers.count, numbers[end].bitPattern == pattern { end += 1 }
      if end - place >= least {
        appendEach(numbers, unwritten..<place, to: &words)
        words.append(UInt32(truncatingIfNeeded: end - place))
        words.append(pattern)
        unwritten = end
      }
      place = end
    }
    appendEach(numbers, unwritten..<place, to: &words)
  }

  private static func appendEach(_ numbers: [Float], _ places: Range<Int>, to words: inout [UInt32]) {
    if places.isEmpty { return }
    words.append(UInt32(bitPattern: -Int32(truncatingIfNeeded: places.count)))
    for place in places { words.append(numbers[place].bitPattern) }
  }

  /// - Parameter numbers: must have the original count.
  package static func unpack(_ words: [UInt32], into numbers: inout [Float]) {
    var (word, place) = (0, 0)
    while word < words.count {
      let length = Int(Int32(bitPattern: words[word]))
      word += 1
      if length > 0 {
        let number = Float(bitPattern: words[word])
        word += 1
        for other in place..<(place + length) { numbers[other] = number }
        place += length
      } else {
        for _ in 0..<(-length) {
          numbers[place] = Float(bitPattern: words[word])
          word += 1
          place += 1
        }
      }
    }
  }
}

extension StateCoder {
  package mutating func write(packed words: [UInt32]) {
    for word in words { append(word) }
  }
}

extension StateCoder {
  /// - Parameter count: how many numbers were packed.
  package mutating func read(packed count: Int) throws(StateError) -> [UInt32] {
    var words: [UInt32] = []
    var rest = count
    while rest > 0 {
      let length: Int32 = try read()
      guard length != 0, length.magnitude <= rest else { throw damaged }
      rest -= Int(length.magnitude)
      words.append(UInt32(bitPattern: length))
      for _ in 0..<(length > 0 ? 1 : length.magnitude) { words.append(try read()) }
    }
    return words
  }
}
