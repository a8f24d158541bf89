import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct FetchTests {
  private static let hour = 3600.0

  /// A program that sleeps and fetches every hour; time begins with its wish.
  private static func sleeper(_ configure: (inout Registration) -> Void = { _ in }) -> Script {
    var script = Script()
    script.launched("mail", [.fetch], configure)
    script.fetch("mail", hour)
    script.sendToBackground("mail")
    script.frozen("mail")
    return script
  }

  @Test func `a fetch waits for its interval, and runs alone a quarter of it later`() throws {
    var script = Self.sleeper()
    #expect(
      script.pass(to: 4500) == ["thaw mail", "mail: woke, fetch", "mail: fetch"].map { "4500 s: \($0)" })
    #expect(try script.leases("mail") == [.fetch])
    #expect(try script.view("mail").leases.first?.ends == Moment(4530))
    #expect(script.fetched("mail", .newData) == ["freeze mail"])
  }

  @Test func `it runs with another program's keep-alive once its interval is over`() {
    var script = Self.sleeper()
    script.asleep("phone")
    script.keepAlive("phone", 3700)
    script.frozen("phone")
    let lines = script.pass(to: 3700)
    #expect(lines.suffix(3) == ["thaw mail", "mail: woke, fetch", "mail: fetch"].map { "3700 s: \($0)" })
  }

  @Test func `no suspended machine is resumed for it`() {
    let script = Self.sleeper()
    #expect(script.engine.alarm == nil)
    #expect(script.engine.deadline == Moment(4500))
  }

  @Test func `without a route it waits for one`() {
    var script = Self.sleeper()
    script.feed(.surrounding(.online(false)))
    #expect(script.pass(to: 10_000) == [])
    #expect(script.feed(.surrounding(.online(true))).contains("mail: fetch"))
  }

  @Test func `on battery the gap is doubled`() {
    var script = Self.sleeper()
    script.feed(.surrounding(.power(Power(.battery))))
    #expect(script.pass(to: 8999) == [])
    #expect(script.pass(to: 9000).last == "9000 s: mail: fetch")
  }

  @Test func `who finds nothing, fails or takes long fetches less often, up to a limit`() {
    let results: [BackgroundFetchResult?] = [.noData, .failed, nil]
    for result in results {
      var script = Self.sleeper()
      var (at, gap) = (0.0, Self.hour)
      for stretch in [1.0, 2, 4, 4] {
        gap = Self.hour * stretch
        at += gap * 1.25
        #expect(script.pass(to: at).last == "\(Interval(at).text) s: mail: fetch")
        if let result { script.fetched("mail", result) } else { script.pass(to: at + 30) }
        script.frozen("mail")
      }
    }
  }

  @Test func `who finds something and is quick fetches as often as it wants again`() {
    var script = Self.sleeper()
    script.pass(to: 4500)
    script.fetched("mail", .noData)
    script.frozen("mail")
    script.pass(to: 4500 + 9000)
    script.pass(to: 13_520)
    script.fetched("mail", .newData)
    script.frozen("mail")
    // It found something, but took 20 s: nothing changes.
    #expect(script.pass(to: 13_500 + 9000).last == "22500 s: mail: fetch")
    script.fetched("mail", .newData)
    script.frozen("mail")
    #expect(script.pass(to: 22_500 + 4500).last == "27000 s: mail: fetch")
  }

  @Test func `its 30 s end by themselves, and it is frozen, not killed`() throws {
    var script = Self.sleeper()
    script.pass(to: 4500)
    #expect(script.pass(to: 4530) == ["4530 s: freeze mail"])
    script.frozen("mail")
    #expect(script.state("mail") == .suspended)
  }

  @Test func `a done does not end it, and a stale result ends nothing`() throws {
    var script = Self.sleeper()
    script.pass(to: 4500)
    let id = script.id("mail")
    script.feed(.done(id, Ticket(.max)))
    script.feed(.fetched(id, Ticket(0), .newData))
    #expect(try script.leases("mail") == [.fetch])
  }

  @Test func `in the foreground it waits for the background`() {
    var script = Script()
    script.launched("mail", [.fetch])
    script.fetch("mail", Self.hour)
    #expect(script.pass(to: 9000) == [])
    script.sendToBackground("mail")
    #expect(script.wakeTicket("mail") != Ticket(0))
  }

  @Test func `it needs the mode, and a shorter interval is the shortest`() throws {
    var script = Script()
    script.launched("phone")
    script.fetch("phone", Self.hour)
    #expect(script.refusal == .wrongMode(.fetch))
    script.launched("mail", [.fetch])
    script.fetch("mail", 1)
    script.sendToBackground("mail")
    script.frozen("mail")
    #expect(script.pass(to: 1500).last == "1500 s: mail: fetch")
  }

  @Test func `a command with a fetch alone sleeps without a line, and its fetch is over when it sleeps`()
    throws
  {
    var script = Script.observed { $0.settings = .init { ($0.modes, $0.fetch) = ([.fetch], .seconds(3600)) } }
    script.sleeps(Observation([.waiting(.sources)], []))
    #expect(script.pass(to: 4500).suffix(3).last == "4500 s: server: fetch")
    #expect(try script.leases("server") == [.fetch])
    script.pass(to: 4502)
    script.sleeps(Observation([.waiting(.sources)], []))
    #expect(try script.leases("server") == [])
    #expect(script.pass(to: 4500 + 4500).last == "9000 s: server: fetch")
  }
}

