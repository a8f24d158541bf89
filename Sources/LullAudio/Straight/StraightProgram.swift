internal import CPulse

/// A program whose streams go straight to a sound server: each that runs is recorded by the monitor of its
/// sink, and their sum is metered as the sum of sessions is.
final class StraightProgram {
  let program: UInt64
  /// The address of the server, as `PULSE_SERVER` has it.
  let server: String
  /// The processes that are the server's clients.
  var pids: Set<Int32> = []
  private let measures: Bool
  private(set) var state = StraightSound.none
  let ear: Ear
  private var sources: [(input: UInt32, source: PulseSource)] = []
  private let samples = SampleBuffer(count: StraightProgram.most * StraightProgram.format.channels)
  /// The place behind the last frame, and the moment at which it came.
  private var place: UInt64 = 0
  private var heardAt: Int64 = 0

  private static let format = SinkFormat(device: "", rate: 48_000, channels: 2, buffer: 48_000, margin: 0)
  private static let most = 2 * format.buffer
  /// The nanoseconds without a frame after which time passes as silence: a server hands on late, too.
  private static let patience: Int64 = 4_000_000_000
  /// The most by which the volume of a stream is undone.
  private static let mostGain: Double = 32

  /// `measures`: what it plays is measured.
  init(_ program: UInt64, at server: String, hearing: Hearing, measures: Bool) {
    (self.program, self.server, self.measures) = (program, server, measures)
    ear = Ear(hearing)
    ear.attach(Self.format, at: 0)
  }

  func look(on connection: PulseConnection, now: Int64) throws(SinkError) {
    let clients = try connection.list(CPULSE_CLIENTS).filter { pids.contains($0.pid) }.map(\.index)
    // A program that waits for a sink that stands still is woken by its server.
    let sinks = try connection.list(CPULSE_SINKS).filter { !$0.isSuspended }
    let running = try connection.list(CPULSE_INPUTS).filter { input in
      !input.isCorked && clients.contains(input.client) && sinks.contains { $0.index == input.device }
    }
    let records = try connection.list(CPULSE_OUTPUTS).contains {
      !$0.isCorked && clients.contains($0.client)
    }
    guard records || !running.isEmpty else { return stop(.none, now: now) }
    // The monitor has the volume of the stream, which is the user's, and what is muted cannot be measured.
    guard !records else { return stop(.recording, now: now) }
    guard measures, !running.contains(where: { $0.isMuted || $0.volume <= 0 }) else {
      return stop(.running, now: now)
    }
    sources.removeAll { source in !running.contains { $0.index == source.input } }
    for input in running where !sources.contains(where: { $0.input == input.index }) {
      guard let monitor = sinks.first(where: { $0.index == input.device })?.monitor,
        let source = try? PulseSource(monitoring: input, by: monitor, on: connection)
      else { continue }
      sources.append((input.index, source))
    }
    if state != .measured { heardAt = now }
    read(running, now: now)
    state = sources.count == running.count ? .measured : .running
  }

  func stop(_ state: StraightSound, now: Int64) {
    sources = []
    self.state = state
    ear.passSilence(until: now)
  }

  /// A stream that has gone to another sink has lost its monitor, and gets another one at the next look.
  private func read(_ running: [PulseEntry], now: Int64) {
    var (frames, left) = (0, sources)
    left.removeAll { input, source in
      let volume = running.first { $0.index == input }?.volume ?? 1
      guard let count = try? unsafe source.read(into: samples.base, frames: Self.most) else { return true }
      let gain = Float(min(1 / volume, Self.mostGain))
      if gain != 1 {
        for index in 0..<count * Self.format.channels { unsafe samples.base[index] *= gain }
      }
      unsafe ear.add(samples.base, frames: count, at: place, isDeep: false)
      frames = max(frames, count)
      return false
    }
    sources = left
    if frames > 0 {
      place += UInt64(frames)
      heardAt = now
      ear.listen(to: place, at: now)
    } else if now - heardAt > Self.patience {
      ear.passSilence(until: now)
    }
  }

  func settle(now: Int64) {
    ear.beginCount()
    if state == .measured { ear.countStreams() }
    ear.hearing.settle(now: now)
  }
}
