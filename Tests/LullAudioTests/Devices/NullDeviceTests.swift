import Glibc
import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// ALSA's `null`, which takes all frames at once: the clock plays them.
@Suite(.serialized, .bounded) struct NullDeviceTests {
  private let folder: TemporaryDirectory

  init() throws {
    folder = try TemporaryDirectory()
    let text = "pcm.null { type null }\npcm.plugged { type plug slave.pcm null }\n"
    let path = try folder.file("asoundrc", text)
    #expect(unsafe setenv("ALSA_CONFIG_PATH", path, 1) == 0)
  }

  @Test(arguments: ["null", "plugged"])
  func `what is played there takes its time, and the device never runs dry meanwhile`(device: String) throws {
    let renderer = Renderer(
      audience: Audience(report: { _ in }),
      open: { request throws(SinkError) in try DeviceOpener.play(device, request) }, report: { _ in })
    let session = try RenderSession()
    session.write(96_000) { _ in 0.5 }
    renderer.add(session.session)
    session.setTransport(.drain)
    let start = Clock.monotonic()
    var due: Int64? = start
    try eventually("it is not drained") {
      let now = Clock.monotonic()
      if let at = due, at <= now { due = renderer.pass(now: now) }
      let most = (Clock.monotonic() - start) * 48 / 1_000_000
      #expect(session.moved <= UInt64(most), "\(session.moved) frames in the time of \(most)")
      return session.state == .drained
    }
    #expect(session.moved == 96_000 && renderer.underruns == 0)
  }
}
