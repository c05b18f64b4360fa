import Web

/// A path of the API with a method, and what answers it.
struct Route: Sendable {
  /// A request for which there is a route.
  struct Call: Sendable {
    var request: Request
    var rights: Rights
    /// The level of the path in the place of the one with a colon.
    var name: String
  }

  typealias Body = @Sendable (DashboardContent, Call) -> Answer

  let method: Request.Method
  /// Below `api/v1/`. One level may begin with a colon and stands for any name.
  let path: String
  /// Whether only clients with the right to write may call it.
  let isChange: Bool
  /// The names that its query may have. Others are refused, because a misspelt filter would go unnoticed.
  var query: Set<String> = []
  let answer: Body

  static func get(_ path: String, query: Set<String> = [], _ answer: @escaping Body) -> Route {
    Route(method: .get, path: path, isChange: false, query: query, answer: answer)
  }

  static func post(_ path: String, _ answer: @escaping Body) -> Route {
    Route(method: .post, path: path, isChange: false, answer: answer)
  }

  static func change(_ method: Request.Method, _ path: String, _ answer: @escaping Body) -> Route {
    Route(method: method, path: path, isChange: true, answer: answer)
  }

  /// What stands for the colon, if any; nil: it is another path.
  func name(in levels: [String]) -> String? {
    let pattern = path.split(separator: "/")
    guard pattern.count == levels.count else { return nil }
    var name = ""
    for (part, level) in zip(pattern, levels) {
      if part.hasPrefix(":") { name = level } else if part != level { return nil }
    }
    return name
  }
}
