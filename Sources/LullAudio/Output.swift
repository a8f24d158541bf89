internal import LullSystem

/// The device that is played to: opened and closed, its place on the timeline, and what becomes of it when it fails.
///
/// Places are frames of the device since the process began; they go on over a new device. What is `written` and not
/// `heard` can be taken back.
final class Output {
  private let open: SinkOpener
  private(set) var sink: (any Sink)?
  private(set) var written: UInt64 = 0
  private(set) var heard: UInt64 = 0
  /// When `heard` was so.
  private(set) var measuredAt: Int64 = 0
  /// Up to this moment it played what was heard.
  private(set) var heardAt: Int64 = 0
  private(set) var isRunning = false
  /// The device gives frames back and goes on.
  private(set) var canRewind = false
  private var isPrepared = true
  /// When everything written has been heard, by the clock.
  private var dryAt: Int64 = .max
  /// The seconds that the device was opened for.
  private(set) var seconds = 0.0
  /// How often the device ran dry while there was something to play.
  private(set) var underruns = 0

  private(set) var retryAt: Int64?
  private var retryDelay = Output.shortestRetry
  private(set) var missingSince: Int64?
  /// A device has been there before.
  private(set) var hasWorked = false
  private(set) var isGone = false
  /// What the library said when the device could not be opened.
  private(set) var complaint = ""

  private static let shortestRetry: Int64 = 250_000_000
  private static let longestRetry: Int64 = 5_000_000_000
  /// A device that claims to have frames so long after they were due has none.
  private static let tolerance: Int64 = 50_000_000

  init(open: @escaping SinkOpener) { self.open = open }

  var rate: Int { sink?.format.rate ?? 48_000 }
  var queued: Int { Int(written - heard) }
  /// The frames in the buffer of the device as they were at `measuredAt`. A device that is a program tells its room in
  /// steps of `grain`; in between the clock knows better.
  private(set) var level = 0

  /// When a place is heard, if the device runs on.
  func moment(_ place: UInt64) -> Int64 {
    measuredAt + Int64(place - min(place, heard)) * 1_000_000_000 / Int64(rate)
  }

  /// Opens a device unless the last try was too short ago. True when there is a new one.
  func openIfDue(_ request: SinkRequest, now: Int64) -> Bool {
    guard sink == nil, retryAt.map({ $0 <= now }) ?? true else { return false }
    do {
      sink = try open(request)
      (isRunning, isPrepared, measuredAt, seconds, canRewind) = (false, true, now, request.seconds, false)
      (retryAt, retryDelay, missingSince, hasWorked, isGone) = (nil, Self.shortestRetry, nil, true, false)
      return true
    } catch {
      if case .gone(let text) = error { complaint = text }
      missingSince = missingSince ?? now
      retryAt = now + retryDelay
      retryDelay = min(2 * retryDelay, Self.longestRetry)
      return false
    }
  }

  /// No more tries for now: nobody wants to play.
  func rest() { (retryAt, retryDelay, missingSince) = (nil, Self.shortestRetry, nil) }

  func close() {
    stop()
    sink = nil
  }

  /// Asks the device where it is. False when what was on its way is lost and has to be rendered again.
  func measure(now: Int64) -> Bool {
    guard let sink, isRunning else { return true }
    let isLate = now > dryAt &+ Self.tolerance
    // The machine may have slept for days since.
    let elapsed = Int(min(now - measuredAt, 10_000_000_000) * Int64(rate) / 1_000_000_000)
    measuredAt = now
    do {
      let room = try sink.room()
      let most = sink.format.buffer - room
      level = max(most - 2 * sink.format.grain, min(most, level - elapsed), 0)
      // What has left the buffer cannot be taken back, even when it is heard much later: it counts as heard.
      let delay = try UInt64(min(sink.delay(), sink.format.buffer))
      heard = max(heard, isLate ? written : written - min(delay, written))
      heardAt = heard == written ? min(now, dryAt) : now
      dryAt = min(dryAt, moment(written))
      return true
    } catch {
      return !fail(error, now: now)
    }
  }

  /// What was written and is not heard comes back: as much as the device gives while it goes on playing, or all.
  /// Then `written` is where it goes on. `isShared`: several programs are to be heard there.
  func takeBack(isShared: Bool) {
    guard isRunning, let sink, isShared || !sink.rewindsLate else { return stop() }
    let frames = min(sink.rewind(queued), queued)
    canRewind = canRewind || frames > 0
    guard canRewind else { return stop() }
    written -= UInt64(frames)
    level = max(0, level - frames)
    dryAt = moment(written)
  }

  /// The device is silent at once, and what it was given is not to be heard. Then it knows what was: between two
  /// looks `heard` goes on by the clock, and a device that was late has played less.
  func stop() {
    if isRunning || written > heard, let unheard = sink?.stop(), isRunning {
      heard = max(heard - min(heard, UInt64(rate / 4)), written - min(UInt64(max(0, unheard)), written))
    }
    end()
  }

  /// Everything has been heard: the device has to be begun anew. It is not stopped, because some are still to play what
  /// has left their buffer.
  func end() {
    (isRunning, isPrepared, dryAt, level) = (false, false, .max, 0)
    written = heard
  }

  func noteUnderrun() { underruns += 1 }

  /// Frames that it takes now.
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

  /// Hands frames over, as many as it takes. A device that has run dry or was stopped is begun anew.
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

  /// Plays what was written.
  func begin(now: Int64) {
    guard let sink, written > heard else { return }
    if !isRunning {
      do {
        try sink.start()
        (isRunning, measuredAt, level) = (true, now, queued)
      } catch {
        _ = fail(error, now: now)
        return
      }
    }
    dryAt = moment(written)
  }

  /// True when what was on its way is lost.
  private func fail(_ error: SinkError, now: Int64) -> Bool {
    switch error {
    case .ranDry:
      // What was written to a device that has not begun was never heard.
      if isRunning { (heard, heardAt) = (written, min(now, dryAt)) }
      end()
      return false
    case .suspended:
      stop()
      return true
    case .gone(let text):
      end()
      sink = nil
      (complaint, isGone) = (text, true)
      (missingSince, retryAt) = (now, now + Self.shortestRetry)
      return true
    }
  }
}
