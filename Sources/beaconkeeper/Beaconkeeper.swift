import ArgumentParser

@main
struct Beaconkeeper: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "beaconkeeper",
    abstract: "Hears Bluetooth beacons, decides who is near, and tells it over MQTT.",
    version: "0.1.0",
    subcommands: []
  )
}
