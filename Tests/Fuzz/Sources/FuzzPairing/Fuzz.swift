import Beacons
import Core

@testable import Radio

/// What comes from devices while the gateway can be paired: events of the kernel's, requests of the attribute protocol, in any
/// order. Each part of the input is a kind, a length and as many octets. Nobody types anything but numbers that were asked for.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let input = Span(_unsafeStart: start, count: count)
  guard count > 1 else { return 0 }
  var time = MonotonicTime(nanoseconds: 0)
  var pairing = Pairing(adapter: 0, allowsNoNumber: input[0] & 1 != 0, at: time)
  var (hasTyped, hasShown, isOver, undone) = (false, false, false, 0)
  func look(_ actions: [Pairing.Action]) {
    // A few for each device.
    precondition(actions.count <= 4 * Pairing.limit + 4)
    for action in actions {
      switch action {
      case .undo: undone += 1
      case .tell(.showsNumber): hasShown = true
      case .end(.learned(let learned)):
        precondition(hasTyped || hasShown, "a key that nobody agreed to")
        precondition(learned.key.count == 16 && undone > 0)
        isOver = true
      case .end(.hasNoKey):
        precondition(hasTyped || hasShown && undone > 0)
        isOver = true
      case .end: isOver = true
      default: break
      }
    }
  }
  var offset = 1
  while offset + 2 <= count, !isOver {
    let (kind, length) = (input[offset], min(Int(input[offset + 1]), count - offset - 2))
    let part = input.extracting(offset + 2..<offset + 2 + length)
    offset += 2 + length
    switch kind % 4 {
    case 0:
      check(HeartRateServer.answer(part, isPaired: false), part, isPaired: false)
      check(HeartRateServer.answer(part, isPaired: true), part, isPaired: true)
    case 1:
      hasTyped = true
      look(pairing.typed((0..<part.count).map { String(UnicodeScalar(part[$0])) }.joined()))
    case 2:
      time = time + .milliseconds(Int64(length) * 40)
      look(pairing.advance(to: time))
    default: look(pairing.receive(part, at: time))
    }
  }
  if !isOver { look(pairing.close(.stopped)) }
  precondition(isOver)
  return 0
}

private func check(_ answer: [UInt8]?, _ request: Span<UInt8>, isPaired: Bool) {
  guard let answer else { return }
  precondition(!answer.isEmpty && answer.count <= HeartRateServer.unit)
  // The protected values, of handles 9 and 11: whoever is not paired reads neither.
  guard !isPaired, request.count >= 3, request[0] == 0x0A || request[0] == 0x0C else { return }
  let handle = UInt16(request[1]) | UInt16(request[2]) << 8
  if handle == 9 || handle == 11 { precondition(answer[0] == 0x01) }
}
