internal import LullEngine

/// The filters of one meter and what they have come to, without the memory in which frames are kept.
struct MeterChain: Sendable {
  let channels: Int
  let filter: MeterFilter
  let quietPeak: Float
  /// Frames that are filtered at a time. They begin at whole multiples of it.
  let stretch: Int
  /// Stretches without a sample above `quietPeak` after which the filters rest.
  private let restAfter: Int

  var seconds: MeterSeconds
  /// While the filters rest: frames since the last whole multiple of `stretch`.
  var phase = 0
  /// Stretches so far without a sample above `quietPeak`.
  private var quietStretches: Int
  /// Frames that are kept, the first `filter.taps - 1` of them filtered before.
  private var staged = 0
  private var highPass = InlineArray<4, MeterHighPass.States>(repeating: (.init(), .init(), .init()))

  init(rate: Int, channels: Int, filter: MeterFilter, policy: AudibilityPolicy) {
    self.channels = channels
    self.filter = filter
    quietPeak = policy.quietPeak
    stretch = filter.decimation * MeterKernels.outputs
    restAfter = (rate / 10 + stretch - 1) / stretch
    quietStretches = restAfter
    seconds = MeterSeconds(rate: rate, decimation: filter.decimation, policy: policy)
  }

  /// Samples count as zero until one is above `quietPeak`.
  var isResting: Bool { quietStretches >= restAfter }

  mutating func process(
    _ samples: UnsafePointer<Float>, frames: Int, staging: UnsafeMutablePointer<Float>, capacity: Int
  ) -> MeteredSeconds {
    var ended = MeteredSeconds()
    var (next, left) = unsafe (samples, frames)
    while left > 0 {
      let done: Int
      if isResting {
        done = unsafe rest(next, left, &ended)
        if done < left { unsafe begin(staging) }
      } else {
        let room = capacity / filter.lanes - staged
        done = unsafe measure(next, min(left, room), staging, &ended)
      }
      unsafe next += done &* channels
      left -= done
    }
    return ended
  }

  /// The filters begin with zeros, at the stretch in which the next frame stands.
  private mutating func begin(_ staging: UnsafeMutablePointer<Float>) {
    staged = filter.taps - 1 + phase
    unsafe staging.update(repeating: 0, count: staged * filter.lanes)
    seconds.position -= phase
    phase = 0
    quietStretches = 0
    highPass = InlineArray(repeating: (.init(), .init(), .init()))
  }

  /// Takes `frames` in and filters what is whole. Returns how many of them count as taken: those after the
  /// last filtered stretch do not when the filters rest from then on.
  private mutating func measure(
    _ next: UnsafePointer<Float>, _ frames: Int, _ staging: UnsafeMutablePointer<Float>,
    _ ended: inout MeteredSeconds
  ) -> Int {
    let (lanes, history) = (filter.lanes, filter.taps - 1)
    let target = unsafe staging + staged &* lanes
    if channels == lanes {
      unsafe MeterKernels.copy(next, to: target, count: frames &* lanes)
    } else {
      unsafe MeterKernels.widen(next, channels: channels, to: target, lanes: lanes, frames: frames)
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

  /// Filters one stretch, which stands after the frames that the low-pass looks back on.
  @inline(__always)
  private mutating func filterStretch(_ frames: UnsafeMutablePointer<Float>, _ ended: inout MeteredSeconds) {
    let lanes = filter.lanes
    let fresh = unsafe frames + (filter.taps - 1) &* lanes
    let isQuiet = unsafe MeterKernels.isQuiet(fresh, count: stretch &* lanes, peak: quietPeak)
    quietStretches = isQuiet ? quietStretches + 1 : 0
    var outputs = InlineArray<64, Float>(repeating: 0)
    var span = outputs.mutableSpan
    unsafe span.withUnsafeMutableBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      unsafe filter.lowPass(frames, into: base)
      unsafe addOutputs(base, &ended)
    }
  }

  /// High-passes the outputs of the low-pass and adds them to the sub-blocks in which they stand.
  @inline(__always)
  private mutating func addOutputs(_ outputs: UnsafePointer<Float>, _ ended: inout MeteredSeconds) {
    let decimation = filter.decimation
    let stride = max(filter.lanes, 2)
    var first = 0
    while first < MeterKernels.outputs {
      var count = MeterKernels.outputs - first
      if seconds.position + count &* decimation > seconds.end {
        count = (seconds.end - seconds.position + decimation - 1) / decimation
      }
      for pair in 0..<stride / 2 {
        let energy = unsafe filter.highPass.energy(
          outputs + first &* stride + 2 &* pair, count: count, stride: stride, states: &highPass[pair])
        seconds.add(energy)
      }
      first += count
      seconds.pass(count &* decimation, &ended)
    }
  }
}
