/// A text as one word of a shell's command, for lines that people paste: in quotes unless it is harmless.
package func shellWord(_ text: String) -> String {
  let isHarmless = text.unicodeScalars.allSatisfy {
    $0.isASCII && $0.properties.isAlphabetic || "0123456789@%+=:,./_-…".unicodeScalars.contains($0)
  }
  return isHarmless && !text.isEmpty ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
}
