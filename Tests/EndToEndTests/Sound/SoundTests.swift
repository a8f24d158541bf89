import LullSystem
import LullWire
import TestSupport
import Testing

/// Programs that play through the ALSA device `lull`: awake while they can be heard.
@Suite(.bounded) struct SoundTests {
  /// A program that says `ready`, then plays its file for each datagram.
  private static let player = """
    import socket, subprocess, sys
    service = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    service.bind(("127.0.0.1", int(sys.argv[1])))
    print("ready", flush=True)
    while True:
      service.recvfrom(2000)
      subprocess.run(["aplay", "-q", "-D", "lull", sys.argv[2]])
    """

  @Test func `status shows the session of aplay, its level and its lease`() throws {
    let stage = try AudioStage()
    try stage.write("tone.wav") { $0.add(seconds: 12, level: -20) }
    try stage.play("tone.wav")
    try stage.journal.wait("sound-began", of: "aplay")
    let session = try stage.session(of: "aplay") { $0[.level] != nil && $0[.audible] != nil }
    #expect(session[.category] == "playback" && session[.direction] == "play")
    #expect(session[.rate] == "48000" && session[.channels] == "2" && session[.format] == "s16")
    #expect(session[.state] == "running")
    // A sine of -20 dBFS in both channels: -0.691 + 10 log10(2 * 0.1^2 / 2).
    #expect(abs(try session.number(.level) - -20.7) < 0.3, "\(session)")
    #expect(try stage.lull.order("why name=aplay").all(.lease).contains { $0[.lease] == "audible" })
    #expect(try stage.lull.run("status").output.contains("48000 Hz stereo s16"))
  }

  @Test func `a program that falls silent is frozen, and awake when it plays again`() throws {
    let stage = try AudioStage()
    try stage.write("tone.wav") { $0.add(seconds: 4, level: -20) }
    let port = try stage.network.freePort()
    let command = try Python.command(Self.player, "\(port)", stage.path("tone.wav"))
    let run = try stage.run("player", command, modes: "audio")
    #expect(try run.output.line() == "ready")
    try stage.journal.waitForSleep(of: "player")
    for _ in 1...2 {
      try stage.network.datagrams(to: port).send("play\n")
      try stage.journal.wait("woke", of: "player", cause: "data")
      try stage.journal.wait("sound-began", of: "player")
      _ = try stage.session(of: "player") { $0[.audible] != nil }
      #expect(try stage.lull.state(of: "player") == "background")
      try stage.journal.waitForSleep(of: "player")
    }
  }

  @Test(arguments: ["2.5", "8"])
  func `with a deep buffer it sleeps while its music plays and is woken to refill`(seconds: String) throws {
    let stage = try AudioStage()
    try stage.write("music.wav") { $0.add(seconds: 30, level: -20) }
    try stage.play("music.wav", options: ["--deep-buffer", seconds])
    try stage.journal.wait("sound-began", of: "aplay")
    try stage.journal.waitForSleep(of: "aplay")
    let session = try stage.session(of: "aplay") { $0[.state] == "running" }
    #expect(try session.number(.queuedSeconds) > 0)
    try stage.journal.wait("woke", of: "aplay", cause: "refill")
    try stage.journal.waitForSleep(of: "aplay")
    let after = try stage.session(of: "aplay") { $0[.audible] != nil }
    #expect(after[.starved] == nil, "\(after)")
  }

  @Test func `what aplay plays comes out as it is, to the bit`() throws {
    let stage = try AudioStage()
    var wave = Wave()
    wave.addNoise(seconds: 5)
    try wave.write(to: stage.path("noise.wav"))
    let recorder = try stage.sink.record(to: stage.path("out.raw"))
    let run = try stage.play("noise.wav")
    #expect(try run.end() == .exited(0))
    try recorder.signal(Signal.interrupt)
    try recorder.end()
    try stage.expect(wave, in: "out.raw")
  }
}
