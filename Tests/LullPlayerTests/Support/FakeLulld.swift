import Glibc
import LullSystem
import Synchronization
import Testing

/// A daemon without an engine: it answers `ok` to everything, and keeps the rings of the sessions, which the
/// test plays.
///
/// The state is guarded; the descriptors are for sockets, which threads may share.
final class FakeLulld: @unchecked Sendable {
  private struct State {
    var rings: [PlayedRing] = []
    var last: UInt64 = 0
    /// The connection of the player.
    var client: Int32?
  }

  private let state = Mutex(State())
  private let listener: Int32
  /// What came for the next session; the serving thread's own.
  private var pending: (ring: DescriptorBox?, bell: DescriptorBox?)
  private let opened: (near: DescriptorBox, far: DescriptorBox)

  /// Serves `DIRECTORY/control`.
  init(directory: String) throws {
    listener = try UnixSocket.listen(path: directory + "/control").take()
    opened = try UnixSocket.pair()
    // It lives as long as the test process; a program connects once.
    let thread = unsafe Unmanaged.passRetained(self).toOpaque()
    var id = pthread_t()
    let result = unsafe pthread_create(
      &id, nil,
      { context in
        if let context = unsafe context {
          unsafe Unmanaged<FakeLulld>.fromOpaque(context).takeRetainedValue().serve()
        }
        return nil
      }, thread)
    try #require(result == 0)
    pthread_detach(id)
  }

  /// The ring of the session with this place in the order of opening, once it is open.
  func ring(_ place: Int = 0) throws -> PlayedRing {
    var buffer = ReceiveBuffer(capacity: 1)
    while true {
      if let ring = state.withLock({ place < $0.rings.count ? $0.rings[place] : nil }) { return ring }
      try #require(
        try Socket.poll(opened.near.raw, .readable, timeoutMilliseconds: 10_000) != [], "no session")
      _ = try Socket.read(opened.near.raw, into: &buffer)
    }
  }

  /// Tells the player that it was woken.
  func wake(_ reason: String) throws {
    let (client, ticket) = state.withLock { state in
      state.last += 1
      return (state.client, state.last)
    }
    let line = "event wake reason=\(reason) ticket=\(ticket)\n"
    _ = try UnixSocket.send(Array(line.utf8), to: try #require(client))
  }

  private func serve() {
    while (try? Socket.poll(listener, .readable, timeoutMilliseconds: -1)) != nil {
      guard let accepted = try? UnixSocket.accept(from: listener) else { continue }
      converse(accepted.raw)
    }
  }

  private func converse(_ raw: Int32) {
    var buffer = ReceiveBuffer(capacity: 8192)
    var text: [UInt8] = []
    while true {
      _ = try? Socket.poll(raw, .readable, timeoutMilliseconds: -1)
      var descriptor: DescriptorBox?
      switch try? UnixSocket.receive(into: &buffer, from: raw) {
      case .bytes(_, let box): (text, descriptor) = (text + buffer.received, box)
      case .wouldBlock: continue
      default: return
      }
      while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: text[..<end], as: UTF8.self)
        text.removeSubrange(...end)
        reply(to: line, on: raw, text.isEmpty ? descriptor : nil)
      }
    }
  }

  private func reply(to line: String, on raw: Int32, _ descriptor: DescriptorBox?) {
    if line.hasPrefix("ring") { pending.ring = descriptor }
    if line.hasPrefix("bell") { pending.bell = descriptor }
    let ring = line.hasPrefix("session ") ? PlayedRing(line, pending.ring, pending.bell) : nil
    let number = state.withLock { state in
      state.last += 1
      if let ring { state.rings.append(ring) }
      return state.last
    }
    if ring != nil { _ = try? Socket.write(opened.far.raw, [1]) }
    let ok = "ok name=lull-player handover=false line=\(number) session=\(number) task=\(number) seconds=42\n"
    _ = try? UnixSocket.send(Array(ok.utf8), to: raw)
    guard line.hasPrefix("register") else { return }
    state.withLock { $0.client = raw }
    for message in ["willFinishLaunching", "didFinishLaunching", "didEnterBackground"] {
      let ticket = state.withLock { state in
        state.last += 1
        return state.last
      }
      _ = try? UnixSocket.send(Array("event deliver message=\(message) ticket=\(ticket)\n".utf8), to: raw)
    }
  }
}

/// lull-audio's half of a ring, in the hands of a test: nothing is heard before it says so.
final class PlayedRing: @unchecked Sendable {
  let rate: Int
  let sample: String
  private let frameBytes: Int
  private let capacity: Int
  private let memory: SharedMemory
  private let bell: DescriptorBox

  init?(_ line: String, _ ring: DescriptorBox?, _ bell: DescriptorBox?) {
    func number(_ key: String) -> Int {
      line.split(separator: " ").first { $0.hasPrefix(key + "=") }.flatMap {
        Int($0.dropFirst(key.count + 1))
      } ?? 0
    }
    let format = line.split(separator: " ").first { $0.hasPrefix("format=") }?.dropFirst(7)
    guard let ring, let bell, let sample = format.flatMap({ SampleFormat(rawValue: String($0)) }) else {
      return nil
    }
    (rate, capacity, self.sample, self.bell) = (number("rate"), number("frames"), sample.rawValue, bell)
    frameBytes = number("channels") * sample.bytes
    let count = RingServer.headerBytes + capacity * frameBytes
    guard let shared = try? SharedMemory(received: ring.raw, count: count) else { return nil }
    memory = shared
  }

  /// Lets so many frames be heard, waiting for those that are not written yet; fewer when the player drains,
  /// pauses or stops. Returns what was heard.
  @discardableResult
  func hear(_ frames: Int) throws -> Sound {
    var bytes: [UInt8] = []
    while bytes.count < frames * frameBytes {
      let server = try server()
      let request = server.request()
      var moved = max(server.moved, request.flushed)
      let isPlaying = request.command == .play || request.command == .drain
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
        isPlaying ? isEmpty ? request.command == .drain ? .drained : .starved : .running : .paused)
      _ = try Socket.write(bell.raw, [1])
      if count == 0 {
        if !isPlaying || request.command == .drain { break }
        try waitForBell()
      }
    }
    return Sound(bytes)
  }

  /// Waits until the player has changed something, once.
  func waitForBell() throws {
    var buffer = ReceiveBuffer(capacity: 256)
    try #require(
      try Socket.poll(bell.raw, .readable, timeoutMilliseconds: 10_000) != [], "the player writes nothing")
    _ = try Socket.read(bell.raw, into: &buffer)
  }

  func request() throws -> RingRequest { try server().request() }

  private func server() throws -> RingServer {
    try #require(RingServer(memory, capacity: capacity, frameBytes: frameBytes))
  }
}
