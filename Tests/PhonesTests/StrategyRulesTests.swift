import Phones
import Testing

/// Which constants explain a strategy.
@Suite struct StrategyRulesTests {
  private func profile(_ os: String, _ strategy: String) throws -> PhoneProfile {
    let os = try #require(Catalogue.system(named: os, variant: .seed))
    let strategy = try #require(Catalogue.strategy(named: strategy, variant: .seed))
    return try #require(PhoneProfile(os: os, strategy: strategy))
  }

  @Test func aStrategyIsExplainedByItsRules() throws {
    let task = try profile("ios7", "background-task")
    #expect(task.strategy.ruleNames.contains("begins_task"))
    #expect(!task.strategy.ruleNames.contains("starts_location"))
    #expect(task.systemRuleNames.contains("task_cap"))
    #expect(!task.systemRuleNames.contains("location_accuracy_limit"))
  }

  @Test func aStrategyWithoutTasksIsNotExplainedByTheirCap() throws {
    #expect(!(try profile("ios7", "stock").systemRuleNames.contains("task_cap")))
  }

  @Test func everyUserChangeToAStrategyIsShown() throws {
    var stock = try #require(Catalogue.strategy(named: "stock", variant: .seed))
    #expect(!stock.ruleNames.contains("slots_taken"))
    stock.set("slots_taken", to: .number(30), source: "measured", confidence: .high)
    #expect(stock.ruleNames.contains("slots_taken"))
  }

  @Test(arguments: PhoneProfile.all(.seed)) func everyRuleIsAConstant(profile: PhoneProfile) {
    for name in profile.strategy.ruleNames + profile.systemRuleNames {
      #expect(profile.told(name) != nil, "\(name)")
    }
  }

  @Test(arguments: PhoneProfile.all(.seed)) func aRuleOfTheOtherPlatformIsLeftOut(profile: PhoneProfile) {
    let foreign =
      profile.os.family == .iOS
      ? ["scan_period", "hit_latency", "doze_after"] : ["grace", "task_cap", "starts_location"]
    let names = profile.strategy.ruleNames + profile.systemRuleNames
    #expect(!names.contains(where: foreign.contains))
  }
}
