import ArgumentParser
import Glibc
import LullChannel
import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

/// What the words of a command line ask for.
private func given(_ words: String...) throws -> GivenOptions { try ProgramOptions.parse(words).given }

/// An option as the shell hands it over; the parser takes no empty value behind an equals sign.
private func option(_ name: String, _ value: String) -> [String] {
  value.isEmpty ? [name, value] : ["\(name)=\(value)"]
}

private func settings(_ given: GivenOptions) throws -> ProgramSettings {
  try given.request(name: nil, isResolving: false).settings
}

@Suite(.bounded) struct GivenOptionsTests {
  @Test func `every setting has an option, and is read from it`() throws {
    let all = try given(
      "--mode=voip,audio", "--keep-alive=600", "--fetch=4", "--exits-on-suspend", "--batch-wakes=0.5",
      "--wake-on=sip",
      "--ignore=7", "--ignore-peer=10.0.0.0/8", "--ignore-peer=::1", "--answer-probe=80/live",
      "--tcp-keepalive=120", "--udp-keepalive=29.5", "--udp-keepalive-to=192.0.2.1:5060",
      "--linger=2", "--timers=never", "--silence=0", "--scheme=sip", "--scheme=tel", "--no-compact",
      "--keep-lines", "--purgeable", "--memory-signal=USR1", "--cpu=20",
      "--accessory=tty", "--accessory=usb:046D")
    let expected = ProgramSettings {
      ($0.modes, $0.keepAlive, $0.exitsOnSuspend) = (
        [.voip, .audio, .fetch, .externalAccessory], .seconds(600), true
      )
      $0.accessories = [Accessory(.tty), Accessory(.usb, vendor: 0x046d)]
      $0.fetch = .seconds(14_400)
      ($0.batchWakes, $0.wakeOn, $0.ignore) = (.milliseconds(500), [5060], [7])
      $0.ignoredPeers = ["10.0.0.0/8", "::1"].compactMap { PeerRange($0) }
      $0.probes = [ProbeRule("80/live")].compactMap(\.self)
      ($0.tcpKeepAlive, $0.udpKeepAlive) = (.seconds(120), .milliseconds(29_500))
      ($0.udpKeepAliveTo, $0.linger, $0.timers) = ("192.0.2.1:5060", .seconds(2), .never)
      ($0.silence, $0.schemes, $0.staysInMemory) = (.zero, ["sip", "tel"], true)
      ($0.keepsLines, $0.isPurgeable, $0.memorySignal) = (true, true, 10)
      $0.processorPercent = 20
    }
    #expect(try settings(all) == expected)
    #expect(Set(all.list.map(\.option.word)) == Set(ProgramSettings.fields.map(\.key.option)))
    #expect(try settings(given()) == ProgramSettings())
  }

  @Test func `a deep buffer is from 2 s to 30 s, and may be a fraction`() throws {
    #expect(try given().environment() == [])
    #expect(try given("--mode=audio", "--deep-buffer=2.5").environment() == ["LULL_DEEP_BUFFER=2.5"])
    #expect(try given("--mode=audio", "--deep-buffer=30").environment() == ["LULL_DEEP_BUFFER=30"])
    for seconds in ["0", "1.99", "30.1", "nan", "inf"] {
      #expect(throws: Failure.self) { try given("--mode=audio", "--deep-buffer=\(seconds)").environment() }
    }
  }

  @Test func `a fetch is given in hours, and implies its mode`() throws {
    #expect(try settings(given("--fetch=0.25")).fetch == .seconds(900))
    #expect(try settings(given("--fetch=24")).modes == .fetch)
    for hours in ["", "a", "0", "0.2", "-4", "nan", "inf", "1e9"] {
      #expect(throws: Failure.self, "\(hours)") {
        try settings(ProgramOptions.parse(option("--fetch", hours)).given)
      }
    }
  }

  @Test func `durations are exact, up to the bounds of the protocol`() throws {
    #expect(try settings(given("--keep-alive=3153600000")).keepAlive == Bounds.longest)
    #expect(try settings(given("--udp-keepalive=86400")).udpKeepAlive == .seconds(86_400))
    #expect(try settings(given("--tcp-keepalive=1")).tcpKeepAlive == .seconds(1))
    #expect(try settings(given("--batch-wakes=0")).batchWakes == .zero)
    #expect(try settings(given("--linger=1.5")).linger == .milliseconds(1500))
  }

  @Test(arguments: ["1X=3", "A B=3", "A$=3", "\u{E4}=3"])
  func `a variable has a name that can be read`(variable: String) throws {
    let rule = "its name must be letters, digits, '_', '.' and '-', and start with no digit"
    let good = ["--env=_A9=1=2", "--env=npm_config_a.b-c="]
    let bad = try ProgramOptions.parse(good + ["--env=\(variable)"]).given
    #expect(throws: Failure.usage("--env \(variable): \(rule)")) { try bad.environment() }
    #expect(try ProgramOptions.parse(good).given.environment() == ["_A9=1=2", "npm_config_a.b-c="])
  }

  @Test func `own timers have a floor of 5 s or more, or none`() throws {
    #expect(try settings(given("--timers=5")).timers == .floor(.seconds(5)))
    #expect(try settings(given("--timers=29.5")).timers == .floor(.milliseconds(29_500)))
    #expect(try settings(given("--timers=never")).timers == .never)
  }

  @Test(
    arguments: [
      (.init { $0.keepAlive = .seconds(1) }, [.voip]), (.init { $0.wakeOn = [5060] }, [.voip]),
      (.init { $0.ignoredPeers = [PeerRange("::1")].compactMap(\.self) }, [.voip]),
      (.init { $0.ignore = [7] }, [.voip]), (.init { $0.tcpKeepAlive = .seconds(1) }, [.voip]),
      (.init { $0.udpKeepAlive = .seconds(1) }, [.voip]), (.init { $0.linger = .seconds(1) }, [.voip]),
      (.init { $0.timers = .never }, [.voip]), (.init { ($0.modes, $0.timers) = (.audio, .never) }, [.audio]),
      (.init { ($0.modes, $0.linger) = (.audio, .seconds(1)) }, [.audio, .voip]),
      (.init { ($0.modes, $0.linger) = (.voip, .seconds(1)) }, [.voip]),
      (.init { ($0.modes, $0.linger) = (.externalAccessory, .seconds(1)) }, [.externalAccessory]),
      (.init { ($0.modes, $0.keepAlive) = (.externalAccessory, .seconds(1)) }, [.externalAccessory, .voip]),
      (.init { $0.batchWakes = .seconds(1) }, []),
      (.init { $0.accessories = [Accessory(.tty)] }, [.externalAccessory]),
    ] as [(ProgramSettings, Modes)])
  func `what only makes sense for a program that sleeps by itself implies voip`(
    settings: ProgramSettings, modes: Modes
  ) {
    #expect(settings.effectiveModes == modes)
  }
}

