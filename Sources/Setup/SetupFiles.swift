import Settings
import SettingsFile

/// What is to be written.
public struct SetupFiles: Hashable, Sendable {
  public var configuration: String
  /// nil: there is none, or it remains in the file that the user named.
  public var password: Secret?
}

extension Interview {
  /// The files that hold the answers. The reader of every configuration has read them.
  ///
  /// - Parameter passwordFile: the absolute path of the file that holds the password already.
  public func files(at placement: Placement, passwordFile: String?) throws(SetupFault) -> SetupFiles {
    var draft = draft
    var stays = false
    if password != nil, case .remote(var remote) = draft.broker {
      // The service's user cannot read the user's files, so that it gets a copy. A password that was typed in the end,
      // because the broker refused the one of the file, needs a place of its own, too.
      stays = placement.unit == nil && passwordFile != nil && isPasswordOfFile
      remote.passwordFile = stays ? passwordFile : placement.passwordName
      draft.broker = .remote(remote)
    }
    do throws(ConfigurationErrors) {
      _ = try draft.read(path: placement.path)
    } catch {
      throw .unusable(option: "--password-file FILE", reason: Self.words(error))
    }
    return SetupFiles(configuration: draft.text, password: stays ? nil : password)
  }
}
