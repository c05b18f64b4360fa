import ArgumentParser
import Configuration
import Core
import Gateway
import Glibc
import Outbox

struct BackupCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Writes configuration, secrets and state into one file.",
    discussion: """
      The file has the configuration, what that names (passwords, keys, certificates, the calibration), and the gateway's state: \
      who is where, what waits for the broker, the diary, the logins. The gateway may run meanwhile; the diary's \
      last two minutes may then be missing. The file has mode 0600, and is as secret as the passwords in it. Each part has a \
      digest, which restore checks. `sqlite3 -A -t -f FILE` lists it.

      Exit status: 0, 64 wrong usage, 65 a restore was cut and is to be finished first, 73 the file cannot be created, \
      74 something cannot be read or is damaged, 77 without the permission to read it, 78 a bad configuration.

      EXAMPLES
        sudo beaconkeeper backup /root/beaconkeeper.backup
        sudo beaconkeeper backup --config /etc/beaconkeeper/yard.yaml yard.backup
      """)

  @Argument(help: ArgumentHelp("The backup, which must not exist yet.", valueName: "file"))
  var backup: String
  @OptionGroup var file: ConfigurationOption

  func run() throws {
    let path = file.path
    let configuration: Configuration
    var files: Set<String> = []
    if let path {
      do {
        let loaded = try Configuration.load(path: path, connects: false)
        (configuration, files) = (loaded.configuration, loaded.files)
      } catch {
        say("\(error)")
        ConfigurationOption.tellCutRestore()
        throw failure("\(path): nothing was done", .configuration)
      }
    } else {
      say("beaconkeeper: \(ConfigurationOption.none); the backup has only state")
      configuration = .builtIn()
    }
    do {
      let (members, notices) = try Backup.write(
        to: backup, configuration: configuration, path: path, files: files, time: LiveClock.wallNow)
      for notice in notices { say("beaconkeeper: \(notice)".printable) }
      for member in members { try tell(member.line) }
      say("beaconkeeper: \(backup) is complete. Keep it as secret as the passwords in it".printable)
    } catch let error as BackupFault {
      throw failure("\(error)".printable, .inputOutput)
    } catch let error as SystemError where error.code == EEXIST {
      throw failure("there is \(backup) already; name another file", .cannotCreate)
    } catch {
      throw failed(error, backup, .cannotCreate)
    }
  }
}

struct RestoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Brings back what backup has written.",
    discussion: """
      The gateway must not run. The whole backup is checked first. Then configuration and state take the places of those that are \
      there, which are kept under names that end with .before-restore and the time; if that fails, all is as it was. Delete them \
      once the gateway runs as it should. If power fails meanwhile, run, doctor and backup say so; restore again. A restored \
      gateway sends again what waited for the broker when the backup was made; who has received it already knows it by its id.

      What the configuration names outside of its own folder, such as a password in /etc/credstore, is restored with --elsewhere: \
      look at the list first (--check), because a backup from somebody else may name any file.

      Exit status: 0, 64 wrong usage, 65 no backup, a damaged one, or one of a newer version; or what was done cannot be undone, \
      69 the gateway or another restore runs, 74 something cannot be read or written, 77 without the permission to do so, \
      78 a bad configuration in it.

      EXAMPLES
        sudo systemctl stop beaconkeeper && sudo beaconkeeper restore \\
            /root/beaconkeeper.backup --elsewhere
        beaconkeeper restore --check beaconkeeper.backup
      """)

  @Argument(help: ArgumentHelp("The backup.", valueName: "file"))
  var backup: String
  @Option(name: .shortAndLong, help: ArgumentHelp("Where the configuration goes.", valueName: "file"))
  var config: String?
  @Flag(help: "Restore also what lies outside of the configuration's folder.") var elsewhere = false
  @Flag(help: "Only check the backup, and list what it has.") var check = false

  func run() throws {
    do {
      let reader = try BackupReader(path: backup)
      if check {
        for (name, value) in reader.properties.sorted(by: { $0.key < $1.key }) {
          try tell("\(name): \(value)".printable)
        }
        for member in reader.members { try tell(member.line) }
        return
      }
      var restore = try Restore(reader, path: config, withElsewhere: elsewhere, time: LiveClock.wallNow)
      let account = try restore.run()
      for path in account.restored { try tell("restored \(path)".printable) }
      for path in account.kept { try tell("kept     \(path)".printable) }
      for notice in account.notices { say("beaconkeeper: \(notice)".printable) }
    } catch let error as Restore.Fault {
      switch error {
      case .noPlace(let original):
        throw failure(
          "name where the configuration goes with --config\(original.map { "; in the backup it was \($0)" } ?? "")"
            .printable, .configuration)
      case .busy(let folder):
        throw failure(
          "another restore is at work in \(folder). Nothing was done; wait for its end".printable,
          .unavailable)
      case .configuration(let errors, let version):
        say("\(errors)")
        throw failure(
          "the configuration in the backup is not one for this version, \(Gateway.version); nothing was done. It was made by \(version): install that, or mend the configuration and back up again"
            .printable, .configuration)
      }
    } catch let error as OutboxInUse {
      throw failure(
        "the gateway runs and uses \(error.path). Nothing was done; stop it first: sudo systemctl stop beaconkeeper"
          .printable,
        .unavailable)
    } catch {
      throw failed(error, backup, .inputOutput)
    }
  }
}

extension BackupMember {
  fileprivate var line: String { "\(String(size).padded(to: 10)) \(name)".printable }
}

/// Prints why, and returns the exit code to throw.
private func failed(_ error: any Error, _ backup: String, _ status: ExitStatus) -> ExitCode {
  switch error {
  case is BackupFault, is UnfinishedRestore: failure("\(error)".printable, .dataError)
  case let error as SystemError where [EACCES, EPERM].contains(error.code):
    failure("\(backup): \(reason(error)); run this as root or as the gateway's user", .noPermission)
  default: failure("\(backup): \(reason(error)); nothing was done", status)
  }
}
