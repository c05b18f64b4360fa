import Messages
import Scanners

extension HealthMessage.Scanner {
  init(_ figures: ScannerFigures) {
    self.init(
      kind: figures.kind.rawValue, topic: figures.topic, messages: figures.messages,
      observations: figures.observations, retained: figures.retained,
      refused: Dictionary(figures.refused.map { ($0.key.rawValue, $0.value) }) { $1 })
  }
}

extension HealthMessage.Gateway {
  init(_ figures: GatewayFigures) {
    self.init(
      name: figures.name, boot: figures.boot, offset: figures.offset, batches: figures.batches,
      observations: figures.observations, lost: figures.lost, refused: figures.refused,
      hasTwin: figures.hasTwin, lastRefusal: figures.lastRefusal?.rawValue)
  }
}