@Suite(.bounded) struct FetchLaunchTests {
  /// An installed program that has ended, and fetched every hour.
  private static func ended() -> Script {
    var script = Script()
    let past = InstalledPast(fetches: FetchWindow(interval: .seconds(3600), since: Moment(0)))
    script.ask(.admit("mail", .ended, past))
    return script
  }

  @Test func `an installed program that has ended is started for its fetch`() {
    var script = Self.ended()
    #expect(script.engine.alarm == nil)
    #expect(script.pass(to: 4500) == ["4500 s: start mail, fetch"])
    #expect(script.engine.installed("mail")?.past.fetches?.since == Moment(4500))
  }

  @Test func `it is started with another program's keep-alive`() {
    var script = Self.ended()
    script.asleep("phone")
    script.keepAlive("phone", 4000)
    script.frozen("phone")
    #expect(script.pass(to: 4000).last == "4000 s: start mail, fetch")
  }

  @Test func `without a route, and after a quit, it is not`() {
    var script = Self.ended()
    script.feed(.surrounding(.online(false)))
    #expect(script.pass(to: 10_000) == [])
    #expect(script.feed(.surrounding(.online(true))) == [])
    #expect(script.pass(to: 10_000) == ["10000 s: start mail, fetch"])
    var quit = Self.ended()
    quit.ask(.forceQuit("mail"))
    #expect(quit.pass(to: 10_000) == [])
  }

  @Test func `a program on the library is told of the fetch once its launch is over`() throws {
    var script = Self.ended()
    script.pass(to: 4500)
    script.register("mail", [.fetch]) { $0.launch = .background }
    script.did("mail")
    script.did("mail")
    #expect(script.did("mail").contains("mail: fetch"))
    script.fetched("mail", .noData)
    script.done("mail")
    script.frozen("mail")
    // It has the interval of its last life until it asks for another one, and found nothing.
    #expect(script.pass(to: 4500 + 9000).last == "13500 s: mail: fetch")
  }

  @Test func `what was known of its fetches is kept for its next life`() {
    var script = Self.ended()
    script.pass(to: 4500)
    script.register("mail", [.fetch]) { $0.resumes = .background }
    script.fetch("mail", 7200)
    script.feed(.exited(script.id("mail"), .exited(0)))
    #expect(
      script.engine.installed("mail")?.past.fetches
        == FetchWindow(interval: .seconds(7200), since: Moment(4500)))
  }
}
