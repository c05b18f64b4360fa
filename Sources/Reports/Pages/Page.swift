/// A script of ours, with its SHA-256 in base64: a page permits no other.
package struct Script: Sendable {
  package let text: String
  package let fingerprint: String

  package init(_ text: String, fingerprint: String) {
    self.text = text
    self.fingerprint = fingerprint
  }
}

/// A self-contained page of UTF-8 text. The same content gives the same bytes.
package struct Page {
  let title: String
  /// The program's version.
  let version: String
  /// Inline.
  let sheet: String
  /// Inline; nil: none.
  let script: Script?
  /// How reliable the page's figures are.
  let caution: String

  package init(title: String, version: String, sheet: String, script: Script? = nil, caution: String) {
    self.title = title
    self.version = version
    self.sheet = sheet
    self.script = script
    self.caution = caution
  }

  package func html(_ content: (inout Markup) -> Void) -> String {
    var page = Markup()
    page.raw("<!DOCTYPE html>\n")
    page.element("html", ["lang": "en", "xmlns": "http://www.w3.org/1999/xhtml"]) { page in
      page.element("head") { page in
        page.element("meta", ["charset": "utf-8"])
        page.element("meta", ["http-equiv": "Content-Security-Policy", "content": policy])
        page.element("meta", ["name": "viewport", "content": "width=device-width, initial-scale=1"])
        page.element("meta", ["name": "color-scheme", "content": "light dark"])
        page.element("meta", ["name": "generator", "content": "beaconkeeper \(version)"])
        page.element("title", title)
        page.element("style") { $0.raw(sheet) }
      }
      page.element("body") { page in
        page.element("a", ["href": "#summary", "class": "skip"], "Skip to the summary")
        page.element("main", [:], content)
        page.element("footer") { page in
          page.say("Made by beaconkeeper \(version). \(caution)")
        }
        if let script { page.element("script") { $0.raw(script.text) } }
      }
    }
    return page.text
  }

  /// Nothing is loaded from a network, and only the page's own script runs.
  private var policy: String {
    let script = script.map { "'sha256-\($0.fingerprint)'" } ?? "'none'"
    return "default-src 'none'; style-src 'unsafe-inline'; script-src \(script)"
  }

  /// Writes the subject of a page: names and values.
  package static func scenario(_ scenario: [(name: String, value: String)], into page: inout Markup) {
    page.element("dl", ["class": "scenario"]) { $0.terms(scenario.map { ($0.name, $0.value) }) }
  }
}
