import Beacons
import Core
import FoundationEssentials
import Glibc

/// Reads the files that a configuration names: passwords, keys, certificates, private keys.
struct NamedFileReader {
  let environment: [String: String]
  /// The base of relative paths: the directory of the configuration file.
  let directory: String
  /// Whether passwords and credentials are needed; if not, their absence is only a warning.
  let connects: Bool
  /// Whether the configuration is only checked, and where; nil: it is used.
  var check: Configuration.Check?
  /// By absolute path: a file to read instead, because it is about to replace that one.
  var substitutes: [String: String] = [:]
  /// The files that were read, or looked for.
  let named = NamedFiles()

  /// The first line of a file that only its owner may read.
  func password(_ value: Value) -> Secret? {
    guard let path = value.text() else { return nil }
    let full = place(of: path)
    do throws(ConfigurationFile.Unreadable) {
      guard let file = try privateFile(full, of: "password", value) else { return nil }
      guard let text = String(validating: file.bytes, as: UTF8.self) else {
        return value.refused("the password file is not UTF-8 text")
      }
      // Editors add a line end, which is not part of the password, and some a byte order mark.
      let line = text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
      let password = String(line.prefix { !$0.isNewline })
      return checkedPassword(password, value)
    } catch {
      let what = "the password file cannot be read: \(error.reason)"
      if isCredential(full) {
        lacks(what, value, hint: credentialHint)
      } else {
        let hint =
          path.hasPrefix("/") ? "look at its path and its owner" : "it is looked for in \(directory)"
        // `run` would refuse a missing file. A user who may not read the folder cannot know whether it is missing.
        if check == .here, error.isAbsent {
          value.error(what, hint: hint)
        } else {
          lacks(what, value, hint: hint)
        }
      }
      return check == nil ? nil : .absent
    }
  }

  /// The keys of a keys file; nil, with a diagnostic, if it cannot be used.
  ///
  /// - Parameter diagnostics: those in the file, whose positions are its own.
  func keys(_ value: Value, diagnostics: inout Diagnostics?) -> [String: SecretBytes]? {
    guard let path = value.text() else { return nil }
    let full = place(of: path)
    do throws(ConfigurationFile.Unreadable) {
      guard let file = try privateFile(full, of: "keys", value) else { return nil }
      let found = Diagnostics(file: full)
      diagnostics = found
      return KeysFileReader.read(file.bytes, diagnostics: found)
    } catch {
      let what = "the keys file \(quoted(full)) cannot be read: \(error.reason)"
      if isCredential(full) {
        lacks(what, value, hint: credentialHint)
      } else if check == .elsewhere, error.isAbsent {
        value.warning(what)
      } else {
        value.error(what)
      }
      return nil
    }
  }

  /// A file that only its owner may read; nil, with a diagnostic, if others may.
  private func privateFile(_ path: String, of what: String, _ value: Value)
    throws(ConfigurationFile.Unreadable) -> ConfigurationFile?
  {
    let file = try ConfigurationFile(path: path)
    if file.isPrivate(in: environment) { return file }
    return value.refused(
      "others may read the \(what): \(quoted(path)) has mode 0\(String(file.mode, radix: 8))",
      hint: "chmod 600 \(path)")
  }

  func checkedPassword(_ password: String, _ value: Value) -> Secret? {
    guard !password.isEmpty else { return value.refused("the password is empty") }
    if password.first?.isWhitespace == true || password.last?.isWhitespace == true {
      value.warning("the password begins or ends with a space")
    } else if password.count > 1, let quote = password.first, "\"'".contains(quote), password.last == quote {
      value.warning("the quotes around the password are part of it")
    }
    return Secret(password)
  }

  /// Reports a missing secret: only as a warning if the command does not connect, because the gateway may have it.
  func lacks(_ what: String, _ value: Value, hint: String) {
    if connects { value.error(what, hint: hint) } else { value.warning(what, hint: hint) }
  }

  /// Checks the certificates of the authorities to trust. A configuration in use is checked by libssl.
  func checkAuthorities(_ value: Value, _ path: String) {
    guard check != nil, exists(path), !CertificateAuthorities.canBeRead(path) else { return }
    value.error("\(quoted(path)) has no certificate in PEM form")
  }

  /// Checks a certificate and its key. A configuration in use is checked by libssl.
  func checkPair(_ certificate: Value, _ certFile: String, _ key: Value, _ keyFile: String) {
    guard check != nil, exists(certFile), exists(keyFile) else { return }
    switch CertificatePair(certificate: certFile, key: keyFile).fault {
    case .noCertificate: certificate.error("\(quoted(certFile)) has no certificate in PEM form")
    case .noKey:
      key.error("\(quoted(keyFile)) has no private key in PEM form, or is locked with a passphrase")
    case .isForeignKey:
      key.error(
        "the private key is of another certificate than \(quoted(certFile))",
        hint: "name the key that was made for this certificate")
    case .hasExpired: certificate.warning("the certificate has expired", hint: "renew it")
    case nil: break
    }
  }

