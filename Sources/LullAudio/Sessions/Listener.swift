internal import LullEngine

/// Decides whether the sum of some sessions of a program can be heard on one device.
///
/// Only played frames are metered. While the device does not play, time passes as silence.
struct Listener {
  private let policy: AudibilityPolicy
  private var window: AudibleWindow
  private var meter: Meter?
  private var history: AudioHistory?
  private var rate = 48_000
  private var channels = 0
  /// The frames that the meter was given, and the tenths that it gave.
  private var metered = 0
  private var tenths = 0
  /// The moment up to which everything is metered.
  private var time: Int64?
  /// The end of the last tenth with `AudibleWindow.isHeard`.
  private(set) var lastHeard: Int64?
  /// The end of the last tenth in which anything was audible.
  private(set) var lastSound: Int64?

  /// In nanoseconds: more than the rule looks back.
  private static let longSilence: Int64 = 20_000_000_000

  init(_ policy: AudibilityPolicy, silence: Interval?) {
    self.policy = policy
    window = AudibleWindow(policy, silence: silence)
  }

  func copy() -> Listener {
    var copy = self
    copy.history = history.map(AudioHistory.init(copying:))
    return copy
  }

  var level: Int32? { meter?.level }

  func hangover(running: Bool, spoken: Bool) -> Double { window.hangover(running: running, spoken: spoken) }

  func isSilent(now: Int64) -> Bool {
    guard lastHeard == nil, let lastSound else { return lastHeard == nil }
    return now - lastSound > Int64(policy.windowTenths) * 100_000_000
  }

  /// Forgets all sound so far, because the program has another hangover.
  mutating func restart(silence: Interval?) {
    (window, lastHeard) = (AudibleWindow(policy, silence: silence), nil)
  }

  mutating func forget() {
    lastHeard = nil
    window.forget()
  }

  /// Takes over the sound of another device, and the hangover that it has earned there; the other one forgets
  /// both.
  mutating func takeOver(_ other: inout Listener) {
    guard let heard = other.lastHeard else { return }
    let isLater = heard > lastHeard ?? .min
    window.takeOver(other.window, isLater: isLater)
    if isLater { lastHeard = heard }
    other.forget()
  }

  var isAttached: Bool { history != nil }

  /// Frames can wait both in the device's buffer and behind it, so the history has room for two buffers.
  mutating func attach(_ format: SinkFormat, at place: UInt64) {
    if meter == nil || rate != format.rate || channels != format.channels {
      (rate, channels, metered, tenths) = (format.rate, format.channels, 0, 0)
      meter = Meter(rate: rate, channels: channels, policy: policy)
    }
    history = AudioHistory(frames: 2 * format.buffer, channels: channels, at: place)
  }

  mutating func detach() { history = nil }

  func add(_ samples: UnsafePointer<Float>, frames: Int, at place: UInt64) {
    unsafe history?.add(samples, frames: frames, at: place)
  }

  func cut(at place: UInt64) { history?.cut(at: place) }

  mutating func listen(to place: UInt64, at moment: Int64) {
    while let (frames, ended) = history?.meter(before: place, with: &meter) {
      metered += frames
      let start = history?.start ?? place
      note(ended, at: moment - nanoseconds(Int(place - start)))
    }
    time = max(time ?? moment, moment)
  }

  mutating func passSilence(until moment: Int64) {
    guard let since = time, meter != nil else { return time = moment }
    if moment - since > Self.longSilence {
      let tenths = (moment - since) / 100_000_000 - 20
      window.silence(tenths: Int(tenths))
      time = since + tenths * 100_000_000
    }
    let start = time ?? moment
    let frames = Int(max(0, moment - start)) * rate / 1_000_000_000
    guard frames > 0, let ended = meter?.skipSilence(frames: frames) else { return }
    metered += frames
    let end = start + nanoseconds(frames)
    time = end
    note(ended, at: end)
  }

  /// Notes the tenths that ended in the metered frames, the last of which was played at `moment`.
  private mutating func note(_ ended: MeteredTenths, at moment: Int64) {
    for tenth in ended {
      tenths += 1
      window.tenth(tenth)
      guard tenth != .silent else { continue }
      let end = moment - nanoseconds(metered - tenths * rate / 10)
      lastSound = end
      if window.isHeard { lastHeard = end }
    }
  }

  private func nanoseconds(_ frames: Int) -> Int64 { Int64(frames) * 1_000_000_000 / Int64(rate) }
}
