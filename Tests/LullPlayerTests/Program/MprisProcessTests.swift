import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

/// `playerctl` and `busctl` on a bus of the test's own.
@Suite(.serialized, .bounded) struct MprisProcessTests {
  private func playing() throws -> PlayerHome {
    let home = try PlayerHome(withBus: true)
    let sound = ramp(80_000)
    try home.scratch.file("cover.jpg", [0xFF, 0xD8, 0xFF])
    let a = try home.scratch.sound(
      "a b.flac", kind: .flac16, samples: sound, title: "One", artist: "Somebody")
    try home.player("add", "-p", a, home.scratch.sound("b.wav", kind: .wav16, samples: sound))
    return home
  }

  private func playerctl(_ home: PlayerHome, _ arguments: String...) throws -> String {
    let result = try home.run(["playerctl", "-p", "lull"] + arguments)
    return result.status == 0 ? result.output : "status \(result.status): \(result.errors)"
  }

  @Test func `playerctl shows what is heard`() throws {
    let home = try playing()
    #expect(try playerctl(home, "status") == "Playing\n")
    let format = "{{artist}}|{{title}}|{{mpris:length}}|{{xesam:url}}|{{mpris:trackid}}"
    let metadata = try playerctl(home, "metadata", "--format", format)
    #expect(
      metadata
        == "Somebody|One|10000000|file://\(home.scratch.path)/a%20b.flac|'/org/mpris/MediaPlayer2/Track/1'\n")
    try home.lulld.ring().hear(16_000)
    #expect(try playerctl(home, "metadata", "mpris:artUrl") == "file://\(home.scratch.path)/cover.jpg\n")
    let position = try playerctl(home, "position")
    #expect(position.hasPrefix("2.000"), "\(position)")
  }

  @Test func `playerctl drives it`() throws {
    let home = try playing()
    #expect(try playerctl(home, "play-pause") == "")
    #expect(try playerctl(home, "status") == "Paused\n")
    #expect(try playerctl(home, "play") == "")
    #expect(try playerctl(home, "position", "4") == "")
    #expect(try playerctl(home, "position", "1+") == "")
    let position = try playerctl(home, "position")
    #expect(position.hasPrefix("5.000"), "\(position)")
    #expect(try playerctl(home, "volume", "0.25") == "")
    #expect(try playerctl(home, "volume") == "0.250000\n")
    #expect(try playerctl(home, "loop", "Playlist") == "")
    #expect(try playerctl(home, "loop") == "Playlist\n")
    #expect(try playerctl(home, "shuffle", "On") == "")
    #expect(try playerctl(home, "shuffle") == "On\n")
    #expect(try playerctl(home, "shuffle", "Off") == "")
    #expect(try playerctl(home, "next") == "")
    #expect(try playerctl(home, "metadata", "xesam:title") == "b.wav\n")
    #expect(try playerctl(home, "previous") == "")
    #expect(try playerctl(home, "metadata", "xesam:title") == "One\n")
    #expect(try playerctl(home, "stop") == "")
    #expect(try playerctl(home, "status") == "Stopped\n")
    #expect(try home.player("status").output.contains("volume 25 %, repeat all\n"))
  }

  @Test func `a URL is added and played, another scheme is refused`() throws {
    let home = try playing()
    let path = try home.scratch.sound("c ü.wav", kind: .wav16, samples: ramp(8000))
    let url = "file://" + path.replacing(" ", with: "%20").replacing("ü", with: "%C3%BC")
    #expect(try playerctl(home, "open", url) == "")
    #expect(try home.player("status").output.hasPrefix("playing  3/3  c ü.wav"))
    let refused = try home.run([
      "busctl", "--user", "call", "org.mpris.MediaPlayer2.lull", "/org/mpris/MediaPlayer2",
      "org.mpris.MediaPlayer2.Player", "OpenUri", "s", "rtsp://example.com/a.ogg",
    ])
    #expect(refused.status != 0)
    #expect(refused.errors.contains("only file:, http: and https: URLs can be played"))
  }

  @Test func `the interfaces are described, and hold what they describe`() throws {
    let home = try playing()
    let result = try home.run([
      "busctl", "--user", "introspect", "org.mpris.MediaPlayer2.lull", "/org/mpris/MediaPlayer2",
      "org.mpris.MediaPlayer2.Player",
    ])
    #expect(result.status == 0, "\(result.errors)")
    for name in ["CanGoNext", "Metadata", "Position", "SetPosition", "Seeked", "LoopStatus"] {
      #expect(result.output.contains(".\(name) "), "no \(name)")
    }
  }

  @Test func `the music goes on when the bus ends`() throws {
    let home = try playing()
    let ring = try home.lulld.ring()
    try home.endBus()
    // The player may answer before it has seen the end of its bus.
    var watcher = try home.connect()
    try #require(try watcher.ask(Message("watch")).last != nil)
    try ring.hear(8000)
    let status = try home.player("status").output
    #expect(status.hasPrefix("playing  1/2  Somebody - One  0:01 / 0:10\n"))
    #expect(status.contains("no media keys (MPRIS): the session bus is gone\n"))
  }
}
