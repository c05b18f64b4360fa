import CDashboardPage
import Contract

/// The files of the page, which are part of the program.
package struct PageFile: Sendable {
  package let name: String
  package let bytes: [UInt8]
  /// A hash of the content, so that a browser loads it only when it has changed.
  package let tag: String

  /// The media type, by the name's ending.
  package var contentType: String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "json": "application/json"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "webmanifest": "application/manifest+json"
    default: "application/octet-stream"
    }
  }

  /// By name.
  package static let all: [String: PageFile] = {
    var files: [String: PageFile] = [:]
    var index = 0
    while let file = unsafe dashboard_file(index)?.pointee {
      let name = unsafe String(cString: file.name)
      let bytes = unsafe Array(UnsafeBufferPointer(start: file.data, count: file.size))
      var hash = FNV1a()
      hash.combine(bytes.span)
      files[name] = PageFile(name: name, bytes: bytes, tag: "\"\(String(hash.value, radix: 36))\"")
      index += 1
    }
    return files
  }()
}
