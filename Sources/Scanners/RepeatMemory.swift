/// The last time that each device's scanner told of it, to notice repetitions. The size is fixed: another device may take a place,
/// and then one repetition passes.
struct RepeatMemory: Sendable {
  private static let places = 4096
  private var times: [(device: Int, time: Int)] = []

  /// Whether this device was heard at the same time according to the last message.
  mutating func isRepeated(_ device: some Hashable, at time: String) -> Bool {
    if times.isEmpty { times = Array(repeating: (0, 0), count: Self.places) }
    let (device, time) = (device.hashValue, time.hashValue)
    let place = Int(UInt(bitPattern: device) % UInt(Self.places))
    defer { times[place] = (device, time) }
    return times[place] == (device, time)
  }
}
