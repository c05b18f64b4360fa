import Beacons
import Contract
import Core
import Pipeline
import Scenes
import Testing

@testable import Web
@testable import Gateway

/// The routes of the API: what is found, what is refused, and what its description says.
@Suite struct RouteTests {
  private func answer(
    _ method: Request.Method, _ path: String, query: [String: String] = [:], mayWrite: Bool = true
  ) throws -> Response? {
    let content = DashboardContent(
      SilentStage(pipeline: Pipeline(try Scene.configuration("gateway: { name: home }"))))
    let path = ["api", "v1"] + path.split(separator: "/").map(String.init)
    let request = Request(method: method, path: path, query: query, body: Array("{}".utf8))
    return switch content.answer(request, rights: Rights(read: true, write: mayWrite)) {
    case .now(let response): response
    case .later(let body): body()
    case .attempt(let body): body { true }
    case .stream: nil
    }
  }

  @Test func `each route is described, and each description has a route`() throws {
    let file = try #require(try answer(.get, "openapi.json"))
    guard case .object(let paths)? = try JSONTree(file.body, limit: file.body.count)["paths"] else {
      Issue.record("no paths")
      return
    }
    var described: Set<String> = []
    for path in paths where path.name.hasPrefix("/api/v1/") {
      guard case .object(let methods) = path.value else { continue }
      for method in methods where ["get", "post", "put"].contains(method.name) {
        described.insert("\(method.name) \(path.name.dropFirst(8))")
      }
    }
    let routes = DashboardContent.routes.filter { $0.path != "openapi.json" }.map { route in
      let levels = route.path.split(separator: "/").map { $0.hasPrefix(":") ? "{\($0.dropFirst())}" : $0 }
      return "\(route.method.rawValue.lowercased()) \(levels.joined(separator: "/"))"
    }
    #expect(Set(routes) == described)
    #expect(routes.count == described.count, "none hides another")
  }

  @Test func `another method is told which ones there are`() throws {
    for (method, path, allowed) in [
      (Request.Method.get, "try", "POST"), (.post, "zones/hall", "PUT"), (.put, "beacons", "POST, GET, HEAD"),
      (.post, "overview", "GET, HEAD"), (.post, "plan", "GET, HEAD, PUT"),
      (.get, "calibration/begin", "POST"), (.get, "setup/try", "POST"),
    ] {
      let response = try #require(try answer(method, path))
      #expect(response.status == 405, "\(path)")
      #expect(response.headers.first { $0.name == "Allow" }?.value == allowed, "\(path)")
    }
    #expect(try answer(.head, "overview")?.status == 200)
  }

  @Test func `a parameter that nobody knows is refused, and so is one without sense`() throws {
    for (path, query) in [
      ("transitions", ["beacn": "key"]), ("transitions", ["limit": "all"]), ("transitions", ["limit": "-1"]),
      ("zones", ["zone": "hall"]), ("strangers", ["minutes": "3"]),
    ] {
      #expect(try answer(.get, path, query: query)?.status == 400, "\(path) \(query)")
    }
    let query = ["limit": "3", "after": "0", "beacon": "key", "zone": "hall", "room": "hall"]
    #expect(try answer(.get, "transitions", query: query)?.status == 200)
  }

  @Test func `what is nowhere, or may not be changed, is refused`() throws {
    for path in ["", "attic", "zones/hall/near", "beacons/key/history/all", "calibration/file/more"] {
      #expect(try answer(.get, path)?.status == 404, "\(path)")
    }
    for (method, path) in [
      (Request.Method.put, "zones/hall"), (.put, "plan"), (.post, "beacons"), (.post, "undo"),
      (.post, "calibration/begin"), (.post, "setup/try"), (.get, "setup"),
    ] {
      #expect(try answer(method, path, mayWrite: false)?.status == 403, "\(path)")
      #expect(try answer(method, path)?.status != 403, "\(path)")
    }
    // A trial changes nothing.
    #expect(try answer(.post, "try", mayWrite: false)?.status != 403)
  }
}
