import Core
import FoundationEssentials
import Glibc

/// The keys file, to which a key can be added. Its other lines stay as they are. Only its owner may read it.
package struct KeysFile: Sendable {
  /// Why a key is not added, in plain words.
  package struct Refusal: Error, Hashable, Sendable, CustomStringConvertible {
    package var description: String
  }

  package let path: String
  private let content: [UInt8]?
  private let keys: [String: SecretBytes]

  /// - Parameter path: the file; it need not exist.
  package init(
    path: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(Refusal) {
    self.path = path
    let file: ConfigurationFile
    do throws(ConfigurationFile.Unreadable) { file = try ConfigurationFile(path: path) } catch {
      guard error.isAbsent else {
        throw Refusal(description: "the keys file \(path) cannot be read: \(error.reason)")
      }
      (content, keys) = (nil, [:])
      return
    }
    guard file.isPrivate(in: environment) else {
      throw Refusal(description: "others may read the keys file; first do: chmod 600 \(path)")
    }
    let diagnostics = Diagnostics(file: path)
    guard let keys = KeysFileReader.read(file.bytes, diagnostics: diagnostics), !diagnostics.hasErrors else {
      throw Refusal(description: "the keys file \(path) has errors: see check")
    }
    (content, self.keys) = (file.bytes, keys)
  }

  /// Why a key cannot have this name; nil: it can.
  package func obstacle(to name: String) -> Refusal? {
    if looksLikeKey(name) { return Refusal(description: "\(quoted(name)) looks like a key, not like a name") }
    if keys[name] != nil {
      return Refusal(
        description: "\(path) has a key \(quoted(name)) already; take another name, or remove its line first")
    }
    var status = stat()
    if content == nil, unsafe lstat(path, &status) == 0 {
      return Refusal(description: "\(path) is a link to a file that is not there")
    }
    // Checked before anybody pairs: a key that cannot be saved is useless.
    do throws(Refusal) { _ = try text(adding: name, [UInt8](repeating: 1, count: 16)) } catch { return error }
    return nil
  }

  /// Why nothing can be added, whatever its name; nil: it probably can.
  package var obstacle: ConfigurationWriter.Refusal? { ConfigurationWriter.Refusal(toReplace: path) }

  /// Adds a line, and replaces the file in one step.
  ///
  /// - Parameters:
  ///   - key: the most significant octet first.
  ///   - neighbour: a new file gets the owner of this one.
  package func add(_ name: String, _ key: [UInt8], like neighbour: String? = nil) throws(Refusal) {
    if let obstacle = obstacle(to: name) { throw obstacle }
    let bytes = try text(adding: name, key)
    do throws(SystemError) {
      if content == nil { try create(like: neighbour) }
      let before = content ?? []
      try FileReplacement(path).write(bytes) { (try? ConfigurationFile(path: path).bytes) == before }
    } catch  where error.code == ESTALE {
      throw Refusal(description: "\(path) was changed meanwhile")
    } catch {
      throw Refusal(description: "\(ConfigurationWriter.Refusal(cannotWrite: path, error))")
    }
  }

  /// The file's text with one line more.
  private func text(adding name: String, _ key: [UInt8]) throws(Refusal) -> [UInt8] {
    var bytes = content ?? []
    if let last = bytes.last, last != UInt8(ascii: "\n") { bytes.append(UInt8(ascii: "\n")) }
    bytes += "\(yamlScalar(name)): \"\(hexadecimal(key))\"\n".utf8
    var meant = keys
    meant[name] = SecretBytes(key)
    let diagnostics = Diagnostics(file: path)
    guard KeysFileReader.read(bytes, diagnostics: diagnostics) == meant, !diagnostics.hasErrors else {
      throw Refusal(description: "\(path) is written unusually, so nothing can be added to it")
    }
    return bytes
  }

  private func create(like neighbour: String?) throws(SystemError) {
    let file = try FileDescriptor(creating: path)
    var owner = stat()
    if let neighbour, unsafe stat(neighbour, &owner) == 0 {
      // Only root can change the owner, and only root needs to.
      _ = fchown(file.number, owner.st_uid, owner.st_gid)
    }
  }
}
