import TestSupport
import Testing

/// One real broker at a time: the machine that runs the tests may be small.
@Suite("A real broker", .serialized, .timeLimit(.minutes(5)))
enum RealBroker {}

typealias Broker = TestBroker

extension TestBroker: Server {}
