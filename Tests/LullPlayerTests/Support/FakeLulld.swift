import LullModel
import LullRing
import LullSystem
import TestSupport
import Testing

/// A daemon without an engine, and the rings of the player's sessions, which the test plays.
final class FakeLulld {
  private let daemon: FakeDaemon
  private var rings: [PlayedRing] = []

  /// Serves `DIRECTORY/control`.
  init(directory: String) throws {
    daemon = try FakeDaemon(path: directory + "/control") { request in
      guard request.hasPrefix("register") else { return nil }
      return """
        ok name=lull-player handover=false
        event deliver message=willFinishLaunching ticket=1
        event deliver message=didFinishLaunching ticket=2
        event deliver message=didEnterBackground ticket=3
        """
    }
  }

  /// The ring of the session with this place in the order of opening, once it is open.
  func ring(_ place: Int = 0) throws -> PlayedRing {
    while rings.count <= place {
      try daemon.wait(for: "session")
      let request = try #require(daemon.requests.last { $0.hasPrefix("session ") })
      let (ring, doorbell) = try #require(daemon.takeSound())
      let file = DescriptorBox(Descriptor(owning: ring))
      let socket = DescriptorBox(Descriptor(owning: doorbell))
      rings.append(try #require(PlayedRing(request, ring: file, doorbell: socket)))
    }
    return rings[place]
  }

  /// Tells the player that it was woken.
  func wake(_ reason: String) throws { try daemon.send("event wake reason=\(reason) ticket=4") }
}

/// lull-audio's half of a ring, under a test's control: nothing is heard before the test lets it.
final class PlayedRing {
  let rate: Int
  let sample: String
  private let frameBytes: Int
  private let capacity: Int
  private let memory: SharedMemory
  private let doorbell: DescriptorBox

  init?(_ text: String, ring: DescriptorBox, doorbell: DescriptorBox) {
    let fields = text.fields
    func number(_ key: String) -> Int { fields[key].flatMap { Int($0) } ?? 0 }
    guard let sample = fields["format"].flatMap(SampleFormat.init(rawValue:)) else { return nil }
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
