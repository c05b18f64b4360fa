import Configuration
import Core
import Radio
import Web

/// `enrolment…` of the API.
extension EnrolDesk {
  func answer(_ session: String?) -> Answer {
    if let session { return .now(picture(session)) }
    // The adapters are asked.
    return .later { self.picture(nil) }
  }

  /// Takes a step of an enrolment.
  func answer(_ step: String, _ request: Request) -> Answer {
    guard let tree = try? JSONTree(request.body) else { return .now(.error(400, "The body is not JSON.")) }
    switch step {
    case "begin":
      guard case .text(let name)? = tree["name"], !name.isEmpty else {
        return .now(.error(400, "The body needs a name."))
      }
      return .later {
        if self.isOpen { return Self.response(Self.busy) }
        switch self.begin(name, allowsNoNumber: tree["without_number"] == .flag(true)) {
        case .success(let session): return self.picture(session.id)
        case .failure(let refusal): return Self.response(refusal)
        }
      }
    case "type", "stop":
      guard case .text(let id)? = tree["session"], session(id) != nil else {
        return .now(.error(409, "This enrolment has ended."))
      }
      if step == "stop" {
        stop(id)
      } else {
        guard case .text(let text)? = tree["number"], let line = Self.line(text) else {
          return .now(.error(422, "This is not a number of six digits.", remedy: "Or type yes, or no."))
        }
        type(line, id)
      }
      return .now(picture(id))
    default: return .now(DashboardContent.nothingHere)
    }
  }

  private static func line(_ text: String) -> String? {
    let line = text.lowercased().filter { !$0.isWhitespace && $0 != "-" }
    let isNumber = line.utf8.count == 6 && line.utf8.allSatisfy { (0x30...0x39).contains($0) }
    return isNumber || ["yes", "no"].contains(line) ? line : nil
  }

  private static func response(_ refusal: EnrolRefusal) -> Response {
    .error(409, refusal.reason, remedy: refusal.remedy)
  }

  private func picture(_ id: String?) -> Response {
    let session = session(id)
    let (state, refusal, yaml, keys): (String, EnrolRefusal?, String?, String?) =
      switch session?.outcome {
      case .saved(let keys, let yaml): ("saved", nil, yaml, keys)
      case .failed(let refusal, let yaml): ("failed", refusal, yaml, nil)
      case nil where session != nil: ("open", nil, nil, nil)
      case nil: ("none", isOpen ? Self.busy : obstacle(), nil, nil)
      }
    let seconds = session?.opened.map { Double(LivePairing.seconds) - (now() - $0).seconds }
    return Response(
      JSONWriter.object {
        $0.field("state", state)
        $0.field("session", session?.id)
        $0.field("name", session?.name)
        $0.field("seconds_left", seconds.map { max($0, 0) }, decimals: 0)
        $0.field("numbers_left", Self.numberLimit - (session?.numbers ?? 0))
        $0.objects("news", session?.news ?? []) { Self.write($1, in: &$0) }
        $0.field("problem", refusal?.reason)
        $0.field("remedy", refusal?.remedy)
        $0.field("keys_file", keys)
        $0.field("yaml", yaml)
      })
  }

  private static func write(_ news: PairingNews, in json: inout JSONWriter) {
    func one(_ kind: String, _ device: String? = nil, reason: String? = nil, number: String? = nil) {
      json.field("kind", kind)
      json.field("device", device)
      json.field("reason", reason)
      json.field("number", number)
    }
    switch news {
    case .putBack: one("put_back")
    case .isOpen(let adapter, _): one("open", adapter)
    case .connected(let device): one("connected", "\(device)")
    case .wantsNumber(let device): one("wants_number", "\(device)")
    case .wantsConsent(let device): one("wants_consent", "\(device)")
    case .showsNumber(let device, let number): one("shows_number", "\(device)", number: number)
    case .isNoNumber: one("no_number")
    case .refused(let device, let reason): one("refused", "\(device)", reason: reason)
    case .left(let device): one("left", "\(device)")
    }
  }
}