@Suite(.bounded) struct PortOptionsTests {
  private func ports(wakeOn: [String] = [], ignore: [String] = []) throws -> ProgramSettings {
    let words = wakeOn.flatMap { option("--wake-on", $0) } + ignore.flatMap { option("--ignore", $0) }
    return try settings(ProgramOptions.parse(words).given)
  }

  @Test func `ports are numbers or names of services, each once and in their order`() throws {
    let settings = try ports(wakeOn: ["sip", "5061", "5060"], ignore: ["65535", "domain"])
    #expect(settings.wakeOn == [5060, 5061])
    #expect(settings.ignore == [65535, 53])
  }

  @Test func `as many ports as fit a line of the protocol can be given`() throws {
    let most = (1...256).map { String(65_000 + $0) }
    let others = (1...256).map { String(64_000 + $0) }
    var settings = try ports(wakeOn: most, ignore: others)
    settings.modes = [.voip, .audio, .externalAccessory]
    let run = Request.Run(name: String(repeating: "n", count: 64), settings)
    #expect(try Request.run(run).message().encoded().count <= 4096)
    #expect(throws: Failure.usage("--wake-on: at most 256 can be given")) {
      try ports(wakeOn: most + ["1"])
    }
  }
}

@Suite(.bounded) struct CommandWordsTests {
  @Test func `the words are handed over, each ended by NUL`() throws {
    let block = CommandWords(arguments: [[0x61], []], environment: [[0xFF]])
    let words = try block.words()
    #expect(try Files.readMemoryFile(words.raw, limit: 100) == [0x61, 0, 0])
    withExtendedLifetime(words) {}
  }
}

@Suite(.bounded) struct SinceTests {
  /// 2026-01-02 10:11:12.5 in the zone of the test.
  private let now: Double = {
    var time = unsafe tm()
    unsafe (time.tm_year, time.tm_mon, time.tm_mday) = (126, 0, 2)
    unsafe (time.tm_hour, time.tm_min, time.tm_sec, time.tm_isdst) = (10, 11, 12, -1)
    return Double(unsafe mktime(&time)) + 0.5
  }()

  /// Seconds before `now`; nil when the text is no time.
  private func ago(_ text: String) -> Double? {
    guard case .moment(let moment) = Since(text, now: now) else { return nil }
    return (now - Double(moment.nanoseconds) / 1e9).rounded()
  }

  @Test func `boot is the start of the machine`() { #expect(Since("boot", now: now) == .boot) }

  @Test(arguments: [
    ("10 min ago", 600.0), ("10min", 600), ("90 s ago", 90), ("1 h 30 min ago", 5400), ("1h30m", 5400),
    ("2 days ago", 172_800), ("1.5 hours ago", 5400), ("1 week ago", 604_800),
  ]) func `a time ago`(text: String, seconds: Double) { #expect(ago(text) == seconds) }

  @Test(arguments: [
    ("today", 36_673.0), ("yesterday", 123_073), ("10:11", 13), ("10:11:02", 11), ("09:11:12", 3601),
    ("2026-01-02", 36_673), ("2026-01-02 10:11", 13), ("2026-01-02T10:11:10", 3), ("2026-01-01", 123_073),
  ]) func `a date of this zone`(text: String, seconds: Double) { #expect(ago(text) == seconds) }

  @Test func `seconds since 1970`() {
    #expect(Since("@1700000000", now: now) == .moment(.seconds(1_700_000_000)))
  }

  @Test(arguments: [
    "", "x", "10", "10 parsecs ago", "ago", "25:00", "10:60", "2026-13-01", "2026-01-02 10",
    "2026-01-02 10:11 x",
    "@x", "@", "-5 min", "10:11:12:13", "1e3 s",
  ]) func `anything else is no time`(text: String) { #expect(Since(text, now: now) == nil) }
}
