import Core
import Phones

/// `phone/<phone>/window`: what a phone's app can do from a certain time on.
package struct WindowMessage: Sendable {
  package var phone: String
  package var state: Window.State
  /// When the state began.
  package var since: WallTime
  /// The time of this message: `remaining` counts from here.
  package var time: WallTime
  /// Background time left; nil: unlimited.
  package var remaining: Milliseconds?
  package var os: String
  package var strategy: String
  /// Why the app does not range; nil while it does.
  package var why: Reason?

  package init(
    phone: String, state: Window.State, since: WallTime, time: WallTime, remaining: Milliseconds?, os: String,
    strategy: String, why: Reason?
  ) {
    self.phone = phone
    self.state = state
    self.since = since
    self.time = time
    self.remaining = remaining
    self.os = os
    self.strategy = strategy
    self.why = why
  }

  package func message(topics: Topics) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("time", time)
      $0.field("state", state.rawValue)
      $0.field("since", since)
      $0.field("remaining_s", remaining.map { Double($0) / 1000 }, decimals: 3)
      $0.field("os", os)
      $0.field("strategy", strategy)
      $0.field("why", why?.rawValue)
    }
    return Message(topic: topics.window(phone: phone), payload: payload, qos: .atLeastOnce, retained: true)
  }
}
