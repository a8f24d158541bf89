import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct AudibleWindowTests {
  private let loud = Tenth(even: true, odd: true)

  /// Adds tenths to a window: `+` audible on both grids, `e` and `o` on one, `-` not. Returns the result
  /// after each: `A` heard, `a` audible only, `.` neither.
  private func told(_ tenths: String, _ policy: AudibilityPolicy = AudibilityPolicy()) -> String {
    var window = AudibleWindow(policy)
    return String(
      tenths.map { tenth in
        window.tenth(Tenth(even: tenth == "+" || tenth == "e", odd: tenth == "+" || tenth == "o"))
        return window.isHeard ? "A" : window.isAudible ? "a" : "."
      })
  }

  private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

  /// A window after this many audible seconds, and then as many silent ones.
  private func heard(_ seconds: Int, silent: Int = 0, silence: Interval? = nil) -> AudibleWindow {
    var window = AudibleWindow(silence: silence)
    for _ in 0..<10 * seconds { window.tenth(loud) }
    window.silence(tenths: 10 * silent)
    return window
  }

  @Test func `the defaults are the numbers of AUDIBILITY`() {
    let policy = Policy().audibility
    #expect((policy.onLevel, policy.offLevel) == (-60, -64))
    #expect((policy.highOnLevel, policy.highOffLevel) == (-45, -49))
    #expect((policy.windowTenths, policy.audibleTenths, policy.audibleSeconds) == (100, 8, 2))
    #expect((policy.sparseTenths, policy.sparseSeconds) == (5, 4))
    #expect((policy.hangoverSeconds, policy.spokenHangoverSeconds) == (10, 30))
    #expect((policy.longestHangoverSeconds, policy.earningSeconds) == (60, 10))
    #expect(policy.indicatorSeconds == 2)
    #expect((policy.startGrace, policy.startGracePeriod) == (.seconds(12), .seconds(60)))
    #expect(policy.startGracePeriodMaximum == .seconds(3600))
    #expect((policy.lowCorner, policy.passEdge, policy.stopEdge) == (120, 5000, 8600))
    #expect((policy.highPassEdge, policy.highEndEdge, policy.highStopEdge) == (7000, 14_000, 17_000))
  }

  @Test func `each grid earns by its own tenths`() {
    var window = heard(20)
    let earned = window.heardSeconds
    window.tenth(Tenth(even: false, odd: true))
    #expect(window.isHeard && window.heardSeconds == earned)
    window.tenth(Tenth(even: true, odd: false))
    #expect(window.isHeard && window.heardSeconds > earned)
  }

  // MARK: The rule

  @Test func `nothing heard is not audible`() {
    #expect(told(repeated("-", 300)) == repeated(".", 300))
  }

  @Test func `eight tenths among a hundred make it audible, and seven do not`() {
    let pause = repeated("-", 46)
    #expect(told("++++" + pause + "++++" + pause) == repeated(".", 53) + "A" + repeated("a", 46))
    #expect(!told(repeated("++++" + pause + "+++-" + pause, 4)).contains("A"))
    #expect(told(repeated("+", 7) + repeated("-", 90) + "+++++++") == repeated(".", 97) + "AAAAAAA")
  }

  @Test func `eight tenths in one second do not make it audible`() {
    #expect(told("++++++++++" + repeated("-", 40)) == repeated(".", 50))
    #expect(told("++++++++++" + repeated("-", 40) + "+") == repeated(".", 50) + "A")
    #expect(told("-----++++++++") == repeated(".", 12) + "A")
  }

  @Test func `five tenths in four seconds make it audible, and in three they do not`() {
    // A metronome at 30 and at 40, and one at 24.
    #expect(told(repeated("+" + repeated("-", 19), 6)).hasPrefix(repeated(".", 80) + "A"))
    #expect(!told(repeated("+" + repeated("-", 19), 60)).dropFirst(80).contains("."))
    #expect(!told(repeated("+" + repeated("-", 14), 60)).dropFirst(60).contains("."))
    #expect(!told(repeated("+" + repeated("-", 24), 60)).contains("A"))
    #expect(told("+---------+---------+---------++").hasSuffix("....A"))
    #expect(!told("+---------+---------+++" + repeated("-", 100)).contains("A"))
  }

  @Test func `it stays audible while eight tenths are left in two seconds`() {
    let told = told(repeated("+", 20) + repeated("-", 100))
    #expect(told == repeated(".", 10) + repeated("A", 10) + repeated("a", 89) + repeated(".", 11))
  }

  @Test func `the lesser of the two grids decides`() {
    #expect(!told(repeated("e", 200)).contains("a") && !told(repeated("o", 200)).contains("A"))
    // A tick on the border of two tenths fills both on one grid and one on the other.
    #expect(!told(repeated("+o" + repeated("-", 23), 20)).contains("A"))
    #expect(told(repeated("+o--------", 20)).hasSuffix("AA" + repeated("a", 8)))
  }

  @Test func `a pause of 8 s between two tracks does not end it`() {
    #expect(!told(repeated("+", 60) + repeated("-", 80) + repeated("+", 60)).dropFirst(10).contains("."))
  }

  @Test func `a run of silence is the same as its tenths`() {
    for count in [0, 1, 7, 10, 93, 99, 100, 101, 1009] {
      var (run, each) = (heard(5), heard(5))
      run.silence(tenths: count)
      for _ in 0..<count { each.tenth(.silent) }
      for _ in 0..<12 {
        #expect((run.isAudible, run.isHeard) == (each.isAudible, each.isHeard), "\(count)")
        run.tenth(loud)
        each.tenth(loud)
      }
    }
    var window = heard(5)
    window.silence(tenths: .max)
    window.silence(tenths: .min)
    #expect(!window.isAudible)
  }

  // MARK: Hangover

  @Test func `a program that stops has ten seconds`() {
    #expect(heard(5).hangover(running: false, spoken: false) == 10)
    #expect(heard(3600).hangover(running: false, spoken: true) == 10)
  }

  @Test func `one that goes on earns a second for ten that are heard, up to a minute in all`() {
    // The rule holds from the eleventh tenth on.
    #expect(heard(101).heardSeconds == 100)
    #expect(heard(101).hangover(running: true, spoken: false) == 20)
    #expect(heard(501).hangover(running: true, spoken: false) == 60)
    #expect(heard(7200).hangover(running: true, spoken: true) == 60)
  }

  @Test func `spoken content has at least thirty seconds`() {
    #expect(heard(2).hangover(running: true, spoken: true) == 30)
    #expect(heard(301).hangover(running: true, spoken: true) == 40)
  }

  @Test func `what the lease had earned is forgotten with it`() {
    var window = heard(600, silent: 60)
    window.forget()
    #expect(window.heardSeconds == 0)
    for _ in 0..<30 { window.tenth(loud) }
    #expect(window.hangover(running: true, spoken: false) < 10.3)
  }

  @Test func `silence beyond ten seconds spends what was earned`() {
    var window = heard(301, silent: 25)
    for _ in 0..<20 { window.tenth(loud) }
    // 30 s were earned, and 15 s of them spent, with the tenths before the rule held again.
    #expect(abs(window.hangover(running: true, spoken: false) - 24.2) < 0.2)
    window = heard(301, silent: 60)
    for _ in 0..<20 { window.tenth(loud) }
    #expect(window.hangover(running: true, spoken: false) < 10.2)
  }

  @Test func `shorter silence spends nothing`() {
    var window = heard(301)
    for _ in 0..<20 {
      window.silence(tenths: 90)
      for _ in 0..<20 { window.tenth(loud) }
    }
    #expect(window.hangover(running: true, spoken: false) > 40)
  }

  @Test func `no more is earned than lasts for a minute, so that an hour is spent as soon`() {
    var window = heard(3600, silent: 50)
    for _ in 0..<20 { window.tenth(loud) }
    #expect(window.hangover(running: true, spoken: false) < 20.2)
  }

  @Test func `what is not audible as a whole earns nothing`() {
    var window = AudibleWindow()
    for index in 0..<100_000 { window.tenth(index % 30 == 0 ? loud : .silent) }
    #expect(window.heardSeconds == 0)
  }

  @Test func `the owner's number is instead of what is earned`() {
    let long = heard(600, silence: .seconds(120))
    #expect(long.hangover(running: true, spoken: true) == 120)
    #expect(long.hangover(running: false, spoken: true) == 10)
    let short = heard(600, silence: .seconds(3))
    #expect(short.hangover(running: true, spoken: true) == 3)
    #expect(short.hangover(running: false, spoken: false) == 3)
    #expect(heard(600, silence: .zero).hangover(running: true, spoken: false) == 0)
  }

  // MARK: Whole pieces

  /// True when a program that plays so goes on to the end: seconds of music and of silence in turn, the first
  /// of them this many tenths late in its second.
  private func playsWhole(_ seconds: [Double], late: Int = 0) -> Bool {
    var window = AudibleWindow()
    window.silence(tenths: late)
    var left = Policy().audibility.startGrace.seconds * 10
    for (index, length) in seconds.enumerated() {
      for _ in 0..<Int(10 * length) {
        window.tenth(index % 2 == 0 ? loud : .silent)
        left = window.isHeard ? max(left, 10 * window.hangover(running: true, spoken: false)) : left - 1
        if left <= 0 { return false }
      }
    }
    return true
  }

  @Test func `a track with ten seconds of silence before it begins plays whole`() {
    for late in 0..<10 {
      #expect(playsWhole([0, 10, 200], late: late))
      #expect(!playsWhole([0, 13, 200], late: late))
    }
  }

  @Test func `ten minutes of music with 50 s of silence in it play whole`() {
    for late in 0..<10 {
      #expect(playsWhole([600, 50, 60], late: late) && playsWhole([420, 50, 130], late: late))
    }
    #expect(!playsWhole([600, 61, 60]))
  }

  @Test func `a second in fifty does not hold for hours what seven minutes have earned`() {
    for late in 0..<10 {
      #expect(playsWhole([420, 49, 1], late: late))
      #expect(!playsWhole([420] + (0..<72).flatMap { _ in [49.0, 1] }, late: late))
      #expect(!playsWhole([420, 49, 1, 49, 1], late: late))
    }
  }

  @Test func `a beep now and then does not hold what music left behind`() {
    #expect(!playsWhole([5] + (0..<10).flatMap { _ in [9.8, 0.2] }))
    #expect(playsWhole([5] + (0..<10).flatMap { _ in [2.8, 0.3] }))
  }
}
