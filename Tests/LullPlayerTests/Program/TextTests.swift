import LullWire
import TestSupport
import Testing

@testable import LullPlayer
@testable import lull_player

@Suite(.bounded) struct TextTests {
  @Test(arguments: [(0.0, "0:00"), (59.99, "0:59"), (60, "1:00"), (3723, "1:02:03"), (-1, "0:00")])
  func `positions are written as a clock shows them`(seconds: Double, text: String) {
    #expect(ClockText.text(seconds) == text)
  }

  @Test func `what is not known is written as such`() {
    #expect(ClockText.text(nil) == "-:--")
    #expect(ClockText.text(.nan) == "-:--")
    #expect(ClockText.text(.infinity) == "-:--")
  }

  @Test(arguments: ["/a b/ü%?#.wav", "/plain-1._~.flac", "/"])
  func `a path becomes a URL and comes back`(path: String) {
    #expect(FileURL.path(FileURL.text(path: Array(path.utf8))) == Array(path.utf8))
  }

  @Test func `URLs are percent-encoded, and those of other places are none`() {
    #expect(FileURL.text(path: Array("/a b/ü.wav".utf8)) == "file:///a%20b/%C3%BC.wav")
    #expect(FileURL.path("file://localhost/x%20y") == Array("/x y".utf8))
    #expect(FileURL.path("file:///%ff") == [0x2F, 0xFF])
    for url in [
      "http://x/y", "file://host/x", "file:///a%0", "file:///a%zz", "file:///%+f", "file:///a%00b", "",
    ] {
      #expect(FileURL.path(url) == nil, "\(url)")
    }
  }

  @Test func `the progress line fits the terminal and shows the part that was heard`() throws {
    let line = "ok status=playing index=1 count=1 path=/x/song.wav position=5 duration=20"
    let report = try #require(StatusReport(Message.parse(line)))
    #expect(
      ProgressLine.text(report, at: 0, columns: 60) == "> [#####----------------] 0:05 / 0:20  song.wav")
    for columns in 1...80 {
      #expect(ProgressLine.text(report, at: 0, columns: columns).count < max(2, columns))
    }
    #expect(ProgressLine.text(report, at: 5_000_000_000, columns: 60).hasPrefix("> [##########--"))
  }
}
