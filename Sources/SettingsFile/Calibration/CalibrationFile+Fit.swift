import Proximity
public import Settings

extension CalibrationFile {
  /// Whether it is another site's: it knows rooms or receivers, and not one of those that are configured.
  public func isForeign(to configuration: Configuration) -> Bool {
    let rooms = Set(account.stays.map(\.room))
    let receivers = Set(calibration.receiverNames)
    let mounted = configuration.rooms.flatMap(\.receivers) + configuration.receivers.map(\.name)
    return !rooms.isEmpty && rooms.isDisjoint(with: configuration.rooms.map(\.name))
      || !receivers.isEmpty && !mounted.isEmpty && receivers.isDisjoint(with: mounted)
  }
}
