/// The script of the page: it draws the charts at the width of the screen, zooms them together and reads out instants.
/// Without it the page shows the same charts at a fixed size.
enum Script {
  /// In HTML a script's text is not escaped, in XML it is: the marks around it make it the same in both.
  static let text =
    "//<![CDATA[\n(() => {\n'use strict';\n" + parts.joined(separator: "\n") + "\n})();\n//]]>"

  private static let parts = [view, pen, plot, lanes, charts, readOut, hands, start]
}
