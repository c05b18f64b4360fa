import Beacons
import Captures
import Core

/// Decodes a capture that begins with `head`, once whole and once in pieces, and holds both to what must be
/// true of any bytes: the same is heard, time never steps back, faults are told in words and stay.
public func fuzzCapture(_ head: [UInt8], _ start: UnsafePointer<UInt8>, _ count: Int) {
  var capture = head
  let tail = UnsafeBufferPointer(start: start, count: count)
  capture.append(contentsOf: tail)
  let whole = Decoding(capture, piece: capture.count + 1)
  let pieces = Decoding(capture, piece: 1 + Int(tail.last ?? 0) % 61)
  precondition(whole == pieces)
  // A report takes more than four bytes of its capture, however it lies.
  precondition(whole.advertisements <= capture.count / 4)
}

private struct Decoding: Equatable {
  var advertisements = 0
  var payloadBytes = 0
  var observations = 0
  var healthChanges = 0
  var receivers = 0
  var malformed: Int64 = 0
  var error: String?
  var latest = MonotonicTime.zero

  init(_ capture: [UInt8], piece: Int) {
    var decoder = CaptureDecoder()
    var batch = AdvertisementBatch()
    var position = 0
    decoding: do throws(CaptureError) {
      while true {
        switch try decoder.next(into: &batch) {
        case .advertisements: take(batch)
        case .observation(let observation):
          observations += 1
          precondition((1...200).contains(observation.key.utf8.count))
          advance(to: observation.time)
        case .report(let report):
          precondition(report.phone.utf8.count <= 255 && report.payload.count <= 1650)
          advance(to: report.time)
        case .health(let change):
          healthChanges += 1
          advance(to: change.time)
        case nil:
          decoder.fill { span, offset in
            let length = min(piece, capture.count - position, span.count - offset)
            for index in 0..<length { span[offset + index] = capture[position + index] }
            position += length
            return length
          }
        case .end: break decoding
        }
      }
    } catch {
      self.error = error.description
      precondition(!error.message.isEmpty)
      var again: CaptureError?
      do throws(CaptureError) { _ = try decoder.next(into: &batch) } catch let later { again = later }
      precondition(again == error)
    }
    receivers = decoder.receivers.names.count
    malformed = decoder.malformedEvents
  }

  private mutating func take(_ batch: borrowing AdvertisementBatch) {
    precondition(!batch.isEmpty)
    advertisements += batch.count
    var time = latest
    batch.forEach { advertisement, payload in
      payloadBytes += payload.count
      precondition(advertisement.time >= time)
      time = advertisement.time
    }
    latest = time
  }

  private mutating func advance(to time: MonotonicTime) {
    precondition(time >= latest)
    latest = time
  }
}
