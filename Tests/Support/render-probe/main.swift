// Plays on a device that keeps nothing and prints the number of allocations of the passes once everything
// runs.
import CAllocations
import LullAudio
import LullRing
import LullSystem

/// A device that keeps nothing.
final class SteadySink: Sink {
  let format = SinkFormat(device: "steady", rate: 48_000, channels: 2, buffer: 24_000, margin: 6000)
  private var queued = 0

  func play(_ frames: Int) { queued -= min(frames, queued) }
  func room() -> Int { format.buffer - queued }
  func delay() -> Int { queued }
  func write(_ samples: UnsafeBufferPointer<Float>, anew: Bool) -> Int {
    queued = anew ? samples.count / 2 : queued + samples.count / 2
    return samples.count / 2
  }
  func rewind(_ frames: Int) -> Int {
    let count = max(0, min(frames, queued - 480))
    queued -= count
    return count
  }
  func start() {}
  func stop() -> Int? {
    queued = 0
    return nil
  }
}

/// A program with a full ring.
struct Program {
  let memory: SharedMemory
  let session: PlaySession
  let other: DescriptorBox

  init?(_ id: UInt64, rate: Int, sample: SampleFormat, lowWater: UInt64? = nil) throws(SystemError) {
    let frames = 30 * rate
    guard let format = FrameFormat(rate: rate, channels: 2, sample: sample) else { return nil }
    memory = try SharedMemory.create(name: "ring", count: 4096 + frames * format.frameBytes).memory
    for place in 0..<frames {
      unsafe memory.base.storeBytes(
        of: UInt64(place % 100 < 50 ? 0x1000_1000 : 0x2000_2000),
        toByteOffset: 4096 + place * format.frameBytes,
        as: UInt64.self)
    }
    let (here, there) = try UnixSocket.pair()
    other = here
    let request = SessionRequest(id: id, format: format, frames: frames, lowWater: lowWater, program: id / 2)
    guard let ring = RingServer(memory, capacity: frames, frameBytes: format.frameBytes),
      let session = PlaySession(request, ring: ring, doorbell: Doorbell(there))
    else { return nil }
    self.session = session
    set(UInt64(frames), at: 0)
    set(UInt32(1), at: 24)
    set(Float(1).bitPattern, at: 28)
  }

  func set<Value: FixedWidthInteger>(_ value: Value, at offset: Int) {
    unsafe memory.base.storeBytes(of: value, toByteOffset: offset, as: Value.self)
  }
}

func run() throws(SystemError) -> UInt64 {
  let sink = SteadySink()
  let renderer = Renderer(audience: Audience { _ in }, open: { _ in sink }, report: { _ in })
  let statusPage = StatusPage(try SharedMemory.create(name: "status", count: 64 * 33).memory)
  let programs = [
    try Program(2, rate: 48_000, sample: .s16), try Program(3, rate: 44_100, sample: .f32, lowWater: 1000),
    try Program(4, rate: 48_000, sample: .s32),
  ]
  for case let program? in programs { renderer.add(program.session) }
  var now: Int64 = 1_000_000_000_000
  var (count, first): (UInt64, UInt64) = (0, 0)
  for pass in 0..<100 {
    let before = allocations_count()
    // Each pass takes back the frames that are on their way, too.
    programs[0]?.set(Float(pass % 2 == 0 ? 1 : 0.5).bitPattern, at: 28)
    _ = renderer.pass(now: now)
    statusPage.show(renderer.device, players: renderer.sessions, recorders: [])
    if pass < 20 { first += allocations_count() - before } else { count += allocations_count() - before }
    now += 200_000_000
    sink.play(9600)
  }
  // Opening the device allocates, and 20 s were played.
  let played =
    programs[0].map { unsafe $0.memory.base.loadUnaligned(fromByteOffset: 64, as: UInt64.self) } ?? 0
  return first > 0 && played > 900_000 ? count : .max
}

do {
  let count = try run()
  #if DEBUG
    print("unoptimized")
  #else
    print("\(count) allocations in 80 passes")
  #endif
} catch {
  print("\(error)")
}
