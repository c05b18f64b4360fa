import Beacons

/// The adapters that names select.
enum AdapterChoice {
  /// The adapters with these kernel names, addresses or aliases; all adapters if no name is given.
  ///
  /// - Parameter aliases: names by the bits of an adapter's address.
  static func of(_ names: [String], aliases: [UInt64: String]) -> @Sendable (AdapterInfo) -> Bool {
    let wanted = Set(names.map { $0.lowercased() })
    return { info in
      wanted.isEmpty || wanted.contains(info.kernelName)
        || wanted.contains(info.address.description.lowercased())
        || aliases[info.address.bits].map { wanted.contains($0.lowercased()) } == true
    }
  }
}