  /// The absolute path of a file that is about to be read.
  func place(of path: String) -> String {
    let full = absolute(path, in: directory)
    named.paths.insert(full)
    if let substitute = substitutes[full] { return substitute }
    let place = absolute(path, in: directory, environment)
    // Only the unit has the copies. In a terminal, root reads the originals.
    let original = isCredential(place) ? credentialStore + place.dropFirst(credentialsDirectory.count) : place
    return exists(original) ? original : place
  }

  private func exists(_ path: String) -> Bool { unsafe access(path, R_OK) == 0 }

  /// The absolute path of a file that can be read.
  func path(_ value: Value, isPrivate: Bool = false) -> String? {
    guard let path = value.text() else { return nil }
    let full = place(of: path)
    do throws(ConfigurationFile.Unreadable) {
      let file = try ConfigurationFile(path: full)
      if isPrivate, file.mode & 0o007 != 0, !file.isContainerSecret(in: environment) {
        value.warning("everybody on this machine may read the private key", hint: "chmod 600 the file")
      }
      return full
    } catch {
      if isCredential(full), !connects { return full }
      // A command that does not connect needs no certificate.
      if error.isAbsent, check == .elsewhere || check == nil && !connects {
        value.warning("\(quoted(full)) is not on this machine")
        return full
      }
      return value.refused(
        "\(quoted(full)) cannot be read: \(error.reason)", hint: isCredential(full) ? credentialHint : nil)
    }
  }
}

/// The paths of the files that a configuration names. Those of a unit's credentials begin with `$CREDENTIALS_DIRECTORY/`.
final class NamedFiles {
  var paths: Set<String> = []
}

/// Makes a path absolute that is relative to the configuration file's directory. `$CREDENTIALS_DIRECTORY/` at its start stands
/// for systemd's directory of the unit's credentials (systemd.exec(5), LoadCredential=).
func absolute(_ path: String, in directory: String, _ environment: [String: String] = [:]) -> String {
  if isCredential(path), let place = environment["CREDENTIALS_DIRECTORY"] {
    return place + path.dropFirst(credentialsDirectory.count)
  }
  return path.hasPrefix("/") || isCredential(path) ? path : "\(directory)/\(path)"
}

private let credentialsDirectory = "$CREDENTIALS_DIRECTORY"

/// Where systemd finds the credentials of the units.
package let credentialStore = "/etc/credstore"

/// Whether the path names a credential of a systemd unit, by the variable instead of its value.
package func isCredential(_ path: String) -> Bool { path.hasPrefix(credentialsDirectory + "/") }

let credentialHint =
  "systemd gives it to the gateway's unit, which needs a LoadCredential= for this file; in a terminal use sudo, which reads \(credentialStore)"

/// Reads the keys file: `name: 32 hexadecimal digits`, one per line. Messages never repeat a value.
struct KeysFileReader {
  /// nil, with a diagnostic, if the file cannot be used.
  static func read(_ bytes: [UInt8], diagnostics: Diagnostics) -> [String: SecretBytes]? {
    guard let root = YAMLDocument.read(bytes, diagnostics: diagnostics) else {
      return diagnostics.hasErrors ? nil : [:]
    }
    guard let section = root.section(hint: "a line for each key: its name, a colon, 32 hexadecimal digits")
    else {
      return nil
    }
    var keys: [String: SecretBytes] = [:]
    for name in section.keys {
      guard let value = section.take(name, isVocabulary: false) else { continue }
      if looksLikeKey(name) {
        value.error("a name here looks like a key", hint: "the name comes first, then a colon, then the key")
        continue
      }
      guard let bytes = value.scalar.flatMap(octets(ofKey:)), SecretKey.lengths.contains(bytes.count)
      else {
        value.error(
          "the key \(quoted(name)) is not 16 bytes",
          hint:
            "32 hexadecimal digits, most significant first, or the base64 of Apple's keychain; a bind key of Xiaomi's early devices has 24"
        )
        continue
      }
      keys[name] = SecretBytes(bytes)
    }
    return keys
  }
}

/// Hexadecimal digits, most significant first, or base64 that ends with `=`, as Apple's keychain has identity resolving keys: least
/// significant first.
private func octets(ofKey text: String) -> [UInt8]? {
  let key = text.lowercased().hasPrefix("irk:") ? text.dropFirst(4) : text[...]
  if key.hasSuffix("=") { return Data(base64Encoded: String(key)).map { Array($0.reversed()) } }
  let digits = key.replacing(":", with: "").replacing("-", with: "").replacing(" ", with: "")
  return octets(hexadecimal: digits)
}
