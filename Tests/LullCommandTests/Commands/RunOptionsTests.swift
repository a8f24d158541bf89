import LullSystem
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct RunOptionsTests {
  @Test func `a deep buffer is from 2 s to 30 s, and may be a fraction`() throws {
    #expect(try RunOptions.deepBuffer(nil) == [])
    #expect(try RunOptions.deepBuffer(2.5) == ["LULL_DEEP_BUFFER=2.5"])
    #expect(try RunOptions.deepBuffer(30) == ["LULL_DEEP_BUFFER=30"])
    for seconds in [0, 1.99, 30.1, .nan, .infinity] {
      #expect(throws: Failure.self) { try RunOptions.deepBuffer(seconds) }
    }
  }

  @Test func `modes are words with commas between them`() throws {
    #expect(try RunOptions.modes(nil) == [])
    #expect(try RunOptions.modes("voip,audio") == [.voip, .audio])
    #expect(throws: Failure.usage("--mode voip,audio,voip: voip stands there twice; keep one of the two")) {
      try RunOptions.modes("voip,audio,voip")
    }
    #expect(throws: Failure.self) { try RunOptions.modes("voip,") }
    #expect(throws: Failure.self) { try RunOptions.modes("VoIP") }
  }

  @Test(arguments: [599.999, 0, -600, .nan, .infinity])
  func `a keep-alive below 600 s or without end is refused`(seconds: Double) {
    #expect(throws: Failure.self) { try RunOptions.keepAlive(seconds) }
  }

  @Test func `a keep-alive is sent in nanoseconds`() throws {
    #expect(try RunOptions.keepAlive(600) == .seconds(600))
    #expect(try RunOptions.keepAlive(nil) == nil)
  }

  @Test func `the bounds are those of the protocol`() throws {
    #expect(try RunOptions.keepAlive(3_153_600_000) == Bounds.longest)
    #expect(throws: Failure.usage("--keep-alive 3153600001: must be 600 s or more")) {
      try RunOptions.keepAlive(3_153_600_001)
    }
    #expect(try RunOptions.tcpKeepAlive(1) == .seconds(1))
    #expect(throws: Failure.usage("--tcp-keepalive 0.5: must be 1 to 32767 s")) {
      try RunOptions.tcpKeepAlive(0.5)
    }
    #expect(try RunOptions.udpKeepAlive(86_400) == .seconds(86_400))
    #expect(throws: Failure.usage("--udp-keepalive 4: must be 5 to 86400 s")) {
      try RunOptions.udpKeepAlive(4)
    }
    #expect(try RunOptions.timers("5") == .floor(.seconds(5)))
    #expect(throws: Failure.usage("--timers 4: must be 5 s or more, or never")) { try RunOptions.timers("4") }
  }

  @Test(arguments: ["1X=3", "A B=3", "A$=3", "\u{E4}=3"])
  func `a variable has a name that can be read`(variable: String) throws {
    var fields = ProgramFields()
    fields.variables = ["_A9=1=2", "npm_config_a.b-c=", variable]
    let rule = "its name must be letters, digits, '_', '.' and '-', and start with no digit"
    #expect(throws: Failure.usage("--env \(variable): \(rule)")) { try fields.environment() }
    #expect(throws: Never.self) {
      fields.variables.removeLast()
      _ = try fields.environment()
    }
  }

  @Test func `wakes are batched over a time that is not negative`() throws {
    #expect(try RunOptions.batchWakes(0.5) == .milliseconds(500))
    #expect(try RunOptions.batchWakes(0) == .zero)
    #expect(throws: Failure.self) { try RunOptions.batchWakes(-0.5) }
    #expect(throws: Failure.self) { try RunOptions.batchWakes(1e300) }
  }
}

@Suite(.bounded) struct SelfSleepingOptionsTests {
  @Test(
    arguments: [
      (.init(keepAlive: Interval(nanoseconds: 1)), [.voip]), (.init(wakeOn: [5060]), [.voip]),
      (.init(ignore: [7]), [.voip]), (.init(tcpKeepAlive: Interval(nanoseconds: 1)), [.voip]),
      (.init(udpKeepAlive: Interval(nanoseconds: 1)), [.voip]),
      (.init(linger: Interval(nanoseconds: 1)), [.voip]),
      (.init(timers: .never), [.voip]), (.init(modes: [.audio], timers: .never), [.audio]),
      (.init(modes: [.audio], linger: Interval(nanoseconds: 1)), [.audio, .voip]),
      (.init(modes: [.voip], linger: Interval(nanoseconds: 1)), [.voip]),
      (.init(modes: [.externalAccessory], linger: Interval(nanoseconds: 1)), [.externalAccessory]),
      (.init(modes: [.externalAccessory], keepAlive: Interval(nanoseconds: 1)), [.externalAccessory, .voip]),
      (.init(batchWakes: Interval(nanoseconds: 1)), []),
    ] as [(Request.Run, Modes)])
  func `what only makes sense for a program that sleeps by itself implies voip`(
    run: Request.Run, modes: Modes
  ) {
    #expect(run.effectiveModes == modes)
  }

