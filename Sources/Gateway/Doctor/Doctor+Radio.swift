import Beacons
import Configuration
import FoundationEssentials
import Glibc
import Radio

extension Doctor {
  /// Kernel, adapters, capabilities, and other users of the radio.
  func radio() -> [DoctorFinding] {
    var findings = [kernel()]
    if configuration.radio.duty == .off {
      return findings + [DoctorFinding("adapter", .ok, "none is used, because of radio: { duty: off }")]
    }
    let adapters: [AdapterInfo]
    do {
      adapters = try LiveRadio.adapters()
    } catch {
      return findings + [DoctorFinding("adapter", .fault, "\(error)", remedy: withoutRadio)]
    }
    findings += adapterFindings(adapters)
    let access = RadioAccess.look()
    findings.append(
      DoctorFinding(
        "bluetoothd", .ok,
        access.hasBluetoothd
          ? "is running; the gateway does not interfere with it" : "is not running; it is not needed"))
    findings.append(capabilities(access))
    findings.append(receivePath(access))
    if let wake = configuration.wake { findings.append(broadcast(wake)) }
    findings.append(company())
    return findings
  }

  /// nil: without a radio there would be no receiver at all.
  private var withoutRadio: String? { configuration.scanners.isEmpty ? nil : Configuration.radioOffHint }

  func kernel() -> DoctorFinding {
    var name = utsname()
    uname(&name)
    let release = withUnsafeBytes(of: name.release) { bytes in
      String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
    }
    let parts = release.split(whereSeparator: { !$0.isNumber }).compactMap { Int($0) }
    // Monitors for advertisement patterns came with 5.10.
    let isOld = (parts.first ?? 0, parts.dropFirst().first ?? 0) < (5, 10)
    return DoctorFinding(
      "kernel", isOld ? .warning : .ok, "Linux \(release)",
      remedy: isOld
        ? "Linux 5.10 and newer keep an adapter scanning by themselves; older kernels need bluetoothd" : nil)
  }

  private func adapterFindings(_ adapters: [AdapterInfo]) -> [DoctorFinding] {
    if adapters.isEmpty {
      return [
        DoctorFinding(
          "adapter", .fault, "no Bluetooth adapter",
          remedy: withoutRadio ?? "plug one in, or look with: bluetoothctl list")
      ]
    }
    var findings = adapters.flatMap { adapter -> [DoctorFinding] in
      let name = "\(adapter.kernelName) \(adapter.address)"
      guard adapter.supportsLowEnergy else {
        return [
          DoctorFinding(
            "adapter", .fault, "\(name) does not support Low Energy",
            remedy: "use a Bluetooth 4.0 adapter or newer")
        ]
      }
      let power = DoctorFinding(
        "adapter", .ok, "\(name) is \(adapter.isPowered ? "on" : "off; `run` switches it on")")
      switch LiveRadio.isBlocked(adapter) {
      case true:
        return [
          power,
          DoctorFinding(
            "rfkill", .fault, "\(adapter.kernelName) is blocked", remedy: "sudo rfkill unblock bluetooth"),
        ]
      case false: return [power, DoctorFinding("rfkill", .ok, "does not block \(adapter.kernelName)")]
      default: return [power]
      }
    }
    let addresses = Set(adapters.map(\.address.bits))
    for receiver in configuration.receivers {
      guard let wanted = receiver.adapter, !addresses.contains(wanted.bits) else { continue }
      findings.append(
        DoctorFinding(
          "adapter", .fault, "\(receiver.name) is configured as \(wanted), which was not found",
          remedy: "plug it in, or correct receivers: in the configuration"))
    }
    return findings
  }

  private func capabilities(_ access: RadioAccess) -> DoctorFinding {
    let missing = [
      access.mayReceiveRaw ? nil : "CAP_NET_RAW", access.mayAdminister ? nil : "CAP_NET_ADMIN",
    ].compactMap { $0 }
    if missing.isEmpty {
      return DoctorFinding("capabilities", .ok, "CAP_NET_RAW and CAP_NET_ADMIN are there")
    }
    return DoctorFinding(
      "capabilities", access.mayReceiveRaw ? .warning : .fault, "missing: \(missing.joined(separator: ", "))",
      remedy: Self.grant)
  }

  private func receivePath(_ access: RadioAccess) -> DoctorFinding {
    let state: DoctorFinding.State =
      switch access.path {
      case .kernelMonitor: .ok
      case .discovery, .ownScan, .bus: .warning
      case .none: .fault
      }
    return DoctorFinding("receive path", state, "\(access.path)")
  }

  /// Whether the wake regions can be broadcast.
  private func broadcast(_ wake: WakeSettings) -> DoctorFinding {
    let options = LiveRadio.Options(configuration)
    let plan = BroadcastPlan(wake)
    do {
      switch try LiveRadio.outlook(of: plan, aliases: options.aliases) {
      case .possible(let adapter, let instances, let hasSingleSet):
        let means =
          hasSingleSet ? "one advertising set, for one identity at a time" : "\(instances) advertising sets"
        return DoctorFinding(
          "broadcast", .ok, "\(adapter) has \(means); the plan has \(plan.mostAtOnce) at once")
      case .impossible(let why): return DoctorFinding("broadcast", .fault, why)
      case .missingAdminCapability:
        return DoctorFinding(
          "broadcast", .fault, "the wake regions cannot be broadcast without CAP_NET_ADMIN",
          remedy: Self.grant)
      case .noAdapter:
        return DoctorFinding(
          "broadcast", .fault,
          "the adapter \(wake.adapter ?? "") that should broadcast the wake regions was not found",
          remedy: "plug it in, or correct wake: { adapter: … } in the configuration")
      }
    } catch {
      return DoctorFinding("broadcast", .fault, "\(error)")
    }
  }

  /// The package's service has the capabilities; only this command lacks them.
  private static let grant =
    FileManager.default.fileExists(atPath: "/usr/lib/systemd/system/beaconkeeper.service")
    ? "look as root: sudo beaconkeeper doctor; the service has the capabilities"
    : "sudo setcap cap_net_raw,cap_net_admin+ep \(CommandLine.arguments.first ?? "beaconkeeper")"
      + ", or AmbientCapabilities=CAP_NET_RAW CAP_NET_ADMIN in the systemd unit"

  /// Programs known to use the radio themselves.
  private func company() -> DoctorFinding {
    let known: Set<String> = [
      "btmon", "hcidump", "hcitool", "bluetoothctl", "hass", "TheengsGateway", "beaconkeeper", "ble2mqtt",
      "bluepy-helper",
    ]
    let names = Set(OtherProcess.all.map(\.name)).intersection(known).sorted()
    return DoctorFinding(
      "who else", .ok,
      names.isEmpty
        ? "no other program known to use the radio is running"
        : "\(names.joined(separator: ", ")) \(names.count == 1 ? "runs" : "run") too"
    )
  }
}
