/// The device that plays: its opening and closing, its place on the timeline, and its failures. Places are
/// frames of the device since the process began, and go on over a new device.
final class DeviceOutput {
  private let open: SinkOpener
  private(set) var sink: (any Sink)?
  private(set) var written: UInt64 = 0
  private(set) var played: UInt64 = 0
  private(set) var measuredAt: Int64 = 0
  /// The time until which the device played the frames up to `played`.
  private(set) var playedAt: Int64 = 0
  private(set) var isRunning = false
  /// The device has told another position since it was begun.
  private var hasMoved = false
  /// The time at which the device told another position last, or was begun.
  private var movedAt: Int64 = 0
  /// The device runs and has stood still for long: it is suspended, and nobody hears it.
  private(set) var isStill = false
  /// The device has given frames back and gone on.
  private(set) var canRewind = false
  private var isPrepared = true
  /// The time at which everything written has been played, by the clock.
  private var dryAt: Int64 = .max
  /// The seconds that the device was opened for.
  private(set) var seconds = 0.0
  /// How often the device ran dry while there was something to play.
  private(set) var underruns = 0

  private(set) var retryAt: Int64?
  private var retryDelay: Int64
  private(set) var missingSince: Int64?
  private(set) var hasWorked = false
  private(set) var isGone = false
  private(set) var complaint = ""

  let policy = DevicePolicy()
  /// A device that claims to have frames for longer than this after the due time is not believed.
  private static let tolerance: Int64 = 50_000_000
  /// A device that tells no other position for so long stands still. Some take two seconds to begin.
  private static let patience: Int64 = 3_000_000_000

  init(open: @escaping SinkOpener) { (self.open, retryDelay) = (open, policy.shortestRetry) }

  var rate: Int { sink?.format.rate ?? 48_000 }
  var queued: Int { Int(written - played) }
  /// The frames in the buffer of the device as they were at `measuredAt`. A device that is a program tells
  /// its room in steps of `grain`; the clock is more exact in between.
  private(set) var level = 0

  /// The time at which a place is played, if the device runs on.
  func moment(_ place: UInt64) -> Int64 {
    measuredAt + Int64(place - min(place, played)) * 1_000_000_000 / Int64(rate)
  }

  /// Whether a device was opened; nil when the last try was too recent.
  func openIfDue(_ request: SinkRequest, now: Int64) -> Bool? {
    guard sink == nil, retryAt.map({ $0 <= now }) ?? true else { return nil }
    do {
      sink = try open(request)
      (isRunning, isPrepared, measuredAt, seconds, canRewind) = (false, true, now, request.seconds, false)
      (retryAt, retryDelay, missingSince, hasWorked, isGone) = (nil, policy.shortestRetry, nil, true, false)
      return true
    } catch {
      if case .gone(let text) = error { complaint = text }
      let since = missingSince ?? now
      missingSince = since
      isGone = isGone || now - since >= policy.doubt
      retryAt = now + retryDelay
      retryDelay = min(2 * retryDelay, policy.longestRetry)
      return false
    }
  }

  /// Stops trying to open a device, because no session wants to play.
  func rest() { (retryAt, retryDelay, missingSince) = (nil, policy.shortestRetry, nil) }

  func close() {
    stop()
    sink = nil
  }

  /// Returns false when the queued frames are lost and must be rendered again.
  func measure(now: Int64) -> Bool {
    guard let sink, isRunning else { return true }
    let isLate = now > dryAt &+ Self.tolerance
    // The machine may have slept for days since: the device had no time to move.
    let elapsed = Int(min(now - measuredAt, 10_000_000_000) * Int64(rate) / 1_000_000_000)
    if now - measuredAt >= Self.patience { movedAt = now }
    measuredAt = now
    do {
      let room = try sink.room()
      let most = sink.format.buffer - room
      level = max(most - 2 * sink.format.grain, min(most, level - elapsed), 0)
      // Frames that have left the buffer cannot be taken back: they count as played, even if they play much
      // later.
      let delay = try UInt64(min(sink.delay(), sink.format.buffer))
      advance(to: written - min(delay, written), isLate: isLate, now: now)
      return true
    } catch {
      return !fail(error, now: now)
    }
  }