  @Test func `ports are numbers or names of services, each once and in their order`() throws {
    let (wakeOn, ignore) = try RunPorts.read(wakeOn: ["sip", "5061", "5060"], ignore: ["65535", "domain"])
    #expect(wakeOn == [5060, 5061])
    #expect(ignore == [65535, 53])
  }

  @Test(arguments: ["0", "65536", "-1", "+5060", "", "sipp", "5060x", "99999999999999999999", "50 60", "#"])
  func `what is no port is refused with the ports that there are`(word: String) {
    let message = "no such port; give a number from 1 to 65535 or a service name such as sip"
    #expect(throws: Failure.usage("--wake-on \(word): \(message)")) {
      try RunPorts.read(wakeOn: ["5060", word], ignore: [])
    }
    #expect(throws: Failure.usage("--ignore \(word): \(message)")) {
      try RunPorts.read(wakeOn: [], ignore: [word])
    }
  }

  @Test func `a port is not watched and ignored at once, however it is written`() {
    #expect(
      throws: Failure.usage(
        "--ignore 5060: --wake-on names port 5060 too; a port is either watched or ignored")
    ) { try RunPorts.read(wakeOn: ["7", "sip"], ignore: ["8", "5060"]) }
  }

  @Test func `as many ports as fit a line of the protocol can be given`() throws {
    let most = (1...256).map { String(65_000 + $0) }
    let others = (1...256).map { String(64_000 + $0) }
    let (wakeOn, ignore) = try RunPorts.read(wakeOn: most, ignore: others)
    let name = String(repeating: "n", count: 64)
    let run = Request.Run(
      name: name, modes: [.voip, .audio, .externalAccessory], wakeOn: wakeOn, ignore: ignore)
    #expect(try Request.run(run).message().encoded().count <= 4096)
    #expect(throws: Failure.usage("--wake-on: at most 256 ports can be given")) {
      try RunPorts.read(wakeOn: most + ["1"], ignore: [])
    }
  }

  @Test(arguments: [4.9, 86_401, 0, -5, .nan, .infinity])
  func `an interval of probes that is too short or too long is refused`(seconds: Double) {
    #expect(throws: Failure.self) { try RunOptions.udpKeepAlive(seconds) }
  }

  @Test func `the bounds of an interval are told`() throws {
    #expect(throws: Failure.usage("--linger 0.5: must be 1 to 3600 s")) { try RunOptions.linger(0.5) }
    #expect(try RunOptions.linger(1.5) == .milliseconds(1500))
    #expect(try RunOptions.linger(nil) == nil)
    #expect(throws: Failure.self) { try RunOptions.silence(3601) }
    #expect(try RunOptions.silence(0) == .zero)
  }

  @Test func `own timers have a floor of 5 s or more, or none`() throws {
    #expect(try RunOptions.timers(nil) == .automatic)
    #expect(try RunOptions.timers("5") == .floor(.seconds(5)))
    #expect(try RunOptions.timers("29.5") == .floor(.milliseconds(29_500)))
    #expect(try RunOptions.timers("never") == .never)
  }

  @Test(arguments: ["4.9", "0", "-5", "nan", "inf", "1e300", "", "Never", "10 s"])
  func `another word or a floor that is too short is refused`(text: String) {
    #expect(throws: Failure.usage("--timers \(text): must be 5 s or more, or never")) {
      try RunOptions.timers(text)
    }
  }
}

@Suite(.bounded) struct CommandBlockTests {
  @Test func `the words are handed over, each ended by NUL`() throws {
    let block = CommandBlock(arguments: [[0x61], []], environment: [[0xFF]])
    let words = try block.words()
    #expect(try Files.readMemoryFile(words.raw, limit: 100) == [0x61, 0, 0])
    withExtendedLifetime(words) {}
  }
}
