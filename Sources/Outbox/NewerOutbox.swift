/// The outbox was written by a newer Beaconkeeper, and this one cannot read it. It stays as it is.
public struct NewerOutbox: Error, CustomStringConvertible {
  var path = ""
  let version: Int64

  public var description: String {
    "the outbox \(path) is of a newer Beaconkeeper (layout \(version)), and this one cannot read it; install the newer "
      + "version again, or move the file away to start without what is waiting in it"
  }
}
