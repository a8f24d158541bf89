import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs whose sound goes to one device and then to another.
@Suite(.bounded) struct SoundRouteTests {
  private let stage: AudioStage
  private let headset: ConnectedChild

  init() throws {
    stage = try AudioStage()
    headset = try stage.sink.plugHeadset()
  }

  /// The recording, in samples, without the silence around it.
  private func sound(of recording: String) throws -> ArraySlice<Int16> {
    let bytes = try Files.read(stage.path(recording), limit: 1 << 28)
    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    guard let first = samples.firstIndex(where: { $0 != 0 }) else { return [] }
    return samples[first...(samples.lastIndex { $0 != 0 } ?? first)]
  }

  @Test func `music goes on in the headset where it was, and none of it is missing`() throws {
    var wave = Wave()
    wave.addNoise(seconds: 3)
    try wave.write(to: stage.path("noise.wav"))
    let recorders = [
      try stage.sink.record(to: stage.path("usual.raw")),
      try stage.sink.record("headset", to: stage.path("headset.raw")),
    ]
    let run = try stage.play("noise.wav")
    let session = try stage.session(of: "aplay") { $0[.state] == "running" && $0[.audible] != nil }
    #expect(session[.device] == "default")
    #expect(try stage.lull.run("sound", "route", "aplay", "headset").output == "aplay: headset, 1 session\n")
    let moved = try stage.session(of: "aplay") { $0[.device] == "headset" && $0[.state] == "running" }
    #expect(moved[.output] == nil)
    try stage.journal.wait("sound-route", of: "aplay", detail: "headset")
    #expect(try stage.lull.run("sound").output.contains("headset is open."))
    #expect(try run.end() == .exited(0))
    for recorder in recorders {
      try recorder.signal(Signal.interrupt)
      try recorder.end()
    }
    let (before, after) = (try sound(of: "usual.raw"), try sound(of: "headset.raw"))
    #expect(before.count > 4800 && after.count > 4800)
    let whole = Array(wave.samples.drop { $0 == 0 })
    let same = zip(before, whole).prefix { $0 == $1 }.count
    #expect(same == before.count, "differs after \(same) of \(before.count) samples")
    let first = Array(after.prefix(64))
    let place = try #require(whole.indices.first { whole[$0...].starts(with: first) })
    // PulseAudio plays on for some milliseconds what it has taken: that part is in both recordings.
    #expect(place <= before.count && before.count - place < 9600, "goes on at \(place), not \(before.count)")
    let isWhole = whole[place...].starts(with: after) && whole.count - place - after.count < 9600
    #expect(isWhole, "\(after.count) of \(whole.count - place) samples")
  }

  @Test func `a device that cannot be opened changes nothing, and what there is is named`() throws {
    try stage.write("tone.wav") { $0.add(seconds: 20, level: -20) }
    try stage.play("tone.wav")
    _ = try stage.session(of: "aplay") { $0[.state] == "running" }
    for words in [["nosuch"], ["nosuch", "--input"], ["pulse:nosuch"]] {
      let run = try stage.lull.start(["sound", "route", "aplay"] + words)
      let line = try run.errors.untilEnd()
      #expect(try run.end() == .exited(1), "\(words)")
      #expect(line.contains("nosuch") && line.contains("; there are "), "\(line)")
      #expect(line.split(separator: "\n").count == 1, "\(line)")
    }
    #expect(try stage.session(of: "aplay") { _ in true }[.device] == "default")
    let entries = try stage.journal.entriesUpToNow()
    #expect(!entries.contains { $0["what"] == "sound-route" })
  }

  @Test func `the sinks of the sound server are listed by the names that a route takes`() throws {
    func lines(_ words: String...) throws -> [Substring] {
      let child = try ConnectedChild(
        [Built.program("lull")] + words, environment: stage.lull.environment + [stage.sink.server("headset")])
      let output = try child.output.untilEnd()
      #expect(try child.end() == .exited(0))
      return output.split(separator: "\n")
    }
    let devices = try lines("sound", "devices")
    #expect(devices.contains { $0.hasPrefix("pulse:headset  (plays, the default)  ") }, "\(devices)")
    #expect(!devices.contains { $0.contains("monitor") }, "\(devices)")
    let offered = try lines(
      "---completion", "sound", "route", "--", "positional@1", "4", "0", "lull", "sound", "route", "aplay")
    #expect(offered.contains("pulse:headset"), "\(offered)")
  }

  @Test func `the next session of a program goes where the last one was sent, and a wrong name is refused`()
    throws
  {
    try stage.write("tone.wav") { $0.add(seconds: 20, level: -20) }
    try stage.play("tone.wav")
    _ = try stage.session(of: "aplay") { $0[.state] == "running" }
    for (words, status) in [
      (["sound", "route", "aplay", "a b"], 64), (["sound", "route", "aplay", "file:/tmp/x"], 64),
      (["sound", "route", "nobody", "headset"], 1),
      (["sound", "route", "aplay", "headset", "--session", "99"], 1),
    ] as [([String], Int32)] {
      #expect(try stage.lull.start(words).end() == .exited(status), "\(words)")
    }
    #expect(
      try stage.lull.run("sound", "route", "aplay", "headset", "--input").output.contains("next session"))
    #expect(try stage.session(of: "aplay") { $0[.state] == "running" }[.device] == "default")
  }

  @Test func `a call goes on with the usual device when its headset is pulled out, and returns to it`() throws
  {
    let netcat = try Netcat()
    let phone = try stage.lull.startPhone(netcat, "--auto-answer", "--talk-device", "headset")
    #expect(try netcat.line.line() == "ping")
    let caller = try ConnectedChild(
      [Built.program("lull-phone"), "call", "--embedded", "--source", "tone:440", "--sink", "none"])
    let port = try #require(try caller.output.line().split(separator: " ").last)
    try netcat.line.send("notify 127.0.0.1:\(port)\n")
    #expect(try netcat.line.line().hasPrefix("answer 127.0.0.1:"))
    func isOn(_ device: String, _ session: Message, direction: String = "play") -> Bool {
      session[.direction] == direction && session[.device] == device && session[.state] == "running"
    }
    for direction in ["play", "capture"] {
      _ = try stage.session(of: "phone") { isOn("headset", $0, direction: direction) }
    }
    #expect(try stage.lull.order("status name=phone").all(.session).count == 2)
    try headset.signal(Signal.kill)
    try headset.end()
    let fallen = try stage.session(of: "phone") { isOn("default", $0) }
    #expect(fallen[.output] == "headset")
    let again = try stage.sink.plugHeadset()
    _ = try stage.session(of: "phone") { isOn("headset", $0) }
    #expect(try stage.lull.run("sound", "route", "phone", "default").status == .exited(0))
    _ = try stage.session(of: "phone") { isOn("default", $0) }
    #expect(try again.isAlive)
    try netcat.line.send("bye\n")
    #expect(try phone.output.line { $0.hasPrefix("Call ended: ") }.contains("mouth to ear about"))
  }
}
