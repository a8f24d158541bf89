internal import CVorbis

/// An Ogg file: its packets go the way of a stream's, and its pages tell its length and where a frame stands.
final class OggFile: FileSource {
  /// Frames before a frame at which decoding begins: more than the longest packet, behind which a codec has
  /// settled.
  private static let preRoll: Int64 = 16_384
  /// The samples in which the first page must tell its place.
  private static let mostSamples = 1 << 20
  /// A page that tells more is forged.
  private static let mostFrames = Int64.max / 4
  /// The bytes at the end in which the last page must be.
  private static let longestTail: Int64 = 1 << 26

  private let start: Int64
  private let keepsPictures: Bool
  private var file: FileBytes
  private var pages: FilePages
  private var decoder: OggDecoder
  private var samples: [Float] = []
  private var silentBytes = 0
  /// The logical stream, the granule position of its first frame, and the place behind its last page.
  private var serial: Int32?
  private var zero: Int64?
  private var end: Int64
  private(set) var format: SoundFormat?
  private(set) var comments = Comments()
  /// The number of frames; nil when it is not told, or several logical streams follow one another.
  private(set) var frames: Int64?

  init(_ file: FileBytes, keepsPictures: Bool) throws(DecodeError) {
    (start, end, self.file, self.keepsPictures) = (file.place, file.size, file, keepsPictures)
    (pages, decoder) = (FilePages(file), OggDecoder(keepsPictures: keepsPictures))
    let step = findStart()
    guard decoder.format != nil else {
      if case .failed(let reason) = step { throw .unreadable(reason) }
      throw .unreadable("no Vorbis, Opus or FLAC in it")
    }
    (format, comments, serial) = (decoder.format, decoder.comments, decoder.serial)
    guard !keepsPictures, let zero, let last = lastPage() else { return }
    end = last.end
    let (count, isForged) = last.granule.subtractingReportingOverflow(zero)
    if !isForged, (0..<Self.mostFrames).contains(count) { frames = count }
  }

  var place: Int64? { file.place }

  func decode(onto samples: inout [Float]) -> DecodeStep {
    guard self.samples.isEmpty else {
      samples += self.samples
      self.samples = []
      return .decoded
    }
    return step(onto: &samples)
  }

  /// Decodes up to the end of the first page with sound: what is told there less what came is the place of
  /// the first frame, which a radio's recording has anywhere.
  private func findStart() -> DecodeStep {
    var step = DecodeStep.decoded
    while step == .decoded, samples.count < Self.mostSamples {
      step = self.step(onto: &samples)
      guard let granule = decoder.granule, let own = decoder.format, !samples.isEmpty else { continue }
      zero = granule - Int64(samples.count / own.channels)
      break
    }
    return step
  }

  /// Decodes a step; `starving` is the end of the file.
  private func step(onto samples: inout [Float]) -> DecodeStep {
    while true {
      let before = samples.count
      let step = decoder.decode(onto: &samples)
      if samples.count > before { silentBytes = 0 }
      guard step == .starving else { return step }
      let bytes = file.next()
      guard !bytes.isEmpty else { return .starving }
      silentBytes += bytes.count
      guard silentBytes <= DecodeStep.mostSilentBytes else { return .failed(DecodeStep.silence) }
      decoder.feed(bytes[...])
    }
  }

  /// The last page of the logical stream that tells its place; nil when another one follows it.
  private func lastPage() -> FilePages.Page? {
    var window: Int64 = 1 << 16
    while true {
      let start = max(start, file.size - window)
      var last: FilePages.Page?
      var isFollowed = false
      pages.seek(to: start)
      while let page = pages.next() {
        if page.serial == serial, page.granule >= 0 { (last, isFollowed) = (page, false) }
        if page.isFirst { isFollowed = true }
      }
      if last != nil || start == self.start || window == Self.longestTail { return isFollowed ? nil : last }
      window = min(8 * window, Self.longestTail)
    }
  }
}

extension OggFile {
  /// Goes to a frame: by the pages where the length is known, else by decoding all that is before it.
  func seek(to target: Int64) -> Int64? {
    let target = min(target, Self.mostFrames)
    if let page = page(before: target), let reached = restart(at: page), reached <= target {
      return skip(from: reached, to: target)
    }
    return restart(at: nil).map { skip(from: $0, to: target) }
  }

  /// The last page that ends long enough before a frame; nil when there is none, or it cannot be found.
  private func page(before target: Int64) -> FilePages.Page? {
    guard let frames, let zero, target > Self.preRoll else { return nil }
    let wanted = zero + min(target, frames) - Self.preRoll
    var (low, high) = (start, end)
    var found: FilePages.Page?
    while high - low > 1 << 16 {
      let middle = low + (high - low) / 2
      pages.seek(to: middle)
      if let page = ownPage(before: high), page.granule <= wanted {
        (found, low) = (page, page.end)
      } else {
        high = middle
      }
    }
    pages.seek(to: low)
    while let page = ownPage(before: end), page.granule <= wanted { found = page }
    return found
  }

  /// The next page that tells a place in the sound.
  private func ownPage(before end: Int64) -> FilePages.Page? {
    while let page = pages.next(), page.start < end {
      if page.serial == serial, page.granule > 0 { return page }
    }
    return nil
  }

  /// Reads the heads anew, then goes on behind a page, or with the first frame. Returns the frame that comes
  /// next; nil when the file has changed.
  private func restart(at page: FilePages.Page?) -> Int64? {
    decoder = OggDecoder()
    (file.place, silentBytes, samples) = (start, 0, [])
    var passed: [Float] = []
    while !decoder.isInSound { guard step(onto: &passed) == .decoded else { return nil } }
    guard let page, let zero else { return 0 }
    decoder.jump()
    file.place = page.start
    // The page may end a packet that began before it: then the next page is the first to tell its place.
    while true {
      passed.removeAll(keepingCapacity: true)
      guard step(onto: &passed) == .decoded else { return nil }
      if let granule = decoder.granule {
        let (frame, isForged) = granule.subtractingReportingOverflow(zero)
        return isForged || !(-Self.preRoll..<Self.mostFrames).contains(frame) ? nil : frame
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
      guard left > 0, step(onto: &passed) == .decoded else { break }
    }
    samples = passed
    return target - left
  }
}

/// The pages of a file, from any place of it on.
struct FilePages {
  struct Page {
    let start: Int64
    let end: Int64
    let serial: Int32
    /// The number of the stream's frames up to the page's end; negative when it is not told.
    let granule: Int64
    let isFirst: Bool
  }

  private let pages = OggPages()
  private var file: FileBytes
  private var place: Int64 = 0

  init(_ file: FileBytes) { self.file = file }

  /// Goes to a place, which may be in the middle of a page.
  mutating func seek(to place: Int64) {
    (self.place, file.place) = (place, place)
    pages.reset()
  }

  mutating func next() -> Page? {
    var page = unsafe ogg_page()
    while true {
      let count = unsafe pages.next(&page)
      place += Int64(count.magnitude)
      if count > 0 {
        return unsafe Page(
          start: place - Int64(count), end: place, serial: ogg_page_serialno(&page),
          granule: ogg_page_granulepos(&page), isFirst: ogg_page_bos(&page) != 0)
      }
      guard count == 0 else { continue }
      let bytes = file.next()
      guard !bytes.isEmpty else { return nil }
      pages.feed(bytes[...])
    }
  }
}
