import Lull
import LullRing
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// The program itself, with real sockets and rings; the test decides what is heard.
@Suite(.serialized, .bounded) struct PlayerProcessTests {
  @Test func `the first command starts the player, and files are heard frame by frame`() throws {
    let home = try PlayerHome()
    let (one, two) = (ramp(30_000), ramp(20_000, from: 30_000))
    let a = try home.scratch.sound("a.flac", kind: .flac16, samples: one)
    let b = try home.scratch.sound("b.wav", kind: .wav16, samples: two)
    let added = try home.player("add", "--play", a, b)
    #expect(added.status == 0)
    #expect(added.output == "added 2 of 2\n")
    let ring = try home.lulld.ring()
    #expect(ring.rate == 8000)
    #expect(ring.sample == "s16")
    let heard = try ring.hear(30_000)
    #expect(heard == one.bytes)
    #expect(
      try home.player("status").output.hasPrefix(
        "playing  2/2  b.wav  0:00 / 0:02\nvolume 100 %, repeat off\n"))
    #expect(try ring.hear(20_000) == two.bytes)
    try ring.hear(1)
  }

  @Test func `pause, seek and next act at the frame that is heard`() throws {
    let home = try PlayerHome()
    let sound = ramp(80_000)
    try home.player(
      "add", "-p", home.scratch.sound("a.wav", kind: .wav16, samples: sound),
      home.scratch.sound("b.wav", kind: .wav16, samples: sound))
    let ring = try home.lulld.ring()
    try ring.hear(8000)
    #expect(try home.player("pause").output == "paused  1/2  a.wav  0:01 / 0:10\n")
    #expect(try ring.request().transport == .pause)
    #expect(try home.player("toggle").output == "playing  1/2  a.wav  0:01 / 0:10\n")
    #expect(try home.player("seek", "0:05").output == "playing  1/2  a.wav  0:05 / 0:10\n")
    #expect(try ring.hear(100) == Array(sound[80_000..<80_200]).bytes)
    #expect(try home.player("seek", "-2").output == "playing  1/2  a.wav  0:03 / 0:10\n")
    #expect(try home.player("next").output == "playing  2/2  b.wav  0:00 / 0:10\n")
    #expect(try ring.hear(100) == Array(sound[..<200]).bytes)
    #expect(try home.player("stop").output == "stopped  2/2  b.wav  0:00 / 0:10\n")
  }

  @Test(arguments: [Signal.terminate, Signal.kill])
  func `queue, place, volume and repeat mode survive`(signal: Int32) throws {
    let home = try PlayerHome()
    let sound = ramp(80_000)
    try home.player(
      "add", "-p", home.scratch.sound("a.wav", kind: .wav16, samples: sound),
      home.scratch.sound("b.wav", kind: .wav16, samples: sound))
    try home.player("volume", "40")
    #expect(try home.player("volume", "-10").output == "volume 30 %\n")
    try home.player("repeat", "all")
    try home.player("next")
    let ring = try home.lulld.ring()
    try ring.hear(24_000)
    try home.player("pause")
    let pidfd = try Process.pidfdOpen(home.pid())
    try Process.sendSignal(pidfd.raw, signal)
    #expect(try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 10_000) != [])
    #expect(try home.player("pause").output == "paused  2/2  b.wav  0:03 / 0:10\n")
    #expect(try home.player("status").output.contains("volume 30 %, repeat all\n"))
    try home.player("play")
    #expect(try home.lulld.ring(1).hear(10) == Array(sound[48_000..<48_020]).bytes)
  }

  @Test func `a killed player has lost no more than what the buffer holds`() throws {
    let home = try PlayerHome()
    let sound = ramp(600_000)
    try home.player("add", "-p", home.scratch.sound("a.wav", kind: .wav16, samples: sound))
    let ring = try home.lulld.ring()
    try ring.hear(300_000)
    try home.lulld.wake("refill")
    // The answer comes after the refill.
    #expect(try home.player("status").output.hasPrefix("playing  1/1  a.wav  0:37"))
    let pidfd = try Process.pidfdOpen(home.pid())
    try Process.sendSignal(pidfd.raw, Signal.kill)
    #expect(try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 10_000) != [])
    #expect(try home.player("pause").output == "paused  1/1  a.wav  0:37 / 1:15\n")
  }

  @Test func `a state that cannot be written is said once, and what was there stays`() throws {
    let home = try PlayerHome()
    try home.player("add", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(8000)))
    let file = home.stateFile
    let before = try Files.read(file, limit: 1 << 20)
    // The draft cannot be made.
    try Files.makeDirectories(file + ".new")
    for percent in ["10", "20", "30"] { try home.player("volume", percent) }
    #expect(try home.player("status").output.contains("the queue cannot be remembered: "))
    #expect(try Files.read(file, limit: 1 << 20) == before)
    let log = try Files.read(home.scratch.path + "/run/player.log", limit: 1 << 20)
    #expect(
      String(decoding: log, as: UTF8.self).split(separator: "\n").count { $0.contains("remembered") } == 1)
    #expect(try home.run(["rmdir", file + ".new"]).status == 0)
    #expect(try !home.player("status").output.contains("remembered"))
    #expect(SavedState(try Files.read(file, limit: 1 << 20))?.volume == 30)
  }

  @Test func `what is added and cannot be remembered is told by the command`() throws {
    let home = try PlayerHome()
    let path = try home.scratch.sound("a.wav", kind: .wav16, samples: ramp(8000))
    #expect(try home.player("add", path).status == 0)
    // The draft cannot be made.
    try Files.makeDirectories(home.stateFile + ".new")
    let added = try home.player("add", path)
    #expect(added.status == 1 && added.output == "added 1 of 1\n")
    #expect(added.errors.hasPrefix("lull-player: the queue cannot be remembered: "), "\(added.errors)")
    #expect(try home.run(["rmdir", home.stateFile + ".new"]).status == 0)
    let next = try home.player("add", path)
    #expect(next.status == 0 && next.errors.isEmpty)
  }

  @Test func `the queue is listed without a player, and none is started`() throws {
    let home = try PlayerHome()
    let path = try home.scratch.sound("a.flac", kind: .flac16, samples: ramp(80_000), title: "One")
    try home.player("add", "-p", path, home.scratch.sound("b.wav", kind: .wav16, samples: ramp(8000)))
    let before = try home.player("list").output
    let json = try home.player("list", "--json").output
    try home.lulld.ring().hear(16_000)
    try home.player("quit")
    #expect(try home.player("list").output == before)
    #expect(try home.player("list", "--json").output == json)
    let status = try home.player("status").output
    #expect(status.hasPrefix("paused  1/2  One  0:02 / 0:10\n"))
    #expect(status.hasSuffix("no player runs (lull-player play starts it)\n"))
    #expect(throws: SystemError.self) { try home.pid() }
  }

  @Test func `a file whose name is no UTF-8 is added, listed, played and remembered`() throws {
    let home = try PlayerHome()
    try home.scratch.sound("x.wav", kind: .wav16, samples: ramp(8000))
    let player = try Built.program("lull-player")
    let script = "cd \(home.scratch.path) && mv x.wav $'\\351.wav' && \(player) add -p $'\\351.wav'"
    let added = try home.run(["bash", "-c", script])
    #expect(added.output == "added 1 of 1\n", "\(added.errors)")
    #expect(try home.player("status").output.hasPrefix("playing  1/1  \u{FFFD}.wav"))
    let list = try home.player("list", "--json").output
    #expect(list.contains("\"path\":\"file://\(home.scratch.path)/%E9.wav\""))
    #expect(try home.lulld.ring().hear(4000) == Array(ramp(8000)[..<8000]).bytes)
    try home.player("quit")
    #expect(try home.player("play").output.hasPrefix("playing  1/1  \u{FFFD}.wav  0:00"))
    #expect(try home.lulld.ring(1).hear(4000) == Array(ramp(8000)[8000...]).bytes)
  }

  @Test func `a folder is added at one go, and what is no music in it is passed over`() throws {
    let home = try PlayerHome()
    try Files.makeDirectories(home.scratch.path + "/album")
    for number in 1...40 { try home.scratch.sound("album/\(number).wav", kind: .wav16, samples: ramp(80)) }
    try home.scratch.file("album/bad.flac", [1, 2, 3])
    try home.scratch.file("album/notes.txt", [1, 2, 3])
    let added = try home.player("add", home.scratch.path + "/album")
    #expect(added.status == 1)
    #expect(added.output == "added 40 of 41\n")
    #expect(added.errors.hasSuffix("album/bad.flac: Format not recognised; skipped\n"))
    let list = try home.player("list").output.split(separator: "\n")
    #expect(list.count == 40 && list[1].hasSuffix("  2.wav") && list[39].hasSuffix("  40.wav"))
    let nothing = try home.player("add", home.scratch.path + "/state")
    #expect(nothing.status == 1 && nothing.errors.hasSuffix("/state: there is no music in it\n"))
  }

  @Test func `bad input gets one line and a status`() throws {
    let home = try PlayerHome()
    let text = try home.scratch.file("text.mp3", Array("no sound\n".utf8))
    #expect(try home.player("status").output == "stopped (no player runs; lull-player add FILE...)\n")
    let added = try home.player("add", text, home.scratch.path + "/gone.wav")
    #expect(added.status == 1)
    #expect(added.output == "added 0 of 2\n")
    #expect(added.errors.split(separator: "\n").count == 2)
    #expect(added.errors.hasSuffix("gone.wav: no such file; skipped\n"))
    let empty = try home.player("play")
    #expect(empty.status == 1)
    #expect(empty.errors == "lull-player: the queue is empty (lull-player add FILE...)\n")
    #expect(try home.player("play", "7").errors == "lull-player: the queue has 0 items, no number 7\n")
    for wrong in [
      ["seek", "1:99"], ["volume", "101"], ["repeat", "twice"], ["play", "0"], ["play", "x"], ["nonsense"],
      ["help", "foo"],
    ] {
      let outcome = try home.run([Built.program("lull-player")] + wrong)
      #expect(outcome.status == 64 && outcome.errors.hasPrefix("lull-player: "), "\(wrong) \(outcome)")
    }
  }

  @Test func `where no bus is known status says so in plain words`() throws {
    let home = try PlayerHome()
    let file = try home.scratch.sound("a.wav", kind: .wav16, samples: ramp(8000))
    let without = ["env", "-u", "DBUS_SESSION_BUS_ADDRESS", "-u", "XDG_RUNTIME_DIR"]
    #expect(try home.run(without + [Built.program("lull-player"), "add", file]).status == 0)
    #expect(try home.player("status").output.contains("\nno media keys (MPRIS): no session bus\n"))
  }

  @Test func `without a bus all but MPRIS works, and status says so`() throws {
    let home = try PlayerHome()
    try home.player("add", "-p", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(8000)))
    let status = try home.player("status").output
    #expect(status.hasPrefix("playing  1/1"))
    #expect(status.contains("no media keys (MPRIS): no session bus: No such file or directory (ENOENT)\n"))
  }

  @Test func `without a daemon the first command says why`() throws {
    let home = try PlayerHome()
    try Files.unlink(home.scratch.path + "/run/control")
    let result = try home.player("add", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(100)))
    // Without a daemon the player runs, and reports the lack of one when it is to play.
    #expect(result.status == 0)
    let play = try home.player("play")
    #expect(play.status == 1)
    #expect(play.errors.hasPrefix("lull-player: "))
  }

  @Test(arguments: ["q", "\u{3}", "\u{1A}q"])
  func `a key leaves the watch on a terminal, also after a Ctrl-Z that stops nothing`(key: String) throws {
    let home = try PlayerHome()
    try home.player("add", "-p", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(80_000)))
    let (child, ends) = try home.start(onTerminal: "status", "--watch")
    let deadline = Deadline()
    var shown = ""
    var buffer = ReceiveBuffer(capacity: 4096)
    while !shown.contains("a.wav") {
      try deadline.wait(ends.master.raw, .readable, for: "a.wav; shown: \(shown)")
      guard case .bytes = try StandardStreams.read(ends.master.raw, into: &buffer) else { continue }
      shown += String(decoding: buffer.received, as: UTF8.self)
    }
    try StandardStreams.write(Array(key.utf8), to: ends.master.raw)
    #expect(try child.end() == .exited(0))
    // Without them the terminal hangs up, and the player is quit.
    withExtendedLifetime((home, ends)) {}
  }

  @Test func `whoever watches is told of changes`() throws {
    let home = try PlayerHome()
    try home.player("add", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(80_000), title: "One"))
    var watcher = try home.connect()
    let first = try watcher.ask(Message("watch")).last.flatMap { StatusReport($0) }
    #expect(first?.status == .stopped)
    try home.player("play")
    let message = try watcher.next(until: Clock.boottime() + 5_000_000_000)
    let change = try #require(message.flatMap { StatusReport($0) })
    #expect(change.status == .playing)
    #expect(change.title == "One")
    #expect(change.position(at: change.at + 2_000_000_000) == change.position + 2)
  }

  @Test func `garbage on the control socket is answered and does no harm`() throws {
    let home = try PlayerHome()
    try home.player("add", home.scratch.sound("a.wav", kind: .wav16, samples: ramp(800)))
    let socket = try UnixSocket.connect(path: home.scratch.path + "/run/player")
    let garbage = Array("\u{1}\n=\nstatus status=\"\nVOLUME\n".utf8) + [0xFF, 0xFE, 0x0A]
    try StandardStreams.write(garbage + Array(repeating: UInt8(ascii: "x"), count: 5000), to: socket.raw)
    var buffer = ReceiveBuffer(capacity: 65_536)
    var text = ""
    while try Socket.poll(socket.raw, .readable, timeoutMilliseconds: 10_000) != [],
      case .bytes = try Socket.read(socket.raw, into: &buffer)
    {
      text += String(decoding: buffer.received, as: UTF8.self)
    }
    let codes = text.split(separator: "\n").map { $0.split(separator: " ")[1] }
    #expect(codes.prefix(4) == Array(repeating: "code=malformed", count: 4)[...])
    #expect(codes.suffix(2) == ["code=not-utf8", "code=too-long"])
    #expect(try home.player("status").output.hasPrefix("stopped  1 in the queue"))
  }
}
