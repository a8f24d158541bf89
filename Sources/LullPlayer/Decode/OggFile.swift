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
  private var file: FileBytes
  private let pages = OggPages()
  /// Where the next bytes of the pages are read.
  private var pageFile: FileBytes
  private var decoder: OggDecoder
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
    (start, end, self.file) = (file.place, file.size, file)
    (pageFile, decoder) = (file, OggDecoder(keepsPictures: keepsPictures))
    try findStart()
    guard !keepsPictures else { return }
    if let zero, let last = lastPage() {
      end = last.end
      let (count, isForged) = last.granule.subtractingReportingOverflow(zero)
      if !isForged, (0..<Self.mostFrames).contains(count) { frames = count }
    }
    _ = restart(at: nil)
  }

  var place: Int64? { file.place }

  /// Decodes up to the end of the first page with sound: what is told there less what came is the place of
  /// the first frame, which a radio's recording has anywhere.
  private func findStart() throws(DecodeError) {
    var (samples, step): ([Float], DecodeStep) = ([], .decoded)
    while step == .decoded, samples.count < Self.mostSamples, zero == nil {
      step = decode(onto: &samples)
      guard let granule = decoder.granule, let own = decoder.format, !samples.isEmpty else { continue }
      zero = granule - Int64(samples.count / own.channels)
    }
    (format, comments, serial) = (decoder.format, decoder.comments, decoder.serial)
    guard format == nil else { return }
    if case .failed(let reason) = step { throw .unreadable(reason) }
    throw .unreadable("no Vorbis, Opus or FLAC in it")
  }

  func decode(onto samples: inout [Float]) -> DecodeStep {
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
  private func lastPage() -> Page? {
    var window: Int64 = 1 << 16
    while true {
      let start = max(start, file.size - window)
      var last: Page?
      var isFollowed = false
      seekPage(at: start)
      while let page = nextPage() {
        if page.serial == serial, page.granule >= 0 { (last, isFollowed) = (page, false) }
        if page.isFirst { isFollowed = true }
      }
      if last != nil || start == self.start || window == Self.longestTail { return isFollowed ? nil : last }
      window = min(8 * window, Self.longestTail)
    }
  }

  /// Goes near a frame: by the pages where the length is known, else to the beginning.
  func seek(to target: Int64) -> Int64? {
    if let page = page(before: target), let reached = restart(at: page), reached <= target { return reached }
    return restart(at: nil)
  }

  /// The last page that ends long enough before a frame; nil when there is none, or it cannot be found.
  private func page(before target: Int64) -> Page? {
    guard let frames, let zero, target > Self.preRoll else { return nil }
    let wanted = zero + min(target, frames) - Self.preRoll
    var (low, high) = (start, end)
    var found: Page?
    while high - low > 1 << 16 {
      let middle = low + (high - low) / 2
      seekPage(at: middle)
      if let page = ownPage(before: high), page.granule <= wanted {
        (found, low) = (page, page.end)
      } else {
        high = middle
      }
    }
    seekPage(at: low)
    while let page = ownPage(before: end), page.granule <= wanted { found = page }
    return found
  }

  /// The next page that tells a place in the sound.
  private func ownPage(before end: Int64) -> Page? {
    while let page = nextPage(), page.start < end {
      if page.serial == serial, page.granule > 0 { return page }
    }
    return nil
  }

  /// Reads the heads anew, then goes on behind a page, or with the first frame. Returns the frame that comes
  /// next; nil when the file has changed.
  private func restart(at page: Page?) -> Int64? {
    (decoder, file.place, silentBytes) = (OggDecoder(), start, 0)
    var passed: [Float] = []
    while !decoder.isInSound { guard decode(onto: &passed) == .decoded else { return nil } }
    guard let page, let zero else { return 0 }
    decoder.jump()
    file.place = page.start
    // The page may end a packet that began before it: then the next page is the first to tell its place.
    while true {
      passed.removeAll(keepingCapacity: true)
      guard decode(onto: &passed) == .decoded else { return nil }
      guard let granule = decoder.granule else { continue }
      let (frame, isForged) = granule.subtractingReportingOverflow(zero)
      return isForged || !(-Self.preRoll..<Self.mostFrames).contains(frame) ? nil : frame
    }
  }

  // MARK: Pages

  private struct Page {
    let start: Int64
    let end: Int64
    let serial: Int32
    /// The number of the stream's frames up to the page's end; negative when it is not told.
    let granule: Int64
    let isFirst: Bool
  }

  /// Goes to a place, which may be in the middle of a page.
  private func seekPage(at place: Int64) {
    pageFile.place = place
    pages.reset(to: place)
  }

  private func nextPage() -> Page? {
    var page = unsafe ogg_page()
    while unsafe !pages.take(&page) {
      let bytes = pageFile.next()
      guard !bytes.isEmpty else { return nil }
      pages.feed(bytes[...])
    }
    return unsafe Page(
      start: pages.place - Int64(page.header_len + page.body_len), end: pages.place,
      serial: ogg_page_serialno(&page), granule: ogg_page_granulepos(&page),
      isFirst: ogg_page_bos(&page) != 0)
  }
}
