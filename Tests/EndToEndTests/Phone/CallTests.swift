import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// Calls with sound of a phone that sleeps between them; netcat types their lines.
@Suite(.bounded) struct CallTests {
  private let ear: DescriptorBox
  private let lull: Lull
  private let netcat: Netcat
  private let journal: Journal

  init() throws {
    ear = DescriptorBox(try Socket.bindDatagram(.loopback()))
    (lull, netcat) = (try Lull(), try Netcat())
    journal = try lull.journal()
  }

  /// A sleeping phone without microphone and speaker, which netcat has called.
  private func ring() throws -> ConnectedChild {
    let phone = try lull.startPhone(netcat, "--source", "tone:440", "--sink", "none")
    #expect(try netcat.line.line() == "ping")
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify \(Socket.localAddress(ear.raw)) pt=97\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    try journal.waitForSleep(of: "phone")
    return phone
  }

  /// The first packet of the call.
  private func packet() throws -> (bytes: [UInt8], sender: SocketAddress) {
    var buffer = ReceiveBuffer(capacity: 2048)
    try Deadline().wait(ear.raw, .readable, for: "a packet of the call")
    let sender = try #require(try Socket.readDatagram(ear.raw, into: &buffer))
    return (Array(buffer.received), sender)
  }

  @Test func `a call that is answered keeps the phone awake until the caller's bye`() throws {
    let phone = try ring()
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    let answer = try netcat.line.line()
    let (bytes, sender) = try packet()
    #expect(answer == "answer \(sender)")
    // Version 2; marker and payload type 97.
    #expect(bytes[0] == 0x80 && bytes[1] == 0x80 | 97)
    #expect(try lull.run("why", "phone").output.contains("task \"call\""))
    #expect(try !lull.cgroup(of: "phone").state().frozen)
    try expectOne("In a call")
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0.hasPrefix("Call ended: sent ") }
    try journal.waitForSleep(of: "phone")
    #expect(try lull.order("notifications").items.isEmpty)
    try netcat.line.send("ping\n")
    #expect(try netcat.line.line() == "pong")
  }

  @Test(arguments: ["dismiss", "default"])
  func `who puts the notification of a call away talks on, and can still hang up`(action: String) throws {
    let phone = try ring()
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Notification: In a call (Hang up)" }
    #expect(try lull.run("answer", "2", action).status == .exited(0))
    _ = try phone.output.line { $0 == "Notification: In a call (Hang up)" }
    try expectOne("In a call")
    #expect(try lull.run("answer", "3", "Hang up").status == .exited(0))
    _ = try phone.output.line { $0.hasPrefix("Call ended: ") }
    #expect(try lull.order("notifications").items.isEmpty)
  }

  @Test func `the notification of a call goes with the phone`() throws {
    let phone = try ring()
    #expect(try lull.run("answer", "1", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Notification: In a call (Hang up)" }
    try phone.signal(Signal.kill)
    try journal.wait("exited", of: "phone")
    #expect(try lull.order("notifications").items.isEmpty)
  }

  @Test func `a missed call that is dismissed does not decline the next one`() throws {
    let phone = try ring()
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0 == "Missed call" }
    try journal.waitForSleep(of: "phone")
    try netcat.line.send("notify\n")
    _ = try phone.output.line { $0 == "Notification: New VOIP call (Answer)" }
    try journal.waitForSleep(of: "phone")
    // It is told at the wake of the answer to the call that rings.
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
    #expect(try lull.run("answer", "2", "Answer").status == .exited(0))
    _ = try phone.output.line { $0 == "Answered" }
  }

  @Test func `a caller who gives up is missed, and the phone sleeps on`() throws {
    let phone = try ring()
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0 == "Missed call" }
    try journal.waitForSleep(of: "phone")
    let missed = try #require(try lull.order("notifications").items.first?[.body])
    #expect(missed.wholeMatch(of: /Missed call at \d\d:\d\d/) != nil, "\(missed)")
    try expectOne("Missed call")
    #expect(try lull.run("answer", "1", "Answer").status == .exited(1))
  }

  @Test func `who dismisses a call declines it, though the phone sleeps`() throws {
    let phone = try ring()
    #expect(try lull.run("answer", "1", "dismiss").status == .exited(0))
    _ = try phone.output.line { $0 == "Declined" }
    #expect(try netcat.line.line() == "bye")
    try journal.waitForSleep(of: "phone")
    #expect(try lull.order("notifications").items.isEmpty)
  }

  @Test func `what a stranger sent while the phone slept does not count when its call is answered`() throws {
    let phone = try lull.startPhone(netcat, "--dial", "--source", "tone:440", "--sink", "none")
    let offer = try netcat.line.line().split(separator: " ")
    try #require(offer.count == 3 && offer[0] == "notify")
    let port = try #require(SocketAddress(numeric: String(offer[1])))
    try journal.waitForSleep(of: "phone")
    let stranger = DescriptorBox(
      try Socket.bindDatagram(try #require(SocketAddress(numeric: "127.0.0.2:0"))))
    for number in 1...200 {
      // A packet of RTP with a frame of silence.
      let head: [UInt8] = [0x80, 111, 0, UInt8(number), 0, 0, UInt8(number), 0, 1, 2, 3, 4]
      try Socket.sendDatagram(stranger.raw, head + [0xF8, 0xFF, 0xFE], to: port)
    }
    #expect(try lull.cgroup(of: "phone").state().frozen)
    try netcat.line.send("answer \(Socket.localAddress(ear.raw))\n")
    // A second and a half: after one second a sender who goes on could be learnt.
    for _ in 1...75 { _ = try packet() }
    #expect(try Socket.poll(stranger.raw, .readable, timeoutMilliseconds: 0) == [])
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0.hasPrefix("Call ended: sent ") }
    try journal.waitForSleep(of: "phone")
  }

  /// Expects a single notification, with this text.
  private func expectOne(_ body: String) throws {
    let shown = try lull.order("notifications").items
    #expect(shown.count == 1 && shown.first?[.body]?.hasPrefix(body) == true, "\(shown)")
  }

  /// The microphone of the sink records what the sink plays: a tone that the phone receives comes back.
  @Test func `with microphone and speaker a call holds the phone awake by its sessions, and both are heard`()
    throws
  {
    let (stage, netcat) = (try AudioStage(), try Netcat())
    let phone = try stage.lull.startPhone(netcat, "--auto-answer", "--no-echo-cancellation")
    #expect(try netcat.line.line() == "ping")
    try stage.journal.waitForSleep(of: "phone")
    let heard = stage.path("heard.wav")
    let caller = try ConnectedChild(
      [
        Built.program("lull-phone"), "call", "--embedded", "--source", "tone:440", "--sink",
        "file:\(heard)",
      ])
    let port = try #require(try caller.output.line().split(separator: " ").last)
    try netcat.line.send("notify 127.0.0.1:\(port)\n")
    #expect(try netcat.line.line().hasPrefix("answer 127.0.0.1:"))
    for direction in ["play", "capture"] {
      let session = try stage.session(of: "phone") { $0[.direction] == direction && $0[.state] == "running" }
      #expect(session[.category] == "playAndRecord")
    }
    try stage.journal.wait("task-ended", of: "phone")
    let why = try stage.why("phone")
    #expect(why.contains("call") && !why.contains("task"), "\(why)")
    try Tone.wait(440, in: heard)
    try netcat.line.send("bye\n")
    #expect(try phone.output.line { $0.hasPrefix("Call ended: ") }.contains("mouth to ear about"))
    try stage.journal.waitForSleep(of: "phone")
    #expect(try stage.lull.order("status name=phone").all(.session).isEmpty)
  }
}

