import CCapabilities

/// What the kernel permits this program beyond its user.
public enum Capabilities {
  /// Makes the permitted capabilities effective. A program file that is only permitted its capabilities (`setcap …+p`) starts
  /// also where a container withholds them. Call it before another thread starts.
  public static func raisePermitted() { beaconkeeper_raise_permitted_capabilities() }
}
