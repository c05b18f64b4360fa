import TestSupport
import Testing

@testable import Core

@Suite struct ShellWordTests {
  @Test func `what is harmless stays as it is`() {
    for text in ["mosquitto_sub", "broker.lan", "fe80::1", "…", "-u", "/etc/a_b", "1883"] {
      #expect(shellWord(text) == text)
    }
    #expect(shellWord("home/#") == "'home/#'")
  }

  @Test(arguments: ["", "a b", "$(touch /x)", "a;b", "it's", "`id`", "a\\nb", "ä*", "'", "a\nb", "~", "!x"])
  func `a shell reads exactly the text`(text: String) async throws {
    try await run(["/bin/sh", "-c", "[ \(shellWord(text)) = \"$1\" ]", "sh", text])
  }
}
