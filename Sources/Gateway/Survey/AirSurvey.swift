import Beacons
import Captures
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// Every device in range, with its payload and signal, for people who have not configured their beacons yet. The gateway itself
/// tracks configured beacons only.
package struct AirSurvey: Sendable {
  /// The largest number of devices. Phones change their address every quarter of an hour, and a hostile radio may change it
  /// with each packet.
  package static let limit = 4096
  /// When the survey is full, devices not heard for this long are dropped.
  package static let forgetAfter = TimeSpan.seconds(60)
  private static let searchPause = TimeSpan.seconds(1)

  package struct Device: Sendable {
    /// The device's address. If a scanner does not report it, an address that we make up.
    package var address: DeviceAddress
    package var hasAddress = true
    /// The scanner's own name for it.
    package var scannerID: String?
    /// The configured beacon, if it is one.
    package var beacon: String?
    package var localName: String?
    /// The first frame that identifies it, or else the latest of any kind.
    package var frame: Frame?
    fileprivate var maker: UInt16?
    /// Signal in dBm of the latest advertisement.
    package var rssi: Int8?
    package var lastHeard: MonotonicTime
    package var count: Int
    /// The signal at 1 m that the device states, and whether it is believed.
    package var power = StatedPower()
    /// Whether the configuration has the measured power.
    package var hasConfiguredPower = false
    fileprivate var index: BeaconIndex

    /// Whether a scanner's name is for this device alone, and not for all of its make.
    package var hasLastingName: Bool {
      scannerID.map { !SpokenIdentity.isOfMake($0) } ?? false
    }

    /// The maker, if nothing else says what the device is.
    package var vendor: String? {
      switch frame {
      case nil, .noise: maker.flatMap(Vendors.name)
      default: nil
      }
    }

    /// Why the device's own power is not believed; nil: it is believed, or the configuration has another.
    package var complaint: String? { hasConfiguredPower ? nil : power.complaint }
  }

  /// By address.
  private var devices: [DeviceAddress: Device] = [:]
  private var free: [BeaconIndex] = []
  private var roster: Roster
  /// Under which address each configured beacon was heard last.
  private var addresses: [BeaconIndex: DeviceAddress] = [:]
  private var engine = ZoneEngine(site: Site(zones: []))
  private var ignored: [Transition] = []
  /// Advertisements of new devices while the survey was full.
  package private(set) var overlooked: UInt64 = 0
  /// Before this time no search for devices to drop is useful.
  private var nextSearch = MonotonicTime(nanoseconds: .min)
  /// How often all devices were searched.
  private(set) var searches = 0

  /// - Parameter configuration: its beacons appear under their names.
  package init(_ configuration: Configuration) { roster = Roster(configuration) }

  package var count: Int { devices.count }

  /// Adds what scanners heard, and calls `body` with each device.
  package mutating func observe(_ hearing: borrowing Hearing, _ body: (Device) -> Void = { _ in }) {
    for observation in hearing.observations {
      if let known = observe(observation) { body(known) }
    }
    var named: Set<DeviceAddress> = []
    for device in hearing.named {
      if let address = device.address { named.insert(address) }
      if let known = observe(device) { body(known) }
    }
    hearing.batch.forEach { heard, payload in
      if payload.isEmpty, named.contains(heard.address) { return }
      var advertisement = copy heard
      advertisement.receiver = Self.remote(advertisement.receiver)
      // The zero address stands for none.
      let hasAddress = advertisement.address.bits != 0
      if !hasAddress { advertisement.address = Self.address(standingFor: payload) }
      if let known = observe(advertisement, payload: payload, hasAddress: hasAddress) { body(known) }
    }
  }

  private mutating func observe(_ named: NamedDevice) -> Device? {
    let (id, none) = (Array(named.id.utf8), [UInt8]())
    // `tile:c20000000002` has its address in the name, and keeps both.
    let address = named.address.flatMap {
      named.id.lowercased().hasSuffix(":" + hexadecimal(UInt128($0.bits), octets: 6)) ? $0 : nil
    }
    return observe(
      Advertisement(
        receiver: Self.remote(named.receiver), address: address ?? Self.address(standingFor: id.span),
        rssi: named.rssi, time: named.time, wallTime: named.wallTime), payload: none.span,
      hasAddress: address != nil, scannerID: named.id)
  }

  /// A beacon of ours that a scanner knows by its key. It joins the device that radios hear under an address.
  private mutating func observe(_ observation: Observation) -> Device? {
    guard let sighting = roster.sighting(of: observation) else { return nil }
    let key = Array(observation.key.utf8)
    // A device that was forgotten meanwhile comes back without its address, because a report by key has none.
    let heard = addresses[sighting.beacon].flatMap { devices[$0]?.address }
    let address = heard ?? Self.address(standingFor: key.span)
    guard var device = device(at: address, hasAddress: false, heard: observation.time) else { return nil }
    identify(&device, as: sighting.beacon)
    var remote = sighting
    remote.receiver = Self.remote(sighting.receiver)
    note(remote, of: &device)
    return device
  }

  /// Our radios and scanners count their receivers separately.
  private static func remote(_ receiver: ReceiverIndex) -> ReceiverIndex {
    ReceiverIndex(rawValue: receiver.rawValue + UInt16(ReceiverTable.limit))
  }

  private static func address(standingFor identity: Span<UInt8>) -> DeviceAddress {
    var hash = FNV1a()
    hash.combine(identity)
    return DeviceAddress(bits: UInt64(truncatingIfNeeded: hash.value) & 0xFFFF_FFFF_FFFF, kind: .random)
  }

  /// Adds an advertisement and returns its sender; nil if the survey is full, or if the gateway itself sent it.
  @discardableResult
  package mutating func observe(
    _ advertisement: Advertisement, payload: Span<UInt8>, hasAddress: Bool = true, scannerID: String? = nil
  ) -> Device? {
    if let own = roster.ownRegions, own.areSent(by: payload) { return nil }
    guard
      var device = device(
        at: advertisement.address, hasAddress: hasAddress, scannerID: scannerID, heard: advertisement.time)
    else { return nil }
    var measuredPower: Int8?
    FrameDecoder.forEachFrame(in: payload, from: advertisement.address) { result, _ in
      device.maker = device.maker ?? Vendors.number(of: result.source)
      guard case .frame(let frame, _) = result else { return }
      measuredPower = measuredPower ?? frame.measuredPower
      if frame.tellsIdentity || device.frame?.tellsIdentity != true { device.frame = frame }
    }
    measuredPower = device.power.judge(measuredPower, heard: advertisement.rssi)
    if let sighting = roster.sighting(of: advertisement, payload: payload, { _ in }) {
      identify(&device, as: sighting.beacon)
      measuredPower = sighting.measuredPower ?? measuredPower
    }
    if device.localName == nil { device.localName = AdvertisedFields.localName(in: payload) }
    note(
      Sighting(
        beacon: device.index, receiver: advertisement.receiver, rssi: advertisement.rssi,
        measuredPower: measuredPower, time: advertisement.time, wallTime: advertisement.wallTime), of: &device
    )
    return device
  }

  /// The device of an address, new if need be; nil if the survey is full.
  private mutating func device(
    at address: DeviceAddress, hasAddress: Bool, scannerID: String? = nil, heard time: MonotonicTime
  ) -> Device? {
    if let known = devices[address] { return known }
    guard let index = freeIndex(at: time) else {
      overlooked += 1
      return nil
    }
    return Device(
      address: address, hasAddress: hasAddress, scannerID: scannerID, lastHeard: time, count: 0, index: index)
  }

  private mutating func identify(_ device: inout Device, as beacon: BeaconIndex) {
    device.beacon = roster.name(of: beacon)
    device.hasConfiguredPower = roster.hasConfiguredPower(beacon)
    // Once the device's own address is heard, the made-up one is dropped.
    if device.hasAddress, let former = addresses[beacon].flatMap({ devices[$0] }), !former.hasAddress {
      remove(former)
    }
    addresses[beacon] = device.address
  }

  private mutating func note(_ sighting: Sighting, of device: inout Device) {
    var sighting = sighting
    sighting.beacon = device.index
    device.count += 1
    device.lastHeard = sighting.time
    device.rssi = sighting.rssi ?? device.rssi
    if device.count == 1 { engine.admit(device.index, zones: []) }
    engine.observe(sighting, into: &ignored)
    devices[device.address] = device
  }

  private mutating func remove(_ device: Device) {
    devices[device.address] = nil
    // The next device with this index must not begin with the signal of this one.
    _ = engine.retire(device.index)
    free.append(device.index)
  }

  /// The devices with their estimates, the strongest first; nil for the estimate of one that is no longer heard.
  package func listing(at time: MonotonicTime) -> [(device: Device, estimate: Estimate?)] {
    devices.values
      .map { ($0, engine.estimate(of: $0.index)?.estimate) }
      .sorted { a, b in
        let (strong, weak) = (a.1?.rssi ?? -200, b.1?.rssi ?? -200)
        return strong != weak ? strong > weak : a.0.address.bits < b.0.address.bits
      }
  }

  private mutating func freeIndex(at time: MonotonicTime) -> BeaconIndex? {
    if devices.count == Self.limit, time >= nextSearch { forget(at: time) }
    guard devices.count < Self.limit else { return nil }
    return free.popLast() ?? BeaconIndex(rawValue: Int32(devices.count))
  }

  /// Makes room. A hostile radio with a new address in each packet must not cause a search each time.
  private mutating func forget(at time: MonotonicTime) {
    searches += 1
    var oldest = time
    for device in devices.values {
      if time - device.lastHeard > Self.forgetAfter {
        remove(device)
      } else {
        oldest = min(oldest, device.lastHeard)
      }
    }
    nextSearch = max(oldest + Self.forgetAfter, time + Self.searchPause)
  }
}

