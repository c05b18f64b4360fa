import Settings
import Radio

extension LiveRadio.Options {
  /// The adapters of the configuration.
  public init(_ configuration: Configuration) {
    self.init()
    duty =
      switch configuration.radio.duty {
      case .full: .full
      // No adapter is used, so any value will do.
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
