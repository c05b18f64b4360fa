import Foundation
import TestSupport
import Testing

@testable import Core

@Suite struct JSONWriterTests {
  @Test func keepsTheOrderOfFields() {
    let json = JSONWriter.object {
      $0.field("z", 1)
      $0.key("list")
      $0.array([1, 2]) { $0.value($1) }
      $0.key("inner")
      $0.object { _ in }
      $0.field("a", true)
    }
    #expect(String(decoding: json, as: UTF8.self) == #"{"z":1,"list":[1,2],"inner":{},"a":true}"#)
  }

  @Test func escapesQuotesAndControlCharacters() {
    var writer = JSONWriter()
    writer.value("a\"b\\c\n\u{0}\u{7F}é")
    #expect(writer.text == #""a\"b\\c\u000a\u0000\u007fé""#)
  }

  @Test(arguments: [
    (1.4, 2, "1.4"), (-61, 1, "-61"), (0.005, 2, "0.01"), (-0.001, 2, "0"), (2.5, 0, "3"), (100, 2, "100"),
    (1.05, 2, "1.05"), (1e12, 2, "1000000000000.0"), (999_999_999.999_999_9, 3, "1000000000"),
    (-0.000_000_001, 9, "-0.000000001"), (123_456.500_1, 4, "123456.5001"), (-0.0, 3, "0"),
    (-Double.greatestFiniteMagnitude, 2, "-1.7976931348623157e+308"), (0.125, 2, "0.13"),
    (-0.125, 2, "-0.13"), (0.49999999999999994, 0, "0"), (0.5, 0, "1"), (-0.5, 0, "-1"), (-0.4, 0, "0"),
    (1.05, 9, "1.05"), (7.000_000_01, 8, "7.00000001"), (-999_999_999.5, 0, "-1000000000"),
    (1e9, 2, "1000000000.0"), (-1e9, 2, "-1000000000.0"), (1e-300, 9, "0"),
  ])
  func writesNumbersShortAndRounded(number: Double, decimals: Int, text: String) {
    #expect(decimal(number, decimals: decimals) == text)
  }

  /// As it was first written: rounded by the C library, the fraction filled up with zeros and cut off behind its last digit.
  private func plain(_ number: Double, decimals: Int) -> String {
    var scale: UInt64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let scaled = Int64((number * Double(scale)).rounded())
    let sign = scaled < 0 ? "-" : ""
    let (whole, rest) = scaled.magnitude.quotientAndRemainder(dividingBy: scale)
    if rest == 0 { return sign + String(whole) }
    var digits = String(rest)
    digits = String(repeating: "0", count: decimals - digits.count) + digits
    while digits.last == "0" { digits.removeLast() }
    return sign + "\(whole)." + digits
  }

  @Test(arguments: 0...9) func writesAnyNumberAsThePlainFormulaDoes(decimals: Int) {
    var chance = SeededGenerator(seed: 1)
    for _ in 0..<3000 {
      let magnitude = 1_000_000_000 * pow(10, -Double.random(in: 0...15, using: &chance))
      let number = Double.random(in: -magnitude...magnitude, using: &chance)
      // Beside what is random: halves, and their neighbours.
      let half = (number * 8).rounded() / 8
      for number in [number, half, half.nextUp, half.nextDown] where abs(number) < 1e9 {
        #expect(decimal(number, decimals: decimals) == plain(number, decimals: decimals), "\(number)")
      }
    }
  }

  @Test func writesIntegersOfEveryLength() {
    var number: UInt64 = 1
    while true {
      for near in [number - 1, number, number + 1, number * 9] {
        #expect(
          String(utf8Capacity: 24) { $0.append(digits: near) } == "\(near)")
      }
      guard number <= UInt64.max / 100 else { break }
      number *= 10
    }
  }

  @Test func writesTheLargestInteger() {
    var writer = JSONWriter()
    writer.value(UInt64.max)
    #expect(writer.text == "18446744073709551615")
  }

  @Test func writesHexadecimalDigitsOfAnyNumber() {
    var chance = SeededGenerator(seed: 1)
    for _ in 0..<1000 {
      let number =
        UInt128.random(in: 0 ... .max, using: &chance) >> UInt128.random(in: 0...127, using: &chance)
      let text = String(number, radix: 16)
      let written = String(utf8Capacity: 32) { $0.append(hexadecimal: number) }
      #expect(written == String(repeating: "0", count: 32 - text.count) + text)
    }
  }

  @Test(arguments: [
    (0, "0"), (9, "9"), (10, "10"), (-1, "-1"), (Int64.max, "9223372036854775807"),
    (Int64.min, "-9223372036854775808"),
  ])
  func writesIntegersInFull(number: Int64, text: String) {
    var writer = JSONWriter()
    writer.value(number)
    #expect(writer.text == text)
  }

  @Test func writesTheLargestNumbersOfEachWidth() {
    var writer = JSONWriter()
    writer.array([UInt128(UInt64.max), .max]) { $0.value($1) }
    #expect(writer.text == "[18446744073709551615,340282366920938463463374607431768211455]")
  }

  @Test(arguments: 0...40) func escapesAtEveryPlaceOfATextOfAnyLength(length: Int) {
    for place in 0..<length {
      var text = [UInt8](repeating: UInt8(ascii: "x"), count: length)
      text[place] = 0x1F
      var writer = JSONWriter()
      writer.key(named: String(decoding: text, as: UTF8.self))
      writer.value(true)
      let (before, after) = (
        String(repeating: "x", count: place), String(repeating: "x", count: length - place - 1)
      )
      #expect(writer.text == #""\#(before)\u001f\#(after)":true"#)
    }
  }

  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func writesNullForNonFiniteNumbers(number: Double) {
    var writer = JSONWriter()
    writer.value(number, decimals: 1)
    #expect(writer.text == "null")
  }
}
