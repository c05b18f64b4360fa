/// Many numbers of which most equal the one before, as the probabilities of a large site's rooms do. Each stretch begins with a
/// count: positive, of equal numbers, written once; negative, of numbers that are written one by one.
extension StateWriter {
  /// Fewer equal ones are written one by one.
  private static let least = 4

  public mutating func write(runsOf numbers: Span<Float>) {
    var place = 0
    var unwritten = 0
    while place < numbers.count {
      let end = Self.end(ofRunAt: place, numbers)
      if end - place >= Self.least {
        writeEach(numbers, from: unwritten, to: place)
        append(Int32(end - place))
        write(numbers[place])
        unwritten = end
      }
      place = end
    }
    writeEach(numbers, from: unwritten, to: place)
  }

  private static func end(ofRunAt place: Int, _ numbers: Span<Float>) -> Int {
    let pattern = numbers[place].bitPattern
    var end = place + 1
    while end < numbers.count, numbers[end].bitPattern == pattern { end += 1 }
    return end
  }

  private mutating func writeEach(_ numbers: Span<Float>, from start: Int, to end: Int) {
    guard start < end else { return }
    append(-Int32(end - start))
    for place in start..<end { write(numbers[place]) }
  }
}

extension StateReader {
  /// Appends as many numbers as were written.
  public mutating func read(runsOf count: Int, into numbers: inout [Float]) throws(StateError) {
    var rest = count
    while rest > 0 {
      let length: Int32 = try read()
      guard length != 0, length.magnitude <= rest else { throw damaged }
      rest -= Int(length.magnitude)
      if length > 0 {
        let number: Float = try read()
        numbers.append(contentsOf: repeatElement(number, count: Int(length)))
      } else {
        for _ in 0..<length.magnitude { numbers.append(try read()) }
      }
    }
  }
}
