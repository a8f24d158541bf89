internal import LullEngine

/// The filters of one meter and their results, without the memory in which frames wait.
struct MeterChain: Sendable {
  let channels: Int
  private let filter: MeterFilter
  private let quietPeak: Float
  /// The frames that are filtered at a time. A stretch begins at a whole multiple of this number.
  private let stretch: Int
  /// The stretches without a sample above `quietPeak` after which the filters rest.
  private let restAfter: Int

  private(set) var tenths: MeterTenths
  /// While the filters rest: frames since the last whole multiple of `stretch`.
  private var phase = 0
  /// Stretches so far without a sample above `quietPeak`.
  private var quietStretches: Int
  /// Stretches since the filters began.
  private var turn = 0
  /// The frames that wait, the first `filter.history` of them filtered before.
  private var staged = 0
  private var highPass = InlineArray<4, MeterHighPass.States>(repeating: (.init(), .init(), .init()))

  init(rate: Int, channels: Int, policy: AudibilityPolicy) {
    self.channels = channels
    filter = MeterFilter(rate: rate, channels: channels, policy: policy)
    quietPeak = policy.quietPeak
    stretch = filter.stretch
    restAfter = (rate / 10 + stretch - 1) / stretch
    quietStretches = restAfter
    tenths = MeterTenths(rate: rate, decimation: filter.decimation, policy: policy)
  }

  /// Samples count as zero, until one is above `quietPeak`.
  var isResting: Bool { quietStretches >= restAfter }

  /// Nil samples are silence.
  mutating func process(
    _ samples: UnsafePointer<Float>?, frames: Int, staging: UnsafeMutablePointer<Float>, capacity: Int
  ) -> MeteredTenths {
    var ended = MeteredTenths()
    var (next, left) = unsafe (samples, frames)
    while left > 0 {
      let done: Int
      if isResting {
        done = unsafe rest(next, frames: left, ended: &ended)
        if done < left { unsafe begin(staging) }
      } else {
        let room = capacity / filter.lanes - staged
        done = unsafe measure(next, frames: min(left, room), staging: staging, ended: &ended)
      }
      unsafe next = next.map { unsafe $0 + done &* channels }
      left -= done
    }
    return ended
  }

  /// The filters begin with zeros, at the stretch in which the next frame stands.
  private mutating func begin(_ staging: UnsafeMutablePointer<Float>) {
    staged = filter.history + phase
    unsafe staging.update(repeating: 0, count: staged * filter.lanes)
    tenths.position -= phase
    phase = 0
    (quietStretches, turn) = (0, 0)
    highPass = InlineArray(repeating: (.init(), .init(), .init()))
  }

  /// Takes `frames` in and filters whole stretches. Returns how many frames count as taken: those after the
  /// last filtered stretch do not when the filters rest from then on.
  private mutating func measure(
    _ next: UnsafePointer<Float>?, frames: Int, staging: UnsafeMutablePointer<Float>,
    ended: inout MeteredTenths
  ) -> Int {
    let (lanes, history) = (filter.lanes, filter.history)
    let target = unsafe staging + staged &* lanes
    if let next = unsafe next, channels == lanes {
      unsafe MeterKernels.copy(next, to: target, count: frames &* lanes)
    } else if let next = unsafe next {
      unsafe MeterKernels.widen(next, channels: channels, to: target, lanes: lanes, frames: frames)
    } else {
      unsafe target.update(repeating: 0, count: frames &* lanes)
    }
    staged += frames
    var first = 0
    while staged - first >= history + stretch {
      unsafe filterStretch(staging + first &* lanes, &ended)
      first += stretch
      if isResting { return frames - (staged - first - history) }
    }
    unsafe staging.update(from: staging + first &* lanes, count: (staged - first) &* lanes)
    staged -= first
    return frames
  }

  /// Filters one stretch, which stands after the `history` frames of the filters.
  @inline(__always)
  private mutating func filterStretch(_ frames: UnsafeMutablePointer<Float>, _ ended: inout MeteredTenths) {
    let lanes = filter.lanes
    let fresh = unsafe frames + filter.history &* lanes
    let isQuiet = unsafe MeterKernels.isQuiet(fresh, count: stretch &* lanes, peak: quietPeak)
    quietStretches = isQuiet ? quietStretches + 1 : 0
    var outputs = InlineArray<64, Float>(repeating: 0)
    var span = outputs.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe filter.lowBand(frames, into: base)
      unsafe addOutputs(base, of: frames, &ended)
    }
    turn += 1
  }

  /// High-passes the outputs of the low band and adds them to the halves of tenths in which they stand. The
  /// high band is computed only while the low one does not make these halves audible.
  @inline(__always)
  private mutating func addOutputs(
    _ outputs: UnsafePointer<Float>, of frames: UnsafePointer<Float>, _ ended: inout MeteredTenths
  ) {
    let decimation = filter.decimation
    let stride = max(filter.lanes, 2)
    var first = 0
    while first < MeterKernels.outputs {
      var count = MeterKernels.outputs - first
      if tenths.position + count &* decimation > tenths.end {
        count = (tenths.end - tenths.position + decimation - 1) / decimation
      }
      for pair in 0..<stride / 2 {
        let energy = unsafe filter.highPass.energy(
          outputs + first &* stride + 2 &* pair, count: count, stride: stride, states: &highPass[pair])
        tenths.add(low: energy)
      }
      if !tenths.isDecided {
        tenths.add(high: unsafe filter.highEnergy(frames, outputs: first..<first + count, turn: turn))
      }
      first += count
      tenths.pass(count &* decimation, &ended)
    }
  }
}

/// Frames that pass without being filtered, because they are too quiet to matter.
extension MeterChain {
  /// The frames that are compared with `quietPeak` at a time.
  private static let block = 512

  /// Passes the frames that count as zero, up to the first that does not, and returns their number.
  private mutating func rest(
    _ samples: UnsafePointer<Float>?, frames: Int, ended: inout MeteredTenths
  ) -> Int {
    guard let samples = unsafe samples else {
      pass(frames, &ended)
      return frames
    }
    var quiet = 0
    while quiet < frames {
      let count = min(Self.block, frames - quiet) &* channels
      guard unsafe MeterKernels.isQuiet(samples + quiet &* channels, count: count, peak: quietPeak) else {
        break
      }
      quiet = min(quiet + Self.block, frames)
    }
    while quiet < frames,
      unsafe MeterKernels.isQuiet(samples + quiet &* channels, count: channels, peak: quietPeak)
    {
      quiet += 1
    }
    pass(quiet, &ended)
    return quiet
  }

  private mutating func pass(_ frames: Int, _ ended: inout MeteredTenths) {
    tenths.pass(frames, &ended)
    phase = (phase + frames) % stretch
  }
}
