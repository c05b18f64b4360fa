import CZlib

/// Compresses an answer, or the events of a stream, with gzip (RFC 1952), for clients that accept it (RFC 9110, section 12.5.3).
@safe final class Gzip {
  private var stream = unsafe z_stream()
  /// Below this the answer fits into a packet anyway.
  private static let worthwhile = 1024

  /// nil: there is no memory.
  init?() {
    guard unsafe beaconkeeper_deflate_init(&stream) == Z_OK else { return nil }
  }

  deinit { unsafe deflateEnd(&stream) }

  /// Compresses octets. From what was returned so far, the client can decode everything that was given so far.
  ///
  /// - Parameter isLast: nothing comes after.
  func compress(_ octets: [UInt8], isLast: Bool = false) -> [UInt8] {
    var input = octets
    var output: [UInt8] = []
    unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(input.count)
      // Room is left over when all is out.
      repeat {
        let room = Int(unsafe deflateBound(&stream, UInt(stream.avail_in))) + 64
        let piece = unsafe [UInt8](unsafeUninitializedCapacity: room) { piece, count in
          unsafe stream.next_out = piece.baseAddress
          unsafe stream.avail_out = UInt32(room)
          _ = unsafe deflate(&stream, isLast ? Z_FINISH : Z_SYNC_FLUSH)
          count = unsafe room - Int(stream.avail_out)
        }
        output += piece
      } while unsafe stream.avail_out == 0
    }
    return output
  }

  /// The answer, compressed if the client accepts that and it is worthwhile.
  static func compressed(_ response: Response, for accepted: [String]) -> Response {
    guard response.body.count >= worthwhile, isText(response.contentType), accepts(accepted),
      !response.headers.contains(where: { $0.name == "Content-Encoding" }), let gzip = Gzip()
    else { return response }
    var response = response
    response.body = gzip.compress(response.body, isLast: true)
    response.headers += encoding
    return response
  }

  static let encoding = [("Content-Encoding", "gzip"), ("Vary", "Accept-Encoding")]

  private static func isText(_ type: String) -> Bool {
    type.hasPrefix("text/") || type.hasPrefix("application/json") || type == "image/svg+xml"
      || type == "application/manifest+json"
  }

  /// - Parameter accepted: `Accept-Encoding`, such as `gzip, deflate;q=0.5`.
  static func accepts(_ accepted: [String]) -> Bool {
    accepted.flatMap { $0.split(separator: ",") }.contains { element in
      let parts = element.lowercased().split(separator: ";").map { $0.filter { $0 != " " } }
      guard parts.first == "gzip" else { return false }
      return !parts.dropFirst().contains {
        $0.hasPrefix("q=0") && $0.dropFirst(3).allSatisfy { ".0".contains($0) }
      }
    }
  }
}
