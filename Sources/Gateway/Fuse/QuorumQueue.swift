import AMQP

/// How the queues of a fleet are made.
enum QuorumQueue {
  static let withoutLimit = [
    Argument("x-queue-type", .text("quorum")), Argument("x-single-active-consumer", .flag(true)),
  ]

  /// What a worker has not saved goes back whenever a worker dies or leaves. Since version 4, RabbitMQ throws a message away when
  /// that has happened 20 times, unless the queue says otherwise. −1 means no limit there, but less than none to RabbitMQ 3, which
  /// then throws away what comes back once. So it is a number that is never reached.
  static let arguments = withoutLimit + [Argument("x-delivery-limit", .number(1_000_000_000))]

  /// Whether a queue was not made with `arguments` because it exists with another limit, or none.
  static func isOtherLimit(_ failure: Failure) -> Bool {
    failure.isRefusal && failure.description.contains("'x-delivery-limit'")
  }
}
