extension Markup {
  package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
    element(
      "line",
      [
        "x1": Figures.at(x1), "y1": Figures.at(y1), "x2": Figures.at(x2), "y2": Figures.at(y2),
        "class": style,
      ])
  }

  package mutating func text(_ content: String, _ x: Double, _ y: Double, _ style: String, _ anchor: String) {
    element("text", ["x": Figures.at(x), "y": Figures.at(y), "class": style, "text-anchor": anchor], content)
  }
}
