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

  @Test func `logins that may only look put out nobody who may write`() {
    var sessions = Sessions()
    sessions.begin("writer", Rights(read: true, write: true), at: 0)
    for number in 0...200 { sessions.begin("\(number)", Rights(read: true, write: false), at: 1) }
    #expect(sessions.rights(of: "writer", at: 2)?.write == true)
    #expect(sessions.rights(of: "200", at: 2) != nil)
  }

  @Test func `a restart logs nobody out, and another password everybody`() {
    var sessions = Sessions()
    let (writes, reads) = (
      Rights(read: true, write: true, isLoggedIn: true), Rights(read: true, write: false, isLoggedIn: true)
    )
    sessions.begin("a", writes, at: 0)
    sessions.begin("b", reads, at: 10)
    sessions.begin("c", reads, at: 10)
    sessions.end("c")
    let text = sessions.saved(at: 100, wall: 5_000_000, salt: "s", passwords: { $0 + "1" })
    // The machine was off for an hour.
    let later = Sessions(saved: text, at: 7, wall: 5_003_600, passwords: { $0 + "1" })
    #expect(later.rights(of: "a", at: 7) == writes && later.rights(of: "b", at: 7) == reads)
    #expect(later.rights(of: "c", at: 7) == nil)
    #expect(later.rights(of: "a", at: 7 + 86_400 - 3700 - 1) == writes)
    #expect(later.rights(of: "a", at: 7 + 86_400 - 3700) == nil)
    #expect(
      Sessions(saved: text, at: 7, wall: 5_003_600, passwords: { $0 + "2" }).rights(of: "a", at: 7) == nil)
    #expect(
      Sessions(saved: text, at: 7, wall: 6_000_000, passwords: { $0 + "1" }).rights(of: "a", at: 7) == nil)
    // A clock that was set back makes no login last longer than a day.
    #expect(Sessions(saved: text, at: 7, wall: 0, passwords: { $0 + "1" }).rights(of: "a", at: 86_407) == nil)
    for damaged in ["", "s s1\na", "s s1\na x w\n", "s s1\na 99999999999999999999 w", "s\na 9 w", "\n\n"] {
      #expect(Sessions(saved: damaged, at: 0, wall: 0, passwords: { $0 + "1" }).rights(of: "a", at: 0) == nil)
    }
  }

  @Test func `the cookie is found among others`() {
    #expect(Sessions.id(in: "theme=dark; gate-1=other; gate-10=abc; x=y", named: "gate-10") == "abc")
    #expect(Sessions.id(in: "gateX=abc", named: "gate") == nil)
    #expect(Sessions.id(in: nil, named: "gate") == nil)
  }
}

/// Wrong passwords, and who is kept out because of them.
struct PasswordTriesTests {
  private var tries = PasswordTries()

  private mutating func fail(_ count: Int, from network: String = "10.0.0.1", at seconds: Int64 = 0) -> [Bool]
  {
    (0..<count).map { _ in tries.failed(from: network, at: seconds) }
  }

  @Test mutating func `who begins late in a minute has no more tries`() {
    _ = tries.mayTry("x", from: "10.0.0.1", at: 52)
    _ = fail(15, at: 52)
    let atOnce = tries.mayTry("x", from: "10.0.0.1", at: 52)
    let later = tries.mayTry("x", from: "10.0.0.1", at: 53)
    #expect(!atOnce && later)
  }

  @Test mutating func `after ten in a minute only some more are tried, one a second`() {
    let told = fail(15)
    #expect(told == [Bool](repeating: false, count: 10) + [Bool](repeating: true, count: 5))
    let atOnce = tries.mayTry("x", from: "10.0.0.1", at: 0)
    let later = tries.mayTry("x", from: "10.0.0.1", at: 1)
    let another = tries.mayTry("x", from: "10.0.0.2", at: 0)
    let inTheNextMinute = tries.mayTry("x", from: "10.0.0.1", at: 60)
    #expect(!atOnce && later && another && inTheNextMinute)
  }

  @Test mutating func `the first wrong one of a network is told, and the tenth, and ten lines a minute`() {
    let one = (0..<15).map { _ in
      _ = fail(1)
      return tries.news(from: "10.0.0.1")
    }
    #expect(one[0] == "a wrong password came from 10.0.0.1")
    #expect(one[9] == "10 wrong passwords came from 10.0.0.1 within a minute")
    #expect(one.compactMap(\.self).count == 2)
    let many = (0..<1000).compactMap { number in
      _ = fail(1, from: "10.1.\(number / 256).\(number % 256)")
      return tries.news(from: "10.1.\(number / 256).\(number % 256)")
    }
    #expect(many.count == 8)
    _ = tries.mayTry("x", from: "10.0.0.1", at: 60)
    _ = fail(1, from: "10.0.0.1", at: 60)
    let inTheNextMinute = tries.news(from: "10.0.0.1")
    #expect(inTheNextMinute != nil)
  }

  @Test mutating func `what was right stays right`() {
    tries.succeeded("right", from: "10.0.0.1")
    _ = fail(200)
    let known = tries.mayTry("right", from: "10.0.0.1", at: 59)
    let elsewhere = tries.mayTry("right", from: "10.0.0.9", at: 59)
    let wrong = tries.mayTry("wrong", from: "10.0.0.1", at: 59)
    #expect(known && elsewhere && !wrong)
  }

  @Test mutating func `a thousand addresses with a wrong one each keep nobody out`() {
    for number in 0..<1000 { _ = fail(1, from: "10.0.\(number / 256).\(number % 256)") }
    let other = tries.mayTry("right", from: "192.168.1.7", at: 0)
    #expect(other)
  }

  @Test(arguments: [
    ("fd00::1", "fd00::2", true), ("fd00::1", "fd00:0:0:1::1", false), ("fe80::1%eth0", "fe80::2", true),
    ("10.0.0.1", "10.0.0.2", false),
  ])
  func `all addresses of a slash 64 are one network`(one: String, other: String, isSame: Bool) {
    #expect((Network.of(one) == Network.of(other)) == isSame)
  }
}
