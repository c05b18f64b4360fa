import ArgumentParser
import Configuration
import Web

/// The gateway that `top` shows, and the password for it.
struct TopSource {
  var address: HTTPAddress
  var password: String?
  var trust = HTTPClient.Trust.system

  /// The gateway at a URL.
  init(url: String) throws(ExitCode) {
    do throws(HTTPAddress.Malformed) {
      address = try HTTPAddress(url, usualPort: HTTPSettings.defaultPort)
    } catch {
      throw refusal("\(url): \(error)", TopCommand.self)
    }
  }

  /// This machine's own gateway, as configured.
  init(_ configuration: Configuration) {
    let http = configuration.http ?? HTTPSettings()
    let host =
      switch http.address {
      case "0.0.0.0": "127.0.0.1"
      case "::": "::1"
      default: http.address
      }
    let port = http.port == 0 ? HTTPSettings.defaultPort : http.port
    address = HTTPAddress(isTLS: http.tls != nil, host: host, port: port)
    password = http.readPassword?.revealed
    if let certificate = http.tls?.certFile { trust = .certificates(certificate) }
  }

  func client() throws(ExitCode) -> HTTPClient {
    try attempt(.configuration) { try HTTPClient(address, password: password, trust: trust) }
  }

  /// The message for an error, and the exit code to throw.
  func fault(_ error: any Error) -> ExitCode {
    guard let error = error as? HTTPClient.Failure else { return failure("\(error)", .software) }
    switch error.kind {
    case .unreachable, .silent:
      return failure(
        "no gateway answers at \(address): \(error). Does it run, with http: in its configuration?",
        .unavailable)
    case .notTrusted:
      return failure(
        "\(address) cannot be trusted: \(error). --ca-file names the authority of its certificate",
        .unavailable)
    case .notEncrypted:
      return failure(
        "\(address) does not speak TLS: \(error). Perhaps it is http://", .unavailable)
    case .notHTTP, .tooLarge: return stranger("\(error)")
    }
  }

  /// The meaning of an answer that is not the overview.
  func fault(_ reply: HTTPClient.Reply) -> ExitCode {
    let told = (try? TopPicture.Fault(reply.body)).map { " (\($0.text))" } ?? ""
    switch reply.status {
    case 401 where password == nil:
      return failure(
        "\(address) asks for a password: name a file that holds it with --password-file", .noPermission)
    case 401: return failure("\(address) does not accept the password", .noPermission)
    case 403, 421, 429:
      return failure(
        "\(address) does not let this in: status \(reply.status)\(told)", .noPermission)
    case 502, 503, 504:
      return failure(
        "\(address) has no picture now: status \(reply.status)\(told)", .unavailable)
    default: return stranger("it answers with status \(reply.status)")
    }
  }

  func stranger(_ why: String) -> ExitCode {
    failure("what answers at \(address) is not a Beaconkeeper: \(why)", .dataError)
  }
}
