import Foundation

#if canImport(FoundationXML)
  package import FoundationXML
#endif

/// What the parser finds on a page.
package final class PageReader: NSObject, XMLParserDelegate {
  package private(set) var elements: [String: Int] = [:]
  package private(set) var ids: [String] = []
  package private(set) var targets: [String] = []
  package private(set) var references: [String] = []
  package private(set) var text = ""

  package func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    elements[name, default: 0] += 1
    if let id = attributes["id"] { ids.append(id) }
    for key in ["href", "src", "xlink:href", "data", "action", "srcset"] {
      guard let target = attributes[key] else { continue }
      if target.hasPrefix("#") {
        targets.append(String(target.dropFirst()))
      } else {
        references.append(target)
      }
    }
    for key in ["aria-labelledby", "aria-describedby"] {
      if let target = attributes[key] { targets.append(target) }
    }
  }

  package func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  /// nil: not well-formed.
  package init?(_ html: String) {
    super.init()
    let parser = XMLParser(data: Data(html.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }
}
