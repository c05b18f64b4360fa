import Beacons
import Core

/// Collects the entries of any format, and turns wall time into monotonic time.
struct CaptureOutput: Sendable {
  var batch = AdvertisementBatch()
  /// An entry that is not an advertisement, and so comes between batches.
  var event: CaptureDecoder.Step?
  var receivers = ReceiverTable()
  var malformedEvents: Int64 = 0
  /// Lines of a live source that were refused, since they were taken; the first few.
  private(set) var refusals: [CaptureError] = []
  /// How many there are.
  private(set) var refused: UInt64 = 0
  private static let refusalLimit = 16
  private(set) var wallTime = WallTime(nanoseconds: 0)

  private var clock = RecordingClock()
  /// By receiver index; each controller has its own incomplete fragments.
  private var reports: [AdvertisingReports] = []
  /// The receiver for captures without adapter numbers.
  private var fallbackIndex: ReceiverIndex?
  /// By adapter number; monitor captures have few adapters and look one up for each event.
  private var adapters: [UInt16: ReceiverIndex] = [:]
  private var latestAdapter: (number: UInt16, index: ReceiverIndex)?

  /// Keeps the advertisements in an HCI event packet (from its event code on).
  mutating func appendEvent(_ event: Span<UInt8>, adapter: UInt16?, wallTime: WallTime) {
    // An LE meta event; only these contain advertisements.
    guard event.count > 2, event[0] == 0x3E else { return }
    guard let receiver = receiver(ofAdapter: adapter) else { return }
    self.wallTime = wallTime
    let time = clock.time(at: wallTime)
    let place = Int(receiver.rawValue)
    while reports.count <= place { reports.append(AdvertisingReports()) }
    do throws(HCIDecline) {
      try reports[place].read(event, receiver: receiver, time: time, wallTime: wallTime) {
        batch.append($0, payload: $1)
      }
    } catch .notAnAdvertisingReport {
      // Other events, such as connections and PHY changes.
    } catch {
      malformedEvents += 1
    }
  }

  mutating func refuse(_ error: CaptureError) {
    refused += 1
    if refusals.count < Self.refusalLimit { refusals.append(error) }
  }

  mutating func takeRefusals() -> (errors: [CaptureError], count: UInt64) {
    defer { (refusals, refused) = ([], 0) }
    return (refusals, refused)
  }

  mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>) {
    var advertisement = advertisement
    advertisement.time = clock.time(at: advertisement.wallTime)
    wallTime = advertisement.wallTime
    batch.append(advertisement, payload: payload)
  }

  mutating func append(_ observation: Observation) {
    var observation = observation
    observation.time = clock.time(at: observation.wallTime)
    wallTime = observation.wallTime
    event = .observation(observation)
  }

  mutating func append(_ report: AppReport) {
    var report = report
    report.time = clock.time(at: report.wallTime)
    wallTime = report.wallTime
    event = .report(report)
  }

  mutating func set(_ health: ReceiverHealth, of receiver: ReceiverIndex, reason: String, wallTime: WallTime)
  {
    self.wallTime = wallTime
    event = .health(
      ReceiverHealthChange(
        receiver: receiver, health: health, reason: reason, time: clock.time(at: wallTime), wallTime: wallTime
      ))
  }

  /// nil if a hostile file has invented more adapters than any machine has.
  private mutating func receiver(ofAdapter adapter: UInt16?) -> ReceiverIndex? {
    guard let adapter else {
      if fallbackIndex == nil { fallbackIndex = receivers.index(of: "hci0") }
      return fallbackIndex
    }
    if let latestAdapter, latestAdapter.number == adapter { return latestAdapter.index }
    guard let index = adapters[adapter] ?? receivers.index(of: "hci\(adapter)") else { return nil }
    adapters[adapter] = index
    latestAdapter = (adapter, index)
    return index
  }
}
