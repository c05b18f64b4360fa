import Pages
import RangingPolicy

/// Constants with their value, source and confidence.
struct ConstantsTable {
  let constants: [StatedRule]
  let caption: String

  init(_ constants: [StatedRule], caption: String) {
    self.constants = constants
    self.caption = caption
  }

  func write(into page: inout Markup) {
    page.element("table", ["class": "constants"]) { page in
      page.element("caption", caption)
      page.rows(below: ["Constant", "Value", "Source", "Confidence"]) { page in
        for constant in constants {
          page.element("tr", ["class": constant.confidence == .high ? "sure" : "unsure"]) { page in
            page.element("th", ["scope": "row"]) { $0.code(constant.name) }
            page.element("td", constant.value)
            page.element("td", constant.source.text)
            page.element("td") { page in
              page.element("abbr", ["title": constant.confidence.words], constant.confidence.rawValue)
              if constant.confidence != .high { page.say(" uncertain") }
            }
          }
        }
      }
    }
  }
}
