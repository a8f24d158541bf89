/// The sum of the frames that a program's sessions gave to a device, from the frame that plays to the frame
/// rendered last.
///
/// Places are frames of the device. Frames stand in blocks; a block of zeros is only marked as such.
@safe final class AudioHistory {
  private static let block = 256
  private let channels: Int
  private let samples: SampleBuffer
  /// For each block, whether it holds anything but zeros.
  private var isLoud: [Bool]
  /// The first place that has not been metered.
  private(set) var start: UInt64
  /// The frames from here on are silence.
  private var end: UInt64

  init(frames: Int, channels: Int, at start: UInt64) {
    let blocks = (frames + Self.block - 1) / Self.block + 1
    (self.channels, self.start, end) = (channels, start, start)
    samples = SampleBuffer(count: blocks * Self.block * channels)
    isLoud = Array(repeating: false, count: blocks)
  }

  init(copying other: AudioHistory) {
    (channels, start, end, isLoud) = (other.channels, other.start, other.end, other.isLoud)
    let count = isLoud.count * Self.block * channels
    samples = SampleBuffer(count: count)
    unsafe samples.base.update(from: other.samples.base, count: count)
  }

  private func index(_ place: UInt64) -> Int { Int(place / UInt64(Self.block) % UInt64(isLoud.count)) }
  private func offset(_ place: UInt64) -> Int { Int(place % UInt64(Self.block)) }
  private func base(_ place: UInt64) -> UnsafeMutablePointer<Float> {
    unsafe samples.base + (index(place) * Self.block + offset(place)) * channels
  }

  /// There is room for the frames before this place.
  private var limit: UInt64 { start - UInt64(offset(start)) + UInt64(isLoud.count * Self.block) }

  func add(_ source: UnsafePointer<Float>, frames: Int, at place: UInt64) {
    var done = Int(max(place, start) - place)
    var place = max(place, start)
    while done < frames, place < limit {
      let count = min(frames - done, Self.block - offset(place))
      unsafe add(source + done * channels, count, inBlockAt: place)
      done += count
      place += UInt64(count)
    }
    end = max(end, place)
  }

  private func add(_ source: UnsafePointer<Float>, _ frames: Int, inBlockAt place: UInt64) {
    let count = frames * channels
    var bits: UInt32 = 0
    for index in 0..<count { unsafe bits |= source[index].bitPattern }
    guard bits != 0 else { return }
    let (index, target) = unsafe (index(place), base(place))
    if !isLoud[index] {
      unsafe (target - offset(place) * channels).update(repeating: 0, count: Self.block * channels)
      isLoud[index] = true
    }
    for index in 0..<count { unsafe target[index] += source[index] }
  }

  func cut(at place: UInt64) {
    guard place < end else { return }
    let newEnd = max(place, start)
    var next = newEnd
    if offset(newEnd) > 0 {
      let rest = Self.block - offset(newEnd)
      unsafe base(newEnd).update(repeating: 0, count: rest * channels)
      next += UInt64(rest)
    }
    while next < end {
      isLoud[index(next)] = false
      next += UInt64(Self.block)
    }
    end = newEnd
  }

  /// Meters the next frames before a place: as many as stand together and are all sound or all silence. Nil
  /// when no frame is left.
  func meter(before place: UInt64, with meter: inout Meter?) -> (frames: Int, tenths: MeteredTenths)? {
    guard start < place else { return nil }
    let (first, source, isSound) = unsafe (start, base(start), isLoud[index(start)])
    repeat { pass(before: place) } while start < place && index(start) > 0 && isLoud[index(start)] == isSound
    let frames = Int(start - first)
    let tenths =
      if isSound {
        unsafe meter?.process(UnsafeBufferPointer(start: source, count: frames * channels))
      } else {
        meter?.skipSilence(frames: frames)
      }
    return (frames, tenths ?? MeteredTenths())
  }

  private func pass(before place: UInt64) {
    let blockEnd = start + UInt64(Self.block - offset(start))
    guard blockEnd <= place else { return start = place }
    // The block is free: nothing was added to it since it was metered.
    isLoud[index(start)] = false
    start = blockEnd
  }
}
