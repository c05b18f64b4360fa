import Beacons
import Machine
import Mosquitto
import ServiceLifecycle

/// With MQTT 3.1.1, finds out which of our topics the broker forbids: it acknowledges messages to them, and drops them.
struct AccessService: Service {
  private let delivery: Delivery
  private let inquiry: AccessInquiry
  private let user: String?

  /// Many topics appear at once, so one process asks about many.
  private static let gathering = Duration.milliseconds(100)
  private static let topicsAtOnce = 200
  /// Refused topics are tried again one by one, each with a process of its own. New topics may appear one by one without end;
  /// then more of them share a process.
  private static let processes = RateLimit(burst: 100, interval: .seconds(2))

  init(_ options: Options, gateway: String, _ delivery: Delivery) {
    self.delivery = delivery
    inquiry = AccessInquiry(options, gateway: gateway)
    user = options.credentials?.username
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      var (inquiry, processes) = (inquiry, Self.processes)
      for await _ in delivery.inquiries {
        while !Task.isCancelled {
          do { try await Task.sleep(for: Self.gathering) } catch { return }
          while delivery.hasQuestions, !processes.take(at: LiveClock.now) {
            do { try await Task.sleep(for: .seconds(1)) } catch { return }
          }
          if delivery.takeReload() { inquiry.retry() }
          let questions = delivery.takeQuestions(atMost: Self.topicsAtOnce)
          if questions.isEmpty { break }
          let report = await inquiry.ask(questions)
          delivery.take(report, user: user)
          // The broker is having a bad moment, or was slow.
          if !report.left.isEmpty { try? await Task.sleep(for: .seconds(1)) }
        }
      }
    }
  }
}
