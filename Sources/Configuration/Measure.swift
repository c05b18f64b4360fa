/// The dimension of a number in the configuration, and its units.
package enum Dimension: CaseIterable, Sendable {
  case distance, time, speed, signal, gain, size

  /// Units, each with its size in metres, seconds, metres per second, dBm, dB or octets.
  package var units: [(word: String, factor: Double)] {
    switch self {
    case .distance: [("m", 1), ("cm", 0.01), ("mm", 0.001), ("km", 1000)]
    case .time: [("s", 1), ("ms", 0.001), ("min", 60), ("h", 3600), ("d", 86400)]
    case .speed: [("m/s", 1), ("km/h", 1 / 3.6)]
    case .signal: [("dBm", 1)]
    case .gain: [("dB", 1)]
    case .size: [("MB", 1e6), ("kB", 1e3), ("GB", 1e9)]
    }
  }

  package var noun: String {
    switch self {
    case .distance: "a distance"
    case .time: "a time"
    case .speed: "a speed"
    case .signal: "a signal strength"
    case .gain: "a difference of signal"
    case .size: "a size"
    }
  }

  package var example: String {
    switch self {
    case .distance: "1.5 m"
    case .time: "2 s"
    case .speed: "1 m/s"
    case .signal: "-70 dBm"
    case .gain: "3 dB"
    case .size: "64 MB"
    }
  }
}

/// A number with its unit, such as `1.5 m` or `-72 dBm`.
package struct Measure: Equatable {
  package var dimension: Dimension
  /// In metres, seconds, metres per second, dBm, dB or octets.
  package var value: Double

  package enum Problem: Error, Equatable {
    case notANumber
    case decimalComma(String)
    case unitMissing(String)
    case unitUnknown(String)
  }

  /// Parses number and unit; letter case and the space between them do not matter.
  package init(_ text: String) throws(Problem) {
    // Word processors turn `-` into a typographic minus.
    let written = text.replacing("\u{2212}", with: "-")
    let number = written.prefix { "+-.,0123456789".contains($0) }
    let unit = written.dropFirst(number.count).drop { $0 == " " || $0 == "\u{A0}" || $0 == "\t" }
    if number.isEmpty { throw .notANumber }
    if number.contains(",") { throw .decimalComma(String(number.replacing(",", with: "."))) }
    guard let value = Double(number), value.isFinite else { throw .notANumber }
    if unit.isEmpty { throw .unitMissing(String(number)) }
    let match = Dimension.allCases.lazy.compactMap { dimension in
      dimension.units.first { $0.word.lowercased() == unit.lowercased() }.map { (dimension, $0.factor) }
    }.first
    guard let (dimension, factor) = match else { throw .unitUnknown(String(unit)) }
    self.dimension = dimension
    self.value = value * factor
  }

  package init(_ dimension: Dimension, _ value: Double) {
    self.dimension = dimension
    self.value = value
  }
}

extension Measure: CustomStringConvertible {
  /// A number as text: at most three decimals, without trailing zeros.
  package static func digits(_ value: Double) -> String { shortest(value) }

  /// As text, in the unit that needs the fewest digits: `1.5 m`, `500 ms`, `3 min`.
  package var description: String {
    switch dimension {
    case .distance: abs(value) < 1 ? "\(shortest(value * 100)) cm" : "\(shortest(value)) m"
    case .speed: "\(shortest(value)) m/s"
    case .signal: "\(shortest(value)) dBm"
    case .gain: "\(shortest(value)) dB"
    case .size: value < 1e9 ? "\(shortest(value / 1e6)) MB" : "\(shortest(value / 1e9)) GB"
    case .time:
      if value > 0, value < 1 {
        "\(shortest(value * 1000)) ms"
      } else if value >= 7200, value.truncatingRemainder(dividingBy: 3600) == 0 {
        "\(shortest(value / 3600)) h"
      } else if value >= 120, value.truncatingRemainder(dividingBy: 60) == 0 {
        "\(shortest(value / 60)) min"
      } else {
        "\(shortest(value)) s"
      }
    }
  }
}

/// At most three decimals, without trailing zeros.
private func shortest(_ value: Double) -> String {
  let rounded = (value * 1000).rounded() / 1000
  return rounded == rounded.rounded() && abs(rounded) < 1e15 ? "\(Int64(rounded))" : "\(rounded)"
}
