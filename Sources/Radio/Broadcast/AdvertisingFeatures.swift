import Beacons
import Core

/// An adapter's advertising features.
struct AdvertisingFeatures: Equatable {
  /// Instances are numbered from 1 to this.
  var most: UInt8
  /// All instances share one advertising set and take turns.
  var hasSingleSet: Bool
  /// Existing instances of all programs.
  var instances: Set<UInt8>

  /// Supported flags 4, longest data 1, longest scan response 1, most instances 1, how many there are 1, each 1
  /// (BlueZ doc/mgmt-api.txt, Read Advertising Features).
  init?(reply: Span<UInt8>) {
    guard reply.count >= 8 else { return nil }
    most = reply[6]
    hasSingleSet = reply.littleEndian32(at: 0) & ManagementCommand.AdvertisingFlag.secondaryPHY == 0
    instances = []
    for place in 8..<min(reply.count, 8 + Int(reply[7])) { instances.insert(reply[place]) }
  }

  /// Why the adapter cannot broadcast the plan at present; nil: it can.
  ///
  /// - Parameter others: how many instances other programs have.
  func obstacle(to plan: BroadcastPlan, on adapter: AdapterInfo, others: Int) -> String? {
    let name = adapter.kernelName
    if adapter.advertisesByItself {
      return "another program has \(name) advertising, so instances must wait; stop it with: "
        + "btmgmt advertising off"
    }
    if hasSingleSet, plan.mostAtOnce > 1 {
      return
        "\(name) can have one identity on air at a time, and the plan has \(plan.mostAtOnce) at once; use an "
        + "adapter with extended advertising (Bluetooth 5), or a plan with one at a time"
    }
    if Int(most) - others < plan.mostAtOnce {
      return
        "\(name) has \(most) advertising instances, of which other programs hold \(others), and the plan has "
        + "\(plan.mostAtOnce) at once"
    }
    return nil
  }
}

/// Whether a plan can be broadcast; available before the radio runs.
package enum BroadcastOutlook: Equatable, Sendable {
  /// For an adapter with this many instances; with only one set, identities are on air one at a time.
  case possible(adapter: String, instances: Int, hasSingleSet: Bool)
  case impossible(String)
  case missingAdminCapability
  case noAdapter
}

extension LiveRadio {
  /// Checks the adapter that would broadcast the plan.
  package static func outlook(
    of plan: BroadcastPlan, aliases: [DeviceAddress: String]
  ) throws(RadioError) -> BroadcastOutlook {
    let names = Dictionary(aliases.map { ($0.key.bits, $0.value) }) { first, _ in first }
    let wants = AdapterChoice.of(plan.adapter.map { [$0] } ?? [], aliases: names)
    guard let adapter = try adapters().first(where: { $0.supportsLowEnergy && wants($0) }) else {
      return .noAdapter
    }
    let socket = try HCISocket.management()
    do throws(SystemError) {
      let (status, reply) = try AdapterList.ask(.readAdvertisingFeatures(adapter.index), socket)
      if status == .permissionDenied { return .missingAdminCapability }
      guard let features = AdvertisingFeatures(reply: reply.span) else {
        return .impossible("\(adapter.kernelName) has no advertising instances: \(status.meaning)")
      }
      // A running gateway may have instances for the same plan.
      if let obstacle = features.obstacle(to: plan, on: adapter, others: 0) { return .impossible(obstacle) }
      return .possible(
        adapter: adapter.kernelName, instances: Int(features.most), hasSingleSet: features.hasSingleSet)
    } catch {
      throw RadioError(error)
    }
  }
}
