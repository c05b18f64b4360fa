/// Delivery guarantee. Exactly once (QoS 2) is left out: receivers drop duplicates by id.
@frozen public enum QoS: Int32, Hashable, Sendable {
  case atMostOnce = 0
  case atLeastOnce = 1
}
