import PolicyReport

extension JUnitReport {
  /// A test case for each check.
  init(_ book: ExpectationBook) {
    self.init(
      cases: book.checks.map { check in
        var name = check.expectation
        if let phone = check.phone { name += ", phone \(phone)" }
        if let approach = check.approach { name += ", \(approach)" }
        let outcome: Case.Outcome
        if check.isSkipped {
          outcome = .skipped("the phone never came near")
        } else if let happened = check.happened {
          outcome = .failed(
            happened, text: check.source.isEmpty ? check.message : "\(check.source)\n\(check.message)")
        } else {
          outcome = .passed
        }
        return Case(
          name: name, className: "\(check.os ?? "any").\(check.strategy ?? "any")", outcome: outcome)
      }, leftOut: book.leftOut)
  }
}
