import Contract

extension ConfigurationText {
  /// What happens to the keys for the broker's password.
  package enum BrokerPassword: Hashable, Sendable {
    /// They stay.
    case kept
    /// They are removed, because another broker or user must not get the present password.
    case none
    /// They name this file, which need not exist yet.
    case file(String)
  }

  /// Replaces the broker. Other keys of its entry, such as `ca_file`, stay.
  ///
  /// - Parameter url: nil: the gateway's own broker.
  package func changing(
    brokerURL url: String?, username: String?, password: BrokerPassword
  ) throws(EditRefusal) -> Changed {
    var keys: [(name: String, value: String)] = []
    if let url {
      keys.append(("url", url))
      if let username { keys.append(("username", username)) }
      if case .file(let name) = password { keys.append(("password_file", name)) }
    }
    /// On one line.
    func flow(isJSON: Bool) -> String {
      guard url != nil else { return isJSON ? "\"embedded\"" : "embedded" }
      let pairs = keys.map { name, value in
        "\(isJSON ? "\"\(name)\"" : name): \(yamlScalar(value, isQuoted: isJSON))"
      }
      return "{ \(pairs.joined(separator: ", ")) }"
    }
    let yaml = "broker: \(flow(isJSON: false))\n"
    let (current, tree) = try current(yaml: yaml)
    let wanted = try Self.broker(url: url, username: username)
    return try changed(yaml) { () throws(Unsupported) in
      let text: ConfigurationText
      if let root = tree, let broker = root["broker"] {
        let source = SourceText(bytes)
        var edits = TextEdits()
        if url != nil, case .mapping = broker.content {
          let mapping = try MappingEditor(source, broker)
          for (name, value) in keys {
            try mapping.put(
              name, flow: yamlScalar(value, isQuoted: mapping.isJSON), after: ["url", "username"], &edits)
          }
          var removed = username == nil ? ["username"] : []
          if password != .kept { removed += ["password_env"] }
          if password == .none { removed += ["password_file"] }
          try mapping.remove(removed, &edits)
        } else {
          let mapping = try MappingEditor(source, root)
          try mapping.put("broker", flow: flow(isJSON: mapping.isJSON), after: ["gateway"], &edits)
        }
        text = try replacing(edits)
      } else {
        text = try appending("broker: \(flow(isJSON: false))", to: tree)
      }
      return (
        text,
        { after in
          var meant = current
          meant.broker = after.broker
          return after == meant && Self.isSame(after.broker, wanted)
        }, []
      )
    }
  }

  /// Checks the URL in the reader's words.
  private static func broker(url: String?, username: String?) throws(EditRefusal) -> BrokerSettings {
    guard let url else { return .embedded }
    var remote = Draft.Remote(url: url)
    remote.username = username
    do throws(ConfigurationErrors) { return try Draft(broker: .remote(remote)).read(path: "").broker } catch {
      let first = error.diagnostics.first { $0.severity == .error }
      throw EditRefusal(first?.message ?? "this is no broker", remedy: first?.hint)
    }
  }

  private static func isSame(_ broker: BrokerSettings, _ wanted: BrokerSettings) -> Bool {
    switch (broker, wanted) {
    case (.embedded, .embedded): true
    case (.remote(let broker), .remote(let wanted)):
      broker.isAtSamePlace(as: wanted) && broker.username == wanted.username
    default: false
    }
  }

  /// Adds receivers elsewhere to `scanners:`, by their kind alone.
  package func adding(scanners kinds: [Scanner.Kind]) throws(EditRefusal) -> Changed {
    let yaml = "scanners:\n" + kinds.map { "  - kind: \($0.rawValue)\n" }.joined()
    let (current, tree) = try current(yaml: yaml)
    return try changed(yaml) { () throws(Unsupported) in
      var edits = TextEdits()
      let entries = kinds.map { ["kind: \($0.rawValue)"] }
      try EntryAppender(SourceText(bytes), tree, "scanners").add(entries, &edits)
      return (
        try replacing(edits),
        { after in
          var meant = current
          meant.scanners = after.scanners
          return after == meant && after.scanners.starts(with: current.scanners)
            && after.scanners.dropFirst(current.scanners.count).map(\.kind) == kinds
        }, []
      )
    }
  }
}

extension RemoteBroker {
  /// Whether host, port and the use of TLS are the same. Only then may it get the same password.
  package func isAtSamePlace(as other: RemoteBroker) -> Bool {
    host == other.host && port == other.port && (tls == nil) == (other.tls == nil)
  }

  /// As the configuration writes it.
  package var url: String {
    let usual = tls == nil ? 1883 : 8883
    let host = host.contains(":") ? "[\(host)]" : host
    return "\(tls == nil ? "mqtt" : "mqtts")://\(host)" + (Int(port) == usual ? "" : ":\(port)")
  }
}
