/// A parsed discovery topic of this gateway, announced by an earlier run or with another configuration.
package struct DiscoveryTopic: Hashable, Sendable {
  package var form: Discovery.Form
  package var subject: DiscoveryDevice.Subject
  /// The component, in the component form.
  package var component: Component?

  package struct Component: Hashable, Sendable {
    package var key: String
    package var platform: String
  }
}

extension Discovery {
  /// Whether a topic matches `filter`.
  package func isOwn(_ topic: String) -> Bool { levels(of: topic) != nil }

  private func levels(of topic: String) -> [Substring]? {
    let start = prefix + "/"
    guard topic.hasPrefix(start) else { return nil }
    let levels = topic.dropFirst(start.count).split(separator: "/", omittingEmptySubsequences: false)
    return levels.count == 4 && levels[1] == node && levels[3] == "config" ? levels : nil
  }

  /// nil for a topic that no version of ours uses.
  package func parse(_ topic: String) -> DiscoveryTopic? {
    guard let levels = levels(of: topic) else { return nil }
    let (platform, object) = (String(levels[0]), levels[2])
    if platform == "device" {
      return DiscoveryDevice.Subject(objectID: object).map {
        DiscoveryTopic(form: .device, subject: $0, component: nil)
      }
    }
    guard let end = object.firstRange(of: "__"),
      let subject = DiscoveryDevice.Subject(objectID: object[..<end.lowerBound])
    else { return nil }
    return DiscoveryTopic(
      form: .component, subject: subject,
      component: .init(key: String(object[end.upperBound...]), platform: platform))
  }
}
