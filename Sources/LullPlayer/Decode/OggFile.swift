internal import LullSystem

/// An Ogg file: its packets go the way of a stream's, and its pages tell its length and where a frame stands.
final class OggFile: FileSteps {
  private static let piece = 1 << 14
  /// Frames before a frame at which decoding begins: more than the longest packet, behind which a codec has
  /// settled.
  private static let preRoll: Int64 = 16_384
  /// The samples in which the first page must tell its place.
  private static let mostSamples = 1 << 20

  private let file: Int32
  private let size: Int64
  private let pages: OggPages
  private var decoder = OggDecoder()
  /// The samples that were decoded already.
  private var samples: [Float] = []
  private var silentBytes = 0
  private(set) var format: StreamFormat?
  private(set) var comments = Comments()
  /// The granule position of the first frame; nil: not known.
  private var zero: Int64?
  /// The number of frames; nil when it is not told, or several logical streams follow one another.
  private(set) var frames: Int64?
  private var next: Int64 = 0

  init(_ file: Int32) throws(DecodeError) {
    self.file = file
    size = (try? Files.size(file)).map { Int64($0) } ?? 0
    pages = OggPages(file)
    try begin()
  }

  var place: Int64? { next }

  func decode(onto samples: inout [Float]) -> PushStep {
    guard self.samples.isEmpty else {
      samples += self.samples
      self.samples = []
      return .decoded
    }
    return step(onto: &samples)
  }

  /// Decodes up to the end of the first page with sound: what is told there less what came is the place of
  /// the first frame, which a radio's recording has anywhere.
  private func begin() throws(DecodeError) {
    var first: [Float] = []
    var step = PushStep.decoded
    while step == .decoded, zero == nil, first.count < Self.mostSamples {
      step = self.step(onto: &first)
      guard let granule = decoder.granule, let own = decoder.format, !first.isEmpty else { continue }
      zero = granule - Int64(first.count / own.channels)
    }
    guard decoder.format != nil else {
      if case .failed(let reason) = step { throw .unreadable(reason) }
      throw .unreadable("no Vorbis, Opus or FLAC in it")
    }
    (format, comments, samples) = (decoder.format, decoder.comments, first)
    frames = length()
  }

  /// Decodes a step; `starving` is the end of the file.
  private func step(onto samples: inout [Float]) -> PushStep {
    while true {
      let before = samples.count
      let step = decoder.decode(onto: &samples)
      if samples.count > before { silentBytes = 0 }
      guard step == .starving else { return step }
      // A file that cannot be read any more ends too early, which is told.
      let bytes = (try? Files.read(file, at: next, count: Self.piece)) ?? []
      guard !bytes.isEmpty else { return .starving }
      silentBytes += bytes.count
      guard silentBytes <= PushStep.mostSilentBytes else { return .failed(PushStep.silence) }
      next += Int64(bytes.count)
      decoder.feed(bytes[...])
    }
  }
}

// The length, and places.
extension OggFile {
  /// What the last page tells.
  private func length() -> Int64? {
    guard let zero, let last = lastPage() else { return nil }
    let (count, isForged) = last.granule.subtractingReportingOverflow(zero)
    return isForged || !(0..<Int64.max / 2).contains(count) ? nil : count
  }

  /// The last page of the logical stream that tells its place; nil when another one follows it.
  private func lastPage() -> OggPages.Page? {
    var window: Int64 = 1 << 16
    while true {
      let start = max(0, size - window)
      var last: OggPages.Page?
      var isFollowed = false
      pages.seek(to: start)
      while let page = pages.next() {
        if page.serial == decoder.serial, page.granule >= 0 { (last, isFollowed) = (page, false) }
        if page.isFirst { isFollowed = true }
      }
      if last != nil || start == 0 { return isFollowed ? nil : last }
      window *= 8
    }
  }

  /// Goes to a frame: by the pages, else by decoding all that is before it.
  func seek(to target: Int64) -> Int64? {
    if let page = page(before: target), let start = restart(at: page), start <= target {
      return skip(from: start, to: target)
    }
    return restart(at: nil).map { skip(from: $0, to: target) }
  }

  /// The last page that ends long enough before a frame; nil: none, or it cannot be found.
  private func page(before target: Int64) -> OggPages.Page? {
    guard let zero, frames != nil, target > Self.preRoll else { return nil }
    let (wanted, isForged) = zero.addingReportingOverflow(target - Self.preRoll)
    guard !isForged else { return nil }
    var (low, high) = (Int64(0), size)
    var found: OggPages.Page?
    while high - low > 4 * Int64(Self.piece) {
      let middle = low + (high - low) / 2
      pages.seek(to: middle)
      if let page = ownPage(before: high), page.granule <= wanted {
        (found, low) = (page, page.end)
      } else {
        high = middle
      }
    }
    pages.seek(to: low)
    while let page = ownPage(before: size), page.granule <= wanted { found = page }
    return found
  }

  /// The next page of the logical stream that tells a place in the sound.
  private func ownPage(before end: Int64) -> OggPages.Page? {
    while let page = pages.next(), page.start < end {
      if page.serial == decoder.serial, page.granule > 0 { return page }
    }
    return nil
  }

  /// Reads the heads anew, then goes on behind a page, or with the first frame. Returns the frame that comes
  /// next; nil: the file has changed.
  private func restart(at page: OggPages.Page?) -> Int64? {
    (decoder, next, silentBytes, samples) = (OggDecoder(), 0, 0, [])
    var passed: [Float] = []
    while !decoder.isInSound { guard step(onto: &passed) == .decoded else { return nil } }
    guard let page, let zero else { return 0 }
    decoder.jump()
    next = page.start
    // The page may end a packet that began before it: then the next page is the first to tell its place.
    while true {
      passed.removeAll(keepingCapacity: true)
      guard step(onto: &passed) == .decoded else { return nil }
      if let granule = decoder.granule {
        let (frame, isForged) = granule.subtractingReportingOverflow(zero)
        return isForged || frame < -Self.preRoll ? nil : frame
      }
    }
  }

  /// Drops frames; returns the frame that was reached, at the most the end.
  private func skip(from start: Int64, to target: Int64) -> Int64 {
    guard let channels = format?.channels else { return start }
    var left = target - start
    var passed: [Float] = []
    while true {
      let count = min(left, Int64(passed.count / channels))
      passed.removeFirst(Int(count) * channels)
      left -= count
      guard left > 0 else { break }
      guard step(onto: &passed) == .decoded else { break }
    }
    samples = passed
    return target - left
  }
}
