import Testing

@testable import Web

/// Cookies of those who logged in.
struct SessionsTests {
  @Test func `a session ends after a day, and at once after a logout`() {
    var sessions = Sessions()
    let rights = Rights(read: true, write: true)
    sessions.begin("a", rights, at: 0)
    sessions.begin("b", rights, at: 0)
    sessions.end("b")
    #expect(sessions.rights(of: "a", at: 86_399) == rights)
    #expect(sessions.rights(of: "a", at: 86_400) == nil)
    #expect(sessions.rights(of: "b", at: 0) == nil)
  }

  @Test func `sessions are bounded: the oldest makes room`() {
    var sessions = Sessions()
    for number in 0...64 { sessions.begin("\(number)", Rights(read: true, write: false), at: Int64(number)) }
    #expect(sessions.rights(of: "0", at: 65) == nil)
    #expect(sessions.rights(of: "64", at: 65) != nil)
  }

  @Test func `ten wrong passwords a minute, then even the right one waits`() {
    var sessions = Sessions()
    for _ in 0..<10 {
      let mayTry = sessions.mayTry("10.0.0.1", at: 30)
      #expect(mayTry)
      sessions.failed("10.0.0.1")
    }
    let laterInTheMinute = sessions.mayTry("10.0.0.1", at: 59)
    #expect(!laterInTheMinute)
    let another = sessions.mayTry("10.0.0.2", at: 59)
    #expect(another)
    let inTheNext = sessions.mayTry("10.0.0.1", at: 60)
    #expect(inTheNext)
  }

  @Test func `the cookie is found among others`() {
    #expect(Sessions.id(in: "theme=dark; gate-1=other; gate-10=abc; x=y", named: "gate-10") == "abc")
    #expect(Sessions.id(in: "gateX=abc", named: "gate") == nil)
    #expect(Sessions.id(in: nil, named: "gate") == nil)
  }
}