extension Frame {
  /// Whether it identifies its sender, rather than having readings or events.
  package var tellsIdentity: Bool {
    switch self {
    case .iBeacon, .altBeacon, .eddystoneUID, .eddystoneURL, .eddystoneEID, .sensor, .bthome: true
    case .eddystoneTLM, .eddystoneEncryptedTLM, .exposureNotification, .noise: false
    }
  }
}

extension AirSurvey {
  /// Reads recordings to their end, and returns the devices that were in range then.
  package static func ofRecordings(
    _ paths: [String], _ configuration: Configuration
  ) throws(CaptureError) -> (survey: AirSurvey, end: MonotonicTime) {
    var survey = AirSurvey(configuration)
    var end = MonotonicTime.zero
    var recording = try Recording(paths: paths)
    var receivers = ReceiverTable()
    var batch = AdvertisementBatch()
    while case let step = try recording.next(into: &batch, receiver: { receivers.index(of: $0) }),
      step != .end
    {
      batch.forEach { advertisement, payload in
        survey.observe(copy advertisement, payload: payload)
        end = advertisement.time
      }
    }
    return (survey, end)
  }

  /// The devices that can be configured, each pattern once, the strongest first.
  package func candidates(at time: MonotonicTime) -> [NearbyBeacon] {
    var patterns: Set<BeaconPattern> = []
    return listing(at: time).compactMap { device, estimate in
      guard let suggestion = BeaconSuggestion(device), patterns.insert(suggestion.pattern).inserted
      else { return nil }
      return NearbyBeacon(
        name: suggestion.name, pattern: suggestion.pattern, format: device.frame?.format ?? "–",
        localName: device.localName, signal: (estimate?.rssi).map { Int($0.rounded()) })
    }
  }
}

