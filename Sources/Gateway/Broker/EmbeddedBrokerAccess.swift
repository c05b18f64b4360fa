import CCrypto
import FoundationEssentials

/// The access rights at the embedded broker. It listens on loopback, where every user of the machine can reach it.
///
/// Only the gateway publishes. Users who can read the folder in the `watch:` line, which is the user who started the gateway,
/// may subscribe, and may publish reports on phones' apps. Passwords are generated at each start, and appear in no argument,
/// log or environment.
struct EmbeddedBrokerAccess: Sendable {
  static let gateway = "gateway"
  static let watcher = "watch"

  let gatewayPassword = Self.password()
  let watcherPassword = Self.password()

  /// Each of 128 random bits.
  private static func password() -> String {
    var random = SystemRandomNumberGenerator()
    return (0..<2).map { _ in
      let digits = String(random.next() as UInt64, radix: 16)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
  }

  /// For mosquitto's `password_file`.
  func passwordFile() throws(EmbeddedBrokerError) -> String {
    var file = ""
    for (name, password) in [(Self.gateway, gatewayPassword), (Self.watcher, watcherPassword)] {
      file += "\(name):\(try Self.hash(password))\n"
    }
    return file
  }

  /// In the format of mosquitto_passwd (mosquitto 2.0, password_mosq.c): PBKDF2 with SHA-512, rounds, salt, hash.
  private static func hash(_ password: String) throws(EmbeddedBrokerError) -> String {
    var random = SystemRandomNumberGenerator()
    let salt = (0..<12).map { _ in UInt8.random(in: 0...255, using: &random) }
    // The password is random, so more rounds would protect nothing.
    let rounds: Int32 = 101
    var hash = [UInt8](repeating: 0, count: 64)
    guard
      PKCS5_PBKDF2_HMAC(
        password, Int32(password.utf8.count), salt, Int32(salt.count), rounds, EVP_sha512(),
        Int32(hash.count), &hash) == 1
    else { throw .failed("libcrypto cannot hash a password") }
    return "$7$\(rounds)$\(Data(salt).base64EncodedString())$\(Data(hash).base64EncodedString())"
  }

  /// For mosquitto's `acl_file`.
  static let accessList = """
    user \(gateway)
    topic readwrite #

    user \(watcher)
    topic read #
    topic write beaconkeeper/+/phone/+/app/set
    topic write beaconkeeper/+/phone/+/app/seen

    """

  /// The options that mosquitto_sub and mosquitto_pub read from the folder in `XDG_CONFIG_HOME` (mosquitto_sub(1), Files).
  func clientOptions(port: Int) -> String {
    "-h 127.0.0.1\n-p \(port)\n-u \(Self.watcher)\n-P \(watcherPassword)\n"
  }
}
