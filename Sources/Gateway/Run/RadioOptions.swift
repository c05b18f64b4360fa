import Settings
import Radio

extension LiveRadio.Options {
  /// The adapters as the configuration names them.
  public init(_ configuration: Configuration) {
    self.init()
    duty =
      switch configuration.radio.duty {
      case .full: .full
      // Without adapters it does not matter.
      case .off: .balanced
      case .balanced: .balanced
      case .wifiFriendly: .wifiFriendly
      }
    takesBus = true
    unblocks = configuration.radio.unblocks
    broadcast = configuration.wake.map { BroadcastPlan($0) }
    for receiver in configuration.receivers {
      if let address = receiver.adapter { aliases[address] = receiver.name }
    }
  }
}
