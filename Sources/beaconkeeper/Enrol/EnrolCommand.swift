import ArgumentParser
import Beacons
import Configuration
import Core
import FoundationEssentials
import Glibc
import Radio

struct EnrolCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol",
    abstract: "Pairs once with a phone, watch or tag, so that it is known although its address changes.",
    discussion: """
      The device gives its identity resolving key when it is paired. The key goes into the keys file, and the pairing is \
      removed again. Only you can do this: you type the number that the device shows. It is open for two minutes, and Ctrl-C \
      leaves nothing open.

      IPHONE, IPAD: unlock it; Settings, Bluetooth; leave that page open; tap Beaconkeeper under Other Devices. Type the \
      number here, then tap Pair. Afterwards tap the (i) beside Beaconkeeper, and Forget This Device. A locked iPhone does \
      not pair.
      ANDROID: unlock it; Settings, Connected devices, Pair new device; tap Beaconkeeper. Type the number here, then tap \
      Pair. Afterwards forget Beaconkeeper there.
      A WATCH or TAG pairs with what it finds itself: look for Beaconkeeper among its heart rate sensors. If it has no \
      display, add --without-number, and do it where no stranger is near.

      A device that this machine is paired with already need not be paired again: --paired lists them.

      EXAMPLES
        sudo beaconkeeper enrol "Anna's phone"
        sudo beaconkeeper enrol "Anna's phone" --add
        sudo beaconkeeper enrol band --without-number --keys keys.yaml
        sudo beaconkeeper enrol --paired
        sudo beaconkeeper enrol "Anna's phone" --paired AC:BC:32:00:00:01
      """)

  @Argument(help: "The name that the device will have.")
  var name: String?
  @OptionGroup var configurationOption: ConfigurationOption
  @Option(
    help: ArgumentHelp("Where the key goes; default: the keys_file of the configuration.", valueName: "file"))
  var keys: String?
  @Flag(help: "Add the device to the configuration. Comments stay.")
  var add = false
  @Option(help: ArgumentHelp("The adapter: hci0, or its address.", valueName: "adapter"))
  var adapter: String?
  @Flag(help: "Also take a device that shows no number.")
  var withoutNumber = false
  @Flag(
    name: .customLong("paired"),
    help: "List the devices that this machine is paired with, or take one of them.")
  var isPaired = false
  @Argument(help: ArgumentHelp("With --paired: the device's address.", valueName: "address"))
  var address: String?

  func validate() throws {
    if name == nil, !isPaired { throw ValidationError("Which name will the device have?") }
    if isPaired, name != nil, address == nil {
      throw ValidationError("--paired takes a name and an address, or neither, for a list.")
    }
    if !isPaired, address != nil { throw ValidationError("An address needs --paired.") }
  }

  func run() async throws {
    guard let name else { return try list() }
    let place = try EnrolPlace(config: configurationOption.path, keys: keys, adds: add)
    // Before anything is paired.
    let file = try attempt(.configuration) { try KeysFile(path: place.keys) }
    if let obstacle = file.obstacle(to: name) { throw failure("\(obstacle)", .configuration) }
    if let obstacle = file.obstacle { throw failure("\(obstacle)", .cannotCreate) }
    if add { try place.check(name) }
    let key: [UInt8]
    if let address {
      guard let device = try stored().first(where: { $0.address == address.uppercased() }) else {
        throw failure(
          "no paired device with a key has the address \(address); see enrol --paired", .unavailable)
      }
      key = device.key
    } else {
      key = try await PairingConversation(adapter: adapter, allowsNoNumber: withoutNumber).learnKey()
    }
    try place.save(name, key, file)
  }

  private func stored() throws -> [PairedDevice] {
    try attempt(.noPermission, "\(PairedDevice.store) cannot be read; run it with sudo") {
      do { return try PairedDevice.read() } catch let error as CocoaError {
        throw failure(
          "\(PairedDevice.store): \(error.reason(else: "it cannot be read")); run it with sudo", .noPermission
        )
      }
    }
  }

  private func list() throws {
    let devices = try stored()
    for device in devices {
      try tell("\(device.address)  \(device.name?.printable ?? "")")
    }
    if devices.isEmpty { say("beaconkeeper: this machine is paired with no device that has a key") }
  }
}

/// Where a device's key and entry go.
private struct EnrolPlace {
  /// The configuration; nil: there is none.
  let config: String?
  let keys: String
  let adds: Bool

  init(config: String?, keys: String?, adds: Bool) throws {
    self.config = config
    self.adds = adds
    let text = try config.map { try Self.text($0) }
    if let text, text.keysAreCredential, keys == nil {
      throw failure(
        "keys_file is a credential of systemd's; name the file itself with --keys", .configuration)
    }
    guard let path = keys ?? text?.keysPlace else {
      throw failure("\(ConfigurationOption.none); name the keys file with --keys", .configuration)
    }
    if adds, config == nil { throw failure("\(ConfigurationOption.none) to add it to", .configuration) }
    self.keys = path
  }

  private static func text(_ path: String) throws -> ConfigurationText {
    let bytes = try attempt(.configuration) { try ConfigurationWriter(path: path).read().bytes }
    return ConfigurationText(
      bytes, path: path, environment: ProcessInfo.processInfo.environment, hostName: machineName())
  }

  /// Whether the name is free, before anybody pairs.
  func check(_ name: String) throws {
    guard let config else { return }
    let configuration = try attempt(.configuration) { try Self.text(config).loaded().configuration }
    if configuration.beacons.contains(where: { $0.name == name }) {
      throw failure("\(config) has a beacon \(name) already; take another name", .configuration)
    }
  }

  func save(_ name: String, _ key: [UInt8], _ file: KeysFile) throws {
    try attempt(.cannotCreate) { try file.add(name, key, like: config) }
    say("beaconkeeper: its key is in \(keys)")
    let text = try config.map { try Self.text($0) }
    guard adds, let config, let text else {
      if text?.keysFile == nil { try tell("keys_file: \(yamlScalar(text?.entry(ofKeys: keys) ?? keys))") }
      for line in ConfigurationText.deviceYAML(name).split(separator: "\n") { try tell(String(line)) }
      return
    }
    do {
      let writer = ConfigurationWriter(path: config)
      let changed = try text.adding(device: name, keysFile: text.entry(ofKeys: keys))
      _ = try writer.replace(revision: text.revision, with: changed.bytes)
      say("beaconkeeper: added to \(config); a running gateway takes it with: systemctl reload beaconkeeper")
    } catch {
      // The key is kept, so that nobody has to pair again.
      for line in ConfigurationText.deviceYAML(name).split(separator: "\n") { try tell(String(line)) }
      throw failure("\(error)", .configuration)
    }
  }
}
