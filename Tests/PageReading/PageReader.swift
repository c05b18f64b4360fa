public import Foundation

#if canImport(FoundationXML)
  public import FoundationXML
#endif

/// What the parser finds on a page.
public final class PageReader: NSObject, XMLParserDelegate {
  public private(set) var elements: [String: Int] = [:]
  public private(set) var ids: [String] = []
  public private(set) var targets: [String] = []
  public private(set) var references: [String] = []
  public private(set) var text = ""

  public func parser(
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

  public func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }

  /// nil: not well-formed.
  public init?(_ html: String) {
    super.init()
    let parser = XMLParser(data: Data(html.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }
}
