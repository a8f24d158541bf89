import LullAudio
import LullRing
import LullSystem
import TestSupport
import Testing

/// The capturer on a device that the test makes.
@Suite(.bounded) struct CapturerTests {
  /// Answers each read in its own way.
  final class FakeSource: AudioSource {
    let format = SinkFormat(device: "fake", rate: 48_000, channels: 2, buffer: 4800, margin: 0)
    private let answer: (Int) throws(SinkError) -> Int

    init(_ answer: @escaping (Int) throws(SinkError) -> Int) { self.answer = answer }

    func prepare() {}
    func start() {}
    func read(into samples: UnsafeMutablePointer<Float>, frames: Int) throws(SinkError) -> Int {
      unsafe samples.update(repeating: 0, count: frames * format.channels)
      return try answer(frames)
    }
  }

  /// A session that is to capture; its program reads nothing.
  private func session() throws -> (CaptureSession, SharedMemory, DescriptorBox) {
    let format = try #require(FrameFormat(rate: 48_000, channels: 2, sample: .f32))
    let memory = try SharedMemory.create(
      name: "ring", count: RingServer.headerBytes + 96_000 * format.frameBytes
    ).memory
    let ring = try #require(RingServer(memory, capacity: 96_000, frameBytes: format.frameBytes))
    unsafe memory.base.storeBytes(of: RingRequest.Transport.play.rawValue, toByteOffset: 24, as: UInt32.self)
    let (here, there) = try UnixSocket.pair()
    let request = SessionRequest(id: 1, format: format, frames: 96_000)
    return (try #require(CaptureSession(request, ring: ring, doorbell: Doorbell(there))), memory, here)
  }

  @Test func `a device that always has more is read at most as far as it holds in a pass`() throws {
    let (session, memory, _) = try session()
    let capturer = Capturer(
      open: { _ throws(SinkError) in FakeSource { frames throws(SinkError) in frames } }, report: { _ in })
    capturer.add(session)
    let next = capturer.pass(now: 1_000_000_000)
    #expect(unsafe memory.base.loadUnaligned(fromByteOffset: 64, as: UInt64.self) == 4800)
    #expect(next.map { $0 > 1_000_000_000 } ?? false)
  }

  @Test func `a device that fails at every read is given up, and tried again with growing pauses`() throws {
    let (session, _, _) = try session()
    var opened = 0
    var reports: [AudioReport] = []
    let capturer = Capturer(
      open: { _ throws(SinkError) in
        opened += 1
        return FakeSource { _ throws(SinkError) in throw .ranDry }
      }, report: { reports.append($0) })
    capturer.add(session)
    var now: Int64 = 1_000_000_000
    let end = now + 10_000_000_000
    while now < end { now = try #require(capturer.pass(now: now)) }
    #expect(opened >= 4 && opened <= 7, "opened \(opened) times in 10 s")
    #expect(!reports.contains(.began(1)))
  }

  @Test func `where there never was a device a session is given up within two seconds`() throws {
    let (session, memory, _) = try session()
    var reports: [AudioReport] = []
    let capturer = Capturer(
      open: { _ throws(SinkError) in throw SinkError.gone("no such device") }, report: { reports.append($0) })
    capturer.add(session)
    var now: Int64 = 1_000_000_000
    while let next = capturer.pass(now: now) { now = next }
    #expect(reports == [.cut(1, .noDevice)] && now <= 3_000_000_000)
    _ = memory
  }
}