  /// Only a device that has come near the end of its frames since it was begun can have run dry without
  /// saying so: the frames of one that is suspended would be taken for heard.
  private func advance(to place: UInt64, isLate: Bool, now: Int64) {
    if place > played { (hasMoved, movedAt, isStill, isGone) = (true, now, false, false) }
    let end = isLate && hasMoved && !isStill && written - place <= nearEnd ? written : place
    if end > played { (played, playedAt) = (end, end == written ? min(now, dryAt) : now) }
    dryAt = hasMoved && !isLate ? min(dryAt, moment(written)) : moment(written)
    isStill = isStill || played < written && now - movedAt >= Self.patience
    isGone = isGone || isStill
  }

  /// The frames that a device can claim to have though it has run dry.
  private var nearEnd: UInt64 { UInt64(max(2 * (sink?.format.grain ?? 0), rate / 20)) }

  /// Takes back written frames that are not played: as many as the device gives while it plays on, or all.
  /// Rendering goes on at `written`. `isShared`: several programs play there. To stop a device that stands
  /// still makes no gap.
  func takeBack(isShared: Bool) {
    guard isRunning, !isStill, let sink, isShared || !sink.rewindsLate else { return stop() }
    let frames = min(sink.rewind(queued), queued)
    canRewind = canRewind || frames > 0
    guard canRewind else { return stop() }
    written -= UInt64(frames)
    level = max(0, level - frames)
    dryAt = moment(written)
  }

  /// Silences the device at once; the queued frames are not to be played. The device then knows the frames
  /// that were played: between two measurements the clock advances `played`, and a late device has played
  /// less.
  func stop() {
    if isRunning || written > played, let unplayed = sink?.stop(), isRunning {
      played = max(played - min(played, UInt64(rate / 4)), written - min(UInt64(max(0, unplayed)), written))
    }
    end()
  }

  /// Notes that everything has been played: the device must be begun anew. It is not stopped, because some
  /// devices still play frames that have left their buffer.
  func end() {
    (isRunning, isPrepared, dryAt, level, isStill) = (false, false, .max, 0, false)
    written = played
  }

  func noteUnderrun() { underruns += 1 }

  func room(now: Int64) -> Int {
    guard let sink else { return 0 }
    guard isPrepared else { return sink.format.buffer }
    do {
      return try sink.room()
    } catch {
      _ = fail(error, now: now)
      return 0
    }
  }

  /// A device that ran dry or was stopped is begun anew.
  func write(_ samples: UnsafeBufferPointer<Float>, now: Int64) {
    guard let sink else { return }
    do {
      let taken = try unsafe sink.write(samples, anew: !isPrepared)
      isPrepared = true
      written += UInt64(taken)
      level += taken
    } catch {
      _ = fail(error, now: now)
    }
  }

  func begin(now: Int64) {
    guard let sink, written > played else { return }
    if !isRunning {
      do {
        try sink.start()
        (isRunning, measuredAt, level) = (true, now, queued)
        (hasMoved, movedAt) = (false, now)
      } catch {
        _ = fail(error, now: now)
        return
      }
    }
    dryAt = moment(written)
  }

  func finish(now: Int64) {
    do {
      try sink?.finish()
    } catch {
      _ = fail(error, now: now)
    }
  }

  /// Returns true when the queued frames are lost.
  private func fail(_ error: SinkError, now: Int64) -> Bool {
    switch error {
    case .ranDry:
      // Frames written to a device that has not begun were never played.
      if isRunning { (played, playedAt) = (written, min(now, dryAt)) }
      end()
      return false
    case .suspended:
      stop()
      return true
    case .gone(let text):
      end()
      sink = nil
      (complaint, isGone) = (text, true)
      (missingSince, retryAt) = (now, now + policy.shortestRetry)
      return true
    }
  }
}
