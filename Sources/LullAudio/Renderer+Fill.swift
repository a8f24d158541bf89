internal import LullSystem

/// Filling the device.
extension Renderer {
  /// With fewer frames queued than this, what a session does not have yet is left out.
  private var critical: Int { output.rate / 100 }

  /// The frames that are to be queued.
  private var target: Int {
    guard let format = output.sink?.format else { return 0 }
    var target = format.buffer
    for session in sessions where session.isRendering {
      target = min(target, Int(session.request.latency * Double(format.rate)))
    }
    return target
  }

  func fill(now: Int64) {
    guard let format = output.sink?.format else { return }
    let target = target
    // A small write costs as many wake-ups of a sound server as a large one.
    guard !output.isRunning || target - output.queued >= target / 4 else { return }
    guard sessions.contains(where: { $0.isRendering && !$0.source.isEmpty(written: $0.written) }) else {
      return
    }
    var room = min(target - output.queued, output.room(now: now))
    while room > 0 {
      let frames = ready(min(room, FrameSource.chunk))
      guard frames > 0 else { break }
      let taken = render(frames, channels: format.channels, now: now)
      room -= taken
      guard taken == frames else { break }
    }
    output.begin(now: now)
    if output.sink == nil { takeBack() }
  }

  /// How many frames can be mixed now. A session that has none is waited for as long as that is safe, unless it is known
  /// to have run dry.
  private func ready(_ frames: Int) -> Int {
    let isCritical = output.queued < critical
    var (least, isLacking) = (frames, false)
    var isAny = false
    for session in sessions where session.isRendering {
      let count = session.prepare(frames, at: output.written, finishing: isCritical && output.isRunning)
      if count > 0 {
        least = min(least, count)
        isAny = true
      } else if session.state == .running, session.command == .play, session.order != .hold {
        isLacking = isLacking || session.timeline.deviceEnd.map { $0 > output.heard } ?? false
      }
    }
    return isAny && (!isLacking || isCritical) ? least : 0
  }

  private func render(_ frames: Int, channels: Int, now: Int64) -> Int {
    mix.clear(frames * channels)
    let place = output.written
    for session in sessions where session.isRendering {
      let count = session.prepare(frames, at: place, finishing: false)
      if count > 0 { unsafe session.render(min(count, frames), at: place, into: mix.base) }
    }
    let taken = unsafe output.write(UnsafeBufferPointer(mix.first(frames * channels)), now: now)
    if taken < frames {
      for session in sessions { session.truncate(at: place + UInt64(taken)) }
    }
    return taken
  }
}
