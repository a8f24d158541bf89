import LullModel
import LullRing
import LullSystem
import Synchronization
import TestSupport
import Testing

/// A daemon without an engine: it answers `ok` to everything, and keeps the rings of the sessions, which the
/// test plays.
///
/// The state is guarded; the descriptors are for sockets, which threads may share.
final class FakeLulld: @unchecked Sendable {
  private struct State {
    var rings: [PlayedRing] = []
    var last: UInt64 = 0
  }

  private let state = Mutex(State())
  private let server: LineServer
  /// The descriptors for the next session; only the serving thread uses them.
  private var pending: (ring: DescriptorBox?, doorbell: DescriptorBox?)
  private let opened: (near: DescriptorBox, far: DescriptorBox)

  /// Serves `DIRECTORY/control`.
  init(directory: String) throws {
    server = try LineServer(path: directory + "/control")
    opened = try UnixSocket.pair()
    // The thread lives as long as the test process; a program connects once.
    server.serve { [self] event in
      if case .line(let line, let descriptor) = event { reply(to: line, descriptor) }
    }
  }

  /// The ring of the session with this place in the order of opening, once it is open.
  func ring(_ place: Int = 0) throws -> PlayedRing {
    var buffer = ReceiveBuffer(capacity: 1)
    while true {
      if let ring = state.withLock({ place < $0.rings.count ? $0.rings[place] : nil }) { return ring }
      try ready(opened.near.raw, .readable, "no session")
      _ = try Socket.read(opened.near.raw, into: &buffer)
    }
  }

  /// Tells the player that it was woken.
  func wake(_ reason: String) throws {
    #expect(server.send(["event wake reason=\(reason) ticket=\(nextNumber())"]))
  }

  private func nextNumber() -> UInt64 {
    state.withLock { state in
      state.last += 1
      return state.last
    }
  }

  private func reply(to line: String, _ descriptor: DescriptorBox?) {
    if line.hasPrefix("ring") { pending.ring = descriptor }
    if line.hasPrefix("doorbell") { pending.doorbell = descriptor }
    if line.hasPrefix("session "), let ring = PlayedRing(line, ring: pending.ring, doorbell: pending.doorbell)
    {
      state.withLock { $0.rings.append(ring) }
      _ = try? Socket.write(opened.far.raw, [1])
    }
    let number = nextNumber()
    server.send([
      "ok name=lull-player handover=false line=\(number) session=\(number) task=\(number) seconds=42"
    ])
    guard line.hasPrefix("register") else { return }
    for message in ["willFinishLaunching", "didFinishLaunching", "didEnterBackground"] {
      server.send(["event deliver message=\(message) ticket=\(nextNumber())"])
    }
  }
}

/// lull-audio's half of a ring, under a test's control: nothing is heard before the test lets it.
final class PlayedRing: @unchecked Sendable {
  let rate: Int
  let sample: String
  private let frameBytes: Int
  private let capacity: Int
  private let memory: SharedMemory
  private let doorbell: DescriptorBox

  init?(_ text: String, ring: DescriptorBox?, doorbell: DescriptorBox?) {
    func number(_ key: String) -> Int {
      text.split(separator: " ").first { $0.hasPrefix(key + "=") }.flatMap {
        Int($0.dropFirst(key.count + 1))
      } ?? 0
    }
    let format = text.split(separator: " ").first { $0.hasPrefix("format=") }?.dropFirst(7)
    guard let ring, let doorbell, let sample = format.flatMap({ SampleFormat(rawValue: String($0)) }) else {
      return nil
    }
    (rate, capacity, self.sample, self.doorbell) = (
      number("rate"), number("frames"), sample.rawValue, doorbell
    )
    frameBytes = number("channels") * sample.bytes
    let count = RingServer.headerBytes + capacity * frameBytes
    guard let shared = try? SharedMemory(received: ring.raw, count: count) else { return nil }
    memory = shared
  }

  /// Lets some frames be heard, and waits for those that are not written yet; fewer when the player drains,
  /// pauses or stops. Returns the frames that were heard.
  @discardableResult
  func hear(_ frames: Int) throws -> Sound {
    var bytes: [UInt8] = []
    while bytes.count < frames * frameBytes {
      let server = try server()
      let request = server.request()
      var moved = max(server.moved, request.flushed)
      let isPlaying = request.transport == .play || request.transport == .drain
      let count = isPlaying ? min(Int(request.written - moved), frames - bytes.count / frameBytes) : 0
      for frame in Int(moved)..<(Int(moved) + count) {
        let start = unsafe server.frames + frame % capacity * frameBytes
        unsafe bytes += UnsafeRawBufferPointer(start: start, count: frameBytes)
      }
      moved += UInt64(count)
      server.setMoved(moved, at: Clock.boottime())
      server.setTaken(moved)
      let isEmpty = moved == request.written
      server.setState(
        isPlaying ? isEmpty ? request.transport == .drain ? .drained : .starved : .running : .paused)
      _ = try Socket.write(doorbell.raw, [1])
      if count == 0 {
        if !isPlaying || request.transport == .drain { break }
        try waitForDoorbell()
      }
    }
    return Sound(bytes)
  }

  /// Waits until the player has changed something, once.
  func waitForDoorbell() throws {
    var buffer = ReceiveBuffer(capacity: 256)
    try ready(doorbell.raw, .readable, "the player writes nothing")
    _ = try Socket.read(doorbell.raw, into: &buffer)
  }

  func request() throws -> RingRequest { try server().request() }

  private func server() throws -> RingServer {
    try #require(RingServer(memory, capacity: capacity, frameBytes: frameBytes))
  }
}
