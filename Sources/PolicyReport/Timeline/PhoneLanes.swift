import Pages
import RangingPolicy

/// The phone's state according to the timeline: one lane for each property that is ever unusual.
struct PhoneLanes {
  private let entries: [Timeline.Entry]
  private let end: Milliseconds

  init(_ result: Simulation) {
    entries = result.timeline.entries
    end = result.end
  }

  var all: [Lane] {
    [
      lane(.audio, "Audio") { if case .audio(let isOn) = $0 { isOn ? "playing" : "" } else { nil } },
      lane(.bluetooth, "Bluetooth") { if case .bluetooth(let isOn) = $0 { isOn ? "" : "off" } else { nil } },
      lane(.permission, "Permission") {
        guard case .permission(let permission) = $0 else { return nil }
        return permission == .always ? "" : Self.words(permission)
      },
      lane(.permission, "Location switch") {
        if case .locationServices(let isOn) = $0 { isOn ? "" : "off" } else { nil }
      },
      lane(.phone, "Screen") { if case .screen(let isOn) = $0 { isOn ? "on" : "" } else { nil } },
      lane(.phone, "Lying still") {
        if case .still(let isStill) = $0 { isStill ? "still" : "" } else { nil }
      },
      lane(.phone, "Standby bucket") {
        guard case .bucket(let period) = $0 else { return nil }
        return period.map { "limited per \(Figures.time($0))" } ?? ""
      },
      lane(.phone, "Debugger") { if case .debugger(let isOn) = $0 { isOn ? "attached" : "" } else { nil } },
    ]
  }

  /// `label`: the event's effect on this property; empty: back to normal; nil: the event concerns another property.
  private func lane(_ kind: Lane.Kind, _ name: String, label: (PhoneEvent) -> String?) -> Lane {
    var spans: [Lane.Span] = []
    var open: (from: Milliseconds, label: String)?
    func close(at time: Milliseconds) {
      if let open, time > open.from {
        spans.append(Lane.Span(from: open.from, to: time, label: open.label))
      }
      open = nil
    }
    for entry in entries {
      guard let label = label(entry.event) else { continue }
      if open?.label == label { continue }
      close(at: entry.time)
      if !label.isEmpty { open = (entry.time, label) }
    }
    close(at: end)
    return Lane(kind, name, spans: spans)
  }

  private static func words(_ permission: Permission) -> String {
    switch permission {
    case .whenInUse: "when in use"
    case .notDetermined: "not determined"
    case .reducedAccuracy: "reduced accuracy"
    case .always, .denied, .restricted: permission.rawValue
    }
  }
}
