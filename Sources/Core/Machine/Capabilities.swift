import CLinux

/// The rights of this program beyond those of its user.
public enum Capabilities {
  /// Makes the permitted capabilities effective. A program file with only permitted capabilities (`setcap …+p`) also starts in
  /// a container that withholds them. Call it before another thread starts.
  public static func raisePermitted() { beaconkeeper_raise_permitted_capabilities() }
}
