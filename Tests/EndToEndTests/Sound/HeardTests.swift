import LullSystem
import LullWire
import TestSupport
import Testing

/// Audible sound is never cut off, and inaudible sound keeps nobody awake.
@Suite(.bounded) struct HeardTests {
  /// The ALSA device `lull`, without a library in between: `open`, `write`, `pause`, `drop`, `prepare`,
  /// `drain`.
  private static let alsa = """
    import ctypes, math, socket, struct, sys, time
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.bind(("127.0.0.1", 0))
    library = ctypes.CDLL("libasound.so.2")
    def call(name, *words):
      return getattr(library, "snd_pcm_" + name)(*words)
    pcm = ctypes.c_void_p()
    assert call("open", ctypes.byref(pcm), b"lull", 0, 0) == 0
    assert call("set_params", pcm, 2, 3, 2, 48000, 0, 300000) == 0
    def frames(seconds, peak):
      tone = (int(peak * math.sin(math.tau * 440 * n / 48000)) for n in range(4800))
      return b"".join(struct.pack("<hh", s, s) for s in tone) * round(seconds * 10)
    def write(data):
      for place in range(0, len(data), 4 * 2400):
        chunk = data[place:place + 4 * 2400]
        if call("writei", pcm, chunk, ctypes.c_ulong(len(chunk) // 4)) < 0:
          call("recover", pcm, -32, 1)

    """

  /// With a hangover of a second a lease that was cut off would end at once.
  @Test func `a pause and a seek end no lease of what is heard`() throws {
    let stage = try AudioStage()
    let player =
      Self.alsa + """
        loud = frames(1.5, 3000)
        write(loud)
        call("pause", pcm, 1)
        time.sleep(0.3)
        call("pause", pcm, 0)
        write(loud)
        call("drop", pcm)
        call("prepare", pcm)
        for _ in range(3):
          write(loud)
        call("drain", pcm)
        print("played", flush=True)
        time.sleep(1000)
        """
    let run = try stage.run(
      "player", try Python.command(player), modes: "audio", options: ["--silence", "1"])
    #expect(try run.output.line() == "played")
    let entries = try stage.journal.entriesUpToNow().filter { $0["program"] == "player" }
    #expect(!entries.contains { $0["what"] == "frozen" }, "it slept while it was heard: \(entries)")
    try stage.journal.waitForSleep(of: "player")
  }

  @Test(arguments: ["drop", "close"])
  func `loud frames that are taken back before they are heard keep nobody awake`(trick: String) throws {
    let stage = try AudioStage(clockRate: 10)
    let player =
      Self.alsa + """
        silent, loud = bytes(4 * 9600), frames(0.1, 20000)
        while True:
          write(silent)
          if sys.argv[1] == "drop":
            write(loud)
          call("start", pcm)
          time.sleep(0.06)
          if sys.argv[1] == "close":
            write(loud)
            call("close", pcm)
            call("open", ctypes.byref(pcm), b"lull", 0, 0)
            call("set_params", pcm, 2, 3, 2, 48000, 0, 300000)
          elif sys.argv[1] == "drop":
            call("drop", pcm)
            call("prepare", pcm)
          time.sleep(0.3)
        """
    try stage.run("trick", try Python.command(player, trick), modes: "audio")
    try stage.journal.wait("sound-began", of: "trick")
    try stage.journal.waitForSleep(of: "trick")
  }

  @Test func `one that is frozen in a pause is told how to be spared`() throws {
    let stage = try AudioStage(clockRate: 4)
    try stage.write("pause.wav") {
      $0.add(seconds: 3, level: -20)
      $0.add(seconds: 30)
    }
    try stage.play("pause.wav", options: ["--silence", "1"])
    try stage.journal.waitForSleep(of: "aplay")
    let why = try stage.why("aplay")
    #expect(why.contains("frozen in a pause of "), "\(why)")
    #expect(why.contains("--silence 30 would have held it"), "\(why)")
  }

  @Test func `a silent call keeps nobody awake and lets the music play on`() throws {
    let stage = try AudioStage(clockRate: 10)
    try stage.write("music.wav") { $0.add(seconds: 30, level: -20) }
    try stage.write("silence.wav") { $0.add(seconds: 30) }
    try stage.play("music.wav", name: "music", device: "alone")
    _ = try stage.session(of: "music") { $0[.audible] != nil }
    try stage.play("silence.wav", name: "phone", device: "call", modes: "voip,audio")
    try stage.journal.wait("interruption-began", of: "music")
    try stage.journal.wait("interruption-ended", of: "music", cause: "resume")
    try stage.journal.waitForSleep(of: "phone")
  }

  @Test func `SIGCONT that is sent through Lull wakes a sleeping program`() throws {
    let stage = try Stage()
    let command = try Python.command(
      """
      import signal, socket
      listener = socket.create_server(("127.0.0.1", 0))
      signal.signal(signal.SIGCONT, lambda *_: print("continued", flush=True))
      while True:
        listener.accept()
      """)
    let run = try stage.run("sleeper", command)
    try stage.journal.waitForSleep(of: "sleeper")
    try stage.lull.order("signal name=sleeper number=\(Signal.continue)")
    #expect(try run.output.line() == "continued")
    try stage.journal.waitForSleep(of: "sleeper")
  }
}
