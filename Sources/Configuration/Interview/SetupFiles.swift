/// The files to write.
package struct SetupFiles: Hashable, Sendable {
  package var configuration: String
  /// nil: there is none, or it stays in the file that the user named.
  package var password: Secret?
  /// The password for the page; nil: it needs none.
  package var page: Secret?
  /// The password for changes on the page; nil: nobody may change anything there.
  package var write: Secret?
}

extension Interview {
  /// The files with the answers, which the usual reader has checked.
  ///
  /// - Parameter passwordFile: the absolute path of an existing file with the password.
  package func files(at placement: Placement, passwordFile: String?) throws(SetupFault) -> SetupFiles {
    var draft = draft
    draft.path = placement.path
    var stays = false
    if password != nil, case .remote(var remote) = draft.broker {
      // The service's user cannot read the user's files, so it gets a copy. A password that was typed at the end, because the
      // broker refused the one in the file, needs a file of its own, too.
      stays = placement.unit == nil && passwordFile != nil && isPasswordOfFile
      remote.passwordFile = stays ? passwordFile : placement.passwordName
      draft.broker = .remote(remote)
    }
    if draft.pagePasswordFile != nil { draft.pagePasswordFile = placement.pageName }
    if draft.writePasswordFile != nil { draft.writePasswordFile = placement.writeName }
    do throws(ConfigurationErrors) {
      _ = try draft.read(path: placement.path)
    } catch {
      throw .unusable(option: "--password-file FILE", reason: Self.words(error))
    }
    return SetupFiles(
      configuration: draft.text, password: stays ? nil : password, page: pagePassword, write: writePassword)
  }
}
