import LullEngine
import Testing

@Suite struct AudibleWindowTests {
  /// Tells a window of seconds, `+` audible and `-` not, and writes down after each whether the session is audible:
  /// `A` with the indicator, `a` without it, `.` not.
  private func told(_ seconds: String, spoken: Bool = false) -> String {
    var window = AudibleWindow(spoken: spoken)
    return String(
      seconds.map { second in
        window.second(audible: second == "+")
        return window.isSounding ? "A" : window.isAudible ? "a" : "."
      })
  }

  private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  @Test func `the defaults are the numbers of AUDIBILITY`() {
    let policy = Policy().audibility
    #expect((policy.onLevel, policy.offLevel) == (-60, -64))
    #expect((policy.subBlocks, policy.audibleSubBlocks) == (10, 2))
    #expect((policy.windowSeconds, policy.audibleSeconds) == (10, 3))
    #expect((policy.hangover(spoken: false), policy.hangover(spoken: true)) == (10, 30))
    #expect(policy.indicatorSeconds == 2)
    #expect((policy.startGrace, policy.startGracePeriod) == (.seconds(5), .seconds(60)))
    #expect((policy.lowCorner, policy.passEdge, policy.stopEdge) == (120, 5000, 8600))
  }

  @Test func `nothing heard is not audible`() {
    #expect(told(repeated("-", 30)) == repeated(".", 30))
  }

  @Test func `three audible seconds among ten make it audible, and two do not`() {
    #expect(told("+++") == "..A")
    #expect(told("+--+----+") == "........A")
    #expect(told("+--+-----" + "-+") == "...........")
    #expect(told(repeated("+---------", 6)) == repeated(".", 60))
  }

  @Test func `the lease ends ten seconds after the last audible second, the indicator after two`() {
    #expect(told("+++" + repeated("-", 12)) == "..A" + "Aaaaaaaaa" + "...")
  }

  @Test func `spoken content is held for thirty seconds`() {
    #expect(told("+++" + repeated("-", 31), spoken: true) == "..AA" + repeated("a", 28) + "..")
  }

  @Test func `eight seconds of silence between two tracks stay audible`() {
    let heard = told(repeated("+", 20) + repeated("-", 8) + repeated("+", 20))
    #expect(!heard.dropFirst(2).contains("."))
  }

  @Test func `nine seconds of silence between two tracks stay audible`() {
    let heard = told(repeated("+", 20) + repeated("-", 9) + repeated("+", 20))
    #expect(!heard.dropFirst(2).contains("."))
  }

  @Test func `a beep now and then does not hold what music left behind`() {
    let heard = told("+++++" + repeated("---------+", 8))
    #expect(heard == "..AAA" + "Aaaaaaaaa" + "A" + "Aa" + repeated(".", 68))
  }

  @Test func `two beeps in ten seconds do not hold it either`() {
    let heard = told("+++++" + repeated("----+", 20))
    #expect(heard.hasSuffix(repeated(".", 80)))
  }

  @Test func `the seconds that are left are told`() {
    var window = AudibleWindow()
    for _ in 0..<3 { window.second(audible: true) }
    #expect(window.secondsLeft == 10)
    window.silence(seconds: 4)
    #expect(window.secondsLeft == 6)
    window.second(audible: true)
    #expect(window.secondsLeft == 10)
    window.silence(seconds: .max)
    #expect(window.secondsLeft == 0)
  }

  @Test func `a copy looks ahead`() {
    var window = AudibleWindow()
    window.second(audible: true)
    var ahead = window
    for _ in 0..<2 { ahead.second(audible: true) }
    #expect(ahead.isAudible)
    #expect(!window.isAudible)
  }
}
