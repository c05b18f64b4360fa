import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// The test cases of a JUnit file, by class and name.
final class JUnit: NSObject, XMLParserDelegate {
  var counts: [String: String] = [:]
  var cases: [(name: String, message: String?, text: String)] = []

  init?(_ xml: String) {
    super.init()
    let parser = XMLParser(data: Data(xml.utf8))
    parser.delegate = self
    guard parser.parse() else { return nil }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    switch name {
    case "testsuite": counts = attributes
    case "testcase":
      cases.append(((attributes["classname"] ?? "") + ": " + (attributes["name"] ?? ""), nil, ""))
    case "failure", "skipped": cases[cases.count - 1].message = attributes["message"]
    default: break
    }
  }

  func parser(_ parser: XMLParser, foundCharacters string: String) {
    if !cases.isEmpty { cases[cases.count - 1].text += string }
  }
}