/// The line for `beacons:` that configures a device, ready to paste.
package struct BeaconSuggestion: CustomStringConvertible {
  private let device: AirSurvey.Device

  /// nil for a device that cannot be configured by its payload, such as a phone with a changing address.
  ///
  /// - Parameter any: whether the address of such a device is suggested, too: it may be a tag without a beacon's format.
  package init?(_ device: AirSurvey.Device, ofAny any: Bool = false) {
    guard any || device.frame?.tellsIdentity == true || device.hasLastingName else { return nil }
    self.device = device
    if isByAddress, !device.hasAddress { return nil }
  }

  /// With a measured power, if the device states one that cannot be true.
  package var description: String {
    let power = device.complaint == nil ? "" : ", measured_power: \(BeaconSuggestion.usualPower)"
    return "- { name: \(name), \(pattern.yaml)\(power) }"
  }

  static let usualPower = Measure(.signal, Calibration.defaultMeasuredPower)

  /// The pattern that identifies it.
  package var pattern: BeaconPattern {
    switch device.frame {
    case .iBeacon(let frame): .iBeacon(uuid: frame.uuid, major: frame.major, minor: frame.minor)
    case .altBeacon(let frame): .altBeacon(idPrefix: Self.octets(frame))
    case .eddystoneUID(let frame): .eddystoneUID(namespace: frame.namespace, instance: frame.instance)
    default: device.scannerID.map(BeaconPattern.scannerID) ?? .address(device.address.bits)
    }
  }

  /// Whether only its address identifies it.
  private var isByAddress: Bool { if case .address = pattern { true } else { false } }
  /// Whether the suggestion identifies a single device, by its address or by a scanner's name for it.
  var isPrivate: Bool {
    switch pattern {
    case .address, .scannerID: true
    default: false
    }
  }

  private static func octets(_ frame: AltBeacon) -> [UInt8] {
    stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: frame.idHigh >> UInt128($0)) }
      + stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: frame.idLow >> UInt32($0)) }
  }

  /// The device's own name if YAML allows it without quotes, otherwise its format.
  package var name: String {
    // `phone:anna` is Anna's.
    let parts = device.scannerID?.split(separator: ":") ?? []
    let isAddress = device.hasAddress && parts.count > 1
    let called = isAddress ? "\(parts[0])-\(parts[parts.count - 1].suffix(4))" : parts.last.map(String.init)
    let letters = (device.localName ?? called ?? "").unicodeScalars.filter {
      ("a"..."z").contains($0) || ("A"..."Z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
        || $0 == "_"
    }
    let text = String(String.UnicodeScalarView(letters))
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic else {
      return (device.frame?.format ?? "beacon") + "-" + hexadecimal(UInt128(device.address.bits), octets: 2)
    }
    return String(text.prefix(Self.longestName))
  }

  /// A name in an extended advertisement may be longer than a name in the configuration.
  private static let longestName = 60
}
