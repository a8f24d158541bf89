import TestSupport
import Testing

@testable import RemoteControl

/// The properties that media keys and desktops are told.
@Suite(.bounded) struct RemotePropertiesTests {
  private let identity = RemoteIdentity(name: "x", title: "X", schemes: ["file"], canQuit: true)

  private func playing() -> NowPlaying {
    var now = NowPlaying()
    now.status = .playing
    now.track = NowPlaying.Track(number: 7, title: "Song")
    now.track?.duration = 2
    now.abilities = [.play, .pause, .next]
    return now
  }

  private func metadata(_ now: NowPlaying) -> [String] {
    guard
      case .dictionary(let entries)? = Properties(identity, now).value(Properties.playerInterface, "Metadata")
    else { return [] }
    return entries.map { "\($0.key)=\($0.value)" }
  }

  @Test func `only what has changed is told, and never the position`() {
    let before = playing()
    var now = before
    now.position = 99
    #expect(Properties(identity, now).changed(since: before).isEmpty)
    now.status = .paused
    now.abilities.remove(.next)
    now.shuffle = true
    let names = Properties(identity, now).changed(since: before).map(\.key)
    #expect(Set(names) == ["PlaybackStatus", "CanGoNext", "Shuffle"])
  }

  @Test func `what is not known is left out`() {
    var now = playing()
    #expect(
      metadata(now) == [
        "mpris:trackid=objectPath(\"/org/mpris/MediaPlayer2/Track/7\")", "mpris:length=int64(2000000)",
        "xesam:title=string(\"Song\")",
      ])
    now.track?.artworkURL = "file:///c.jpg"
    now.track?.trackNumber = 3
    #expect(metadata(now).contains("mpris:artUrl=string(\"file:///c.jpg\")"))
    #expect(metadata(now).contains("xesam:trackNumber=int32(3)"))
    now.track = nil
    #expect(metadata(now) == ["mpris:trackid=objectPath(\"/org/mpris/MediaPlayer2/TrackList/NoTrack\")"])
    #expect(Properties(identity, now).value(Properties.playerInterface, "LoopStatus") == nil)
  }

  @Test(arguments: [Double.infinity, -.infinity, .nan, 1e300, -1e300])
  func `a duration or place that is none ends nothing`(seconds: Double) {
    var now = playing()
    now.track?.duration = seconds
    now.position = seconds
    #expect(metadata(now).count == 3)
    #expect(Properties(identity, now).position >= 0)
  }
}