/// A tone in a sound file that is being written.
private enum Tone {
  /// Waits until half a second of the tone stands in the file.
  static func wait(_ frequency: Double, in path: String) throws {
    let deadline = Deadline()
    while try loudest(frequency, Files.read(path, limit: 1 << 26)) < 0.02 {
      guard !deadline.isOver else { throw NothingCame(description: "no tone of \(frequency) Hz in \(path)") }
      _ = try Socket.poll(StandardStreams.error, [], timeoutMilliseconds: 100)
    }
  }

  /// The amplitude in the loudest half second of mono at 48 kHz, full scale at 1 (Goertzel's algorithm).
  private static func loudest(_ frequency: Double, _ bytes: [UInt8]) -> Double {
    let samples = stride(from: 44, to: bytes.count - 1, by: 2).map {
      Double(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)) / 32_768
    }
    let step = 2 * cos(2 * .pi * frequency / 48_000)
    return stride(from: 0, to: samples.count - 23_999, by: 12_000).map { start in
      var (last, beforeLast) = (0.0, 0.0)
      for sample in samples[start..<start + 24_000] {
        (last, beforeLast) = (sample + step * last - beforeLast, last)
      }
      return 2 * max(0, last * last + beforeLast * beforeLast - step * last * beforeLast).squareRoot()
        / 24_000
    }.max() ?? 0
  }
}
