@testable import Contract
import Testing

@Suite struct TopicLevelTests {
  @Test(arguments: ["pump 3", "a/b", "+", "#", "100 %", "Zürich", "fleet:1.2", "_", "", "plain"])
  func aNameIsFoundInItsLevelAgain(written: String) {
    let level = topicLevel(written)
    #expect(level.allSatisfy { $0.isASCII && !"/+# ".contains($0) })
    #expect(name(ofTopicLevel: level) == written)
  }

  @Test(arguments: ["%", "%4", "%G1", "a%2", "%FF", "%C3"]) func anInvalidTopicLevelGivesNoName(level: String)
  {
    #expect(name(ofTopicLevel: level) == nil)
  }
}
