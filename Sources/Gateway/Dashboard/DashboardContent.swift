import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Synchronization
import Web

/// The paths of the API, the page and the metrics.
package struct DashboardContent: Content {
  let stage: any Stage
  private let overviews: SharedOverview
  private let metrics: SharedMetrics
  let calibration: CalibrationDesk
  let enrolment: EnrolDesk
  private let setup: SetupDesk

  /// - Parameter log: called with what was done from the page.
  package init(_ stage: any Stage, log: @escaping @Sendable (String) -> Void = { _ in }) {
    self.stage = stage
    overviews = SharedOverview(stage)
    metrics = SharedMetrics(stage)
    calibration = CalibrationDesk(stage)
    enrolment = EnrolDesk(stage, log: log)
    setup = SetupDesk(stage)
  }

  /// The page itself contains no data of the gateway; it requests them from the API. Monitors request `/healthz` without a
  /// password.
  package func isPublic(_ path: [String]) -> Bool {
    isPage(path) || path == ["healthz"] || path == ["favicon.ico"]
  }

  package func isPage(_ path: [String]) -> Bool { path.isEmpty || path.first == "assets" }

  package func answer(_ request: Request, rights: Rights) -> Answer {
    let isReading = request.method == .get || request.method == .head
    switch (request.path.first, isReading) {
    case (nil, true): return .now(file("index.html", request))
    case ("assets", true) where request.path.count == 2: return .now(file(request.path[1], request))
    case ("favicon.ico", true): return .now(file("icon.svg", request))
    case ("healthz", true) where request.path.count == 1: return .now(health)
    case ("metrics", true) where request.path.count == 1:
      return .now(
        Response(contentType: "text/plain; version=0.0.4; charset=utf-8", metrics.text))
    case ("api", _) where request.path.count > 2 && request.path[1] == "v1":
      // Browsers would resolve these as folders.
      let folders = ["%2E": ".", "%2E%2E": ".."]
      return api(request.path.dropFirst(2).map { folders[$0] ?? $0 }, request, rights)
    default: return .now(Self.nothingHere)
    }
  }

  private var overview: Overview {
    let details = stage.details
    return stage.look { Overview($0, $1, details, at: $2.wallTime) }
  }

  private var diary: DiaryAnswers {
    DiaryAnswers(diary: stage.diary, now: LiveClock.wallNow) { [stage] name in
      stage.look { pipeline, _, _ in pipeline.configuration.beacons(called: name) }
    }
  }

  static let nothingHere = Response.error(404, "There is nothing here.")
  private static let mayOnlyLook = Response.error(
    403, "You may look, but not change anything.",
    remedy: "Log in with the password of http.write_password_file.")

  private func file(_ name: String, _ request: Request) -> Response {
    guard let file = PageFile.all[name] else { return Self.nothingHere }
    let headers = [(name: "ETag", value: file.tag), (name: "Cache-Control", value: "no-cache")]
    if request.headers["if-none-match"] == file.tag {
      return Response(status: 304, contentType: file.contentType, [], headers: headers)
    }
    return Response(contentType: file.contentType, file.bytes, headers: headers)
  }

  private var health: Response {
    let complaint = stage.complaint()
    return Response(
      status: complaint == nil ? 200 : 503, contentType: Response.plainText,
      Array("\(complaint ?? "ok")\n".utf8))
  }

  // MARK: The API

  static let routes: [Route] =
    [
      .get("overview") { .now(Response($0.overviews.json(for: $1.rights))) },
      .get("events", query: ["changes"]) { .stream($0.events($1.request, $1.rights)) },
      .get("openapi.json") { .now($0.file("openapi.json", $1.request)) },
      .get("configuration") { content, call in .later { content.configuration(call.rights) } },
      .change(.put, "zones/:zone") { content, call in
        content.edit { $0.change(zone: call.name, call.request) }
      },
      .change(.post, "beacons") { content, call in
        content.edit { $0.add(call.request) { content.stage.suggestion(for: $0) } }
      },
      .change(.post, "undo") { content, call in content.edit { $0.undo(call.request) } },
      .post("try") { content, call in .attempt { content.attempt(call.request.body, isAwaited: $0) } },
      .get("plan") { content, _ in
        .now(Response(content.stage.look { pipeline, _, _ in PlanPicture(pipeline.configuration) }.json))
      },
      .change(.put, "plan") { content, call in content.edit { $0.change(plan: call.request) } },
      .get("strangers", query: ["reveal"]) { content, call in
        let none = Array(#"{"devices":[],"overlooked":0,"why":"A recording has no strangers to show."}"#.utf8)
        let areRevealed = call.request.query["reveal"] == "1"
        return .now(Response(content.stage.strangers(areRevealed: areRevealed) ?? none))
      },
      .get("recording") { content, _ in .now(content.recording()) },
      .post("recording") { .now($0.recording($1.request.body)) },
      .get("calibration") { content, _ in .later { content.calibration.picture } },
      .get("calibration/file") { content, _ in .now(content.calibration.file) },
      .change(.post, "calibration/:step") { $0.calibration.answer($1.name, $1.request) },
      // Only people with write access see the numbers that devices show.
      Route(method: .get, path: "enrolment", isChange: true, query: ["session"]) {
        $0.enrolment.answer($1.request.query["session"])
      },
      .change(.post, "enrolment/:step") { $0.enrolment.answer($1.name, $1.request) },
      .change(.get, "setup") { content, _ in .later { content.setup.picture } },
      .change(.get, "setup/entities") { content, _ in .later { content.setup.entities } },
      .change(.post, "setup/:step") { $0.setup.answer($1.name, $1.request) },
      .get("marks") { content, _ in .now(content.calibration.marks) },
      .get("beacons/:beacon") { content, call in
        .now(
          content.beacon(call.name) { pipeline, beacon in
            pipeline.beaconState(of: beacon)?.message(topics: pipeline.topics).payload
          })
      },
      .change(.put, "beacons/:beacon") { content, call in
        content.edit { $0.change(beacon: call.name, call.request) }
      },
      .get("beacons/:beacon/cloud") { content, call in
        .now(content.beacon(call.name) { CloudPicture(of: $1, $0).json })
      },
      .get("beacons/:beacon/history", query: ["minutes"]) { $0.history($1) },
      .get("beacons/:beacon/live") { content, call in
        let isKnown = content.stage.look { pipeline, _, _ in pipeline.beacon(named: call.name) != nil }
        guard isKnown else { return .now(unheard(call.name)) }
        return .stream { BeaconStream(call.name, content.stage) }
      },
      .get("diary", query: DiaryAnswers.query) { content, call in
        .later { content.diary.entries(call.request.query) }
      },
      .get("visits", query: DiaryAnswers.visitQuery) { content, call in
        .later { content.diary.visits(call.request.query) }
      },
      .get("transitions", query: ["limit", "after", "beacon", "zone", "room"]) {
        .now($0.transitions($1.request))
      },
    ]
    + Overview.Part.allCases.filter { $0 != .transitions }.map { part in
      .get(part.rawValue) { content, _ in .now(Response(content.overview.json(of: part))) }
    }

  private func api(_ path: [String], _ request: Request, _ rights: Rights) -> Answer {
    let routes = Self.routes.filter { $0.name(in: path) != nil }
    let method = request.method == .head ? .get : request.method
    guard let route = routes.first(where: { $0.method == method }), let name = route.name(in: path) else {
      let methods = routes.map(\.method.rawValue)
      guard !methods.isEmpty else { return .now(Self.nothingHere) }
      var response = Response.error(405, "Send it with \(methods.joined(separator: " or ")).")
      let allowed = methods.flatMap { $0 == "GET" ? [$0, "HEAD"] : [$0] }
      response.headers.append(("Allow", allowed.joined(separator: ", ")))
      return .now(response)
    }
    guard rights.write || !route.isChange else { return .now(Self.mayOnlyLook) }
    if let stranger = request.query.keys.sorted().first(where: { !route.query.contains($0) }) {
      let known = route.query.sorted().joined(separator: ", ")
      return .now(
        .error(
          400, "There is no parameter \(String(stranger.prefix(40)).printable) here.",
          remedy: known.isEmpty ? "Leave it out." : "Use one of \(known)."))
    }
    return route.answer(self, Route.Call(request: request, rights: rights, name: name))
  }

  /// Changes the configuration's file.
  private func edit(_ body: @escaping @Sendable (ConfigurationEditor) -> Response) -> Answer {
    guard let editor = stage.editor else {
      return .now(.error(404, "There is no configuration file to change."))
    }
    return .later { body(editor) }
  }

  /// The position of the player of a recording.
  ///
  /// - Parameter change: first moves, pauses or continues it; nil: does not.
  private func recording(_ change: [UInt8]? = nil) -> Response {
    guard let player = stage.player else { return .error(404, "This is no recording.") }
    if let change {
      guard let tree = try? JSONTree(change) else { return .error(400, "The body is not JSON.") }
      if let refusal = player.control(tree) { return refusal }
    }
    return Response(player.position())
  }

  static func unheard(_ name: String) -> Response { .error(404, "No beacon of this name was heard yet.") }

  private func beacon(_ name: String, _ body: (Pipeline, BeaconIndex) -> [UInt8]?) -> Response {
    let json = withoutActuallyEscaping(body) { body in
      stage.look { pipeline, _, _ in pipeline.beacon(named: name).flatMap { body(pipeline, $0) } }
    }
    return json.map { Response($0) } ?? Self.unheard(name)
  }

  private func history(_ call: Route.Call) -> Answer {
    let minutes = Double(call.request.query["minutes"] ?? "10") ?? .nan
    guard (0.1...1440).contains(minutes) else {
      return .now(.error(400, "minutes must be from 0.1 to 1440."))
    }
    return .later { history(of: call.name, over: .seconds(minutes * 60)) }
  }

  private func history(of name: String, over length: TimeSpan) -> Response {
    let found = stage.look { pipeline, recent, now in
      pipeline.beacon(named: name).map { ($0, pipeline.hindsight, recent, now) }
    }
    guard let (beacon, hindsight, recent, now) = found, let hindsight else { return Self.unheard(name) }
    return Response(BeaconHistory(of: beacon, hindsight, recent, now, over: length).json)
  }

  private func transitions(_ request: Request) -> Response {
    let query = request.query
    guard let limit = query["limit"].map({ Int($0) }) ?? Overview.transitionLimit, limit >= 0 else {
      return .error(400, "limit must be a number from 0 on.")
    }
    func isMeant(_ message: TransitionMessage) -> Bool {
      query["beacon"].map { $0 == message.beacon } ?? true
        && query["zone"].map { message.kind == .zone && $0 == message.place } ?? true
        && query["room"].map { message.kind == .room && $0 == message.place } ?? true
    }
    let found = stage.look { _, recent, _ in
      guard let after = query["after"] else {
        return Array(recent.transitions(atMost: RecentDecisions.limit).filter(isMeant).prefix(limit))
      }
      let later = recent.entries(from: recent.place(after: after) ?? 0).compactMap {
        if case .transition(let message) = $0, isMeant(message) { message } else { nil }
      }
      return Array(later.prefix(limit))
    }
    return Response(
      JSONWriter.object {
        $0.array("transitions", found) { $0.value(json: $1.json) }
      })
  }

  /// The configuration as `check` explains it, and the text of the file if the client may change it.
  private func configuration(_ rights: Rights) -> Response {
    let configuration = stage.look { pipeline, _, _ in pipeline.configuration }
    let path = stage.details.configurationFile
    let explanation = Explanation(configuration)
    let current = stage.editor?.current()
    return Response(
      JSONWriter.object {
        $0.field("file", path)
        // The file has no secrets, but its comments are private.
        $0.field("yaml", rights.write ? current?.text : nil)
        $0.field("revision", current?.revision)
        $0.field("undo", rights.write && stage.editor?.canUndo == true)
        $0.field("obstacle", rights.write ? stage.editor?.obstacle : nil)
        $0.array(
          "explained",
          [
            ("receivers", explanation.receivers), ("scanners", explanation.scanners),
            ("beacons", explanation.beacons),
            ("zones", explanation.zones), ("rooms", explanation.rooms), ("phones", explanation.phones),
          ]
        ) { json, section in
          json.object {
            $0.field("section", section.0)
            $0.objects("items", section.1) { json, item in
              json.field("name", item.name)
              json.array("sentences", item.sentences) { $0.value($1) }
            }
          }
        }
      }, headers: current.map { [(name: "ETag", value: "\"\($0.revision)\"")] } ?? [])
  }

  private func events(_ request: Request, _ rights: Rights) -> @Sendable () -> any EventSource {
    let last = request.headers["last-event-id"]
    let wantsChanges = request.query["changes"] == "1"
    let (stage, overviews) = (stage, overviews)
    return {
      let place = stage.look { _, recent, _ in
        // An unknown id, or one of an earlier run: send all recent ones.
        last.map { recent.place(after: $0) ?? 0 } ?? recent.end
      }
      return OverviewStream(stage, overviews, from: place, rights: rights, wantsChanges: wantsChanges)
    }
  }
}

extension DashboardContent {
  /// The decisions that other rules would have made.
  func attempt(_ body: [UInt8], isAwaited: () -> Bool = { true }) -> Response {
    guard let tree = try? JSONTree(body) else { return .error(400, "The body is not JSON.") }
    let name = TrialRequest.beacon(in: tree)
    let revision = stage.details.revision
    // In one call: a beacon's index is not valid in an earlier snapshot.
    let (memory, beacon, recent, now) = stage.look { pipeline, recent, now in
      (pipeline.hindsight, name.flatMap { pipeline.beacon(named: $0) }, recent, now)
    }
    guard let hindsight = memory else { return .error(404, "Nothing is remembered.") }
    if let name, beacon == nil { return Self.unheard(name) }
    do throws(TrialRequest.Refusal) {
      let request = try TrialRequest(tree, of: hindsight.configuration)
      // In memory there are only the latest decisions.
      let kept = recent.isFull ? stage.diary?.transitions(since: now.wallTime - request.length) : nil
      let changed = request.configuration.zones.filter { request.zones.contains($0.name) }
      return Response(
        TrialAnswer(
          request, of: beacon, hindsight, recent, now,
          yaml: zonesYAML(changed) + receiversYAML(request.receivers), revision: revision, kept: kept,
          isAwaited: isAwaited
        ).json)
    } catch {
      return .error(422, "This cannot be tried: \(error).")
    }
  }
}

/// The counters for Prometheus, computed once for all requests within a moment, so that many requests do not delay decisions.
final class SharedMetrics: Sendable {
  private static let age = TimeSpan.milliseconds(100)

  private let stage: any Stage
  private let state = Mutex<(text: [UInt8], made: MonotonicTime)?>(nil)

  init(_ stage: any Stage) { self.stage = stage }

  var text: [UInt8] {
    state.withLock { state in
      let now = LiveClock.now
      if let state, now - state.made < Self.age { return state.text }
      let text = Array(stage.metrics().utf8)
      state = (text, now)
      return text
    }
  }
}
