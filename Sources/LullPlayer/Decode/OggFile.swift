internal import LullSystem

/// An Ogg file: its packets go the way of a stream's, and its pages tell its length and where a frame stands.
final class OggFile: FileSteps {
  /// A logical stream, behind which another one may begin.
  private struct Link {
    /// Its first byte, and the place behind its last one.
    let start: Int64
    var end: Int64
    let serial: Int32?
    /// The frame of the file with which it begins.
    let first: Int64
    /// The granule position of that frame; nil: not known.
    let zero: Int64?
  }

  private static let piece = 1 << 14
  /// Frames before a frame at which decoding begins: more than the longest packet, behind which a codec has
  /// settled.
  private static let preRoll: Int64 = 16_384
  /// The samples in which the first page must tell its place.
  private static let mostSamples = 1 << 20
  /// More tells a forged page.
  private static let mostFrames = Int64.max / 4
  /// The bytes at the end in which the last page must be.
  private static let longestTail: Int64 = 1 << 26

  private let file: Int32
  private let size: Int64
  private let pages: OggPages
  private var decoder = OggDecoder()
  /// The samples that were decoded already.
  private var samples: [Float] = []
  private var silentBytes = 0
  private(set) var format: StreamFormat?
  private(set) var comments = Comments()
  /// The logical streams that are known, and whether these are all.
  private var links: [Link] = []
  private var areAllKnown = false
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

  private func begin() throws(DecodeError) {
    let (zero, step) = begin(at: 0)
    guard decoder.format != nil else {
      if case .failed(let reason) = step { throw .unreadable(reason) }
      throw .unreadable("no Vorbis, Opus or FLAC in it")
    }
    (format, comments) = (decoder.format, decoder.comments)
    let last = lastPage()
    frames = last.flatMap { page in zero.flatMap { Self.count(from: $0, to: page.granule) } }
    links = [Link(start: 0, end: last?.end ?? size, serial: decoder.serial, first: 0, zero: zero)]
    areAllKnown = frames != nil
  }

  /// Decodes a logical stream up to the end of its first page with sound: what is told there less what came
  /// is the place of the first frame, which a radio's recording has anywhere.
  private func begin(at start: Int64) -> (zero: Int64?, step: PushStep) {
    (decoder, next, silentBytes, samples) = (OggDecoder(), start, 0, [])
    var step = PushStep.decoded
    while step == .decoded, samples.count < Self.mostSamples {
      step = self.step(onto: &samples)
      guard let granule = decoder.granule, let own = decoder.format, !samples.isEmpty else { continue }
      return (granule - Int64(samples.count / own.channels), step)
    }
    return (nil, step)
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
  /// The frames between two granule positions; nil for forged ones.
  private static func count(from zero: Int64, to granule: Int64) -> Int64? {
    let (count, isForged) = granule.subtractingReportingOverflow(zero)
    return isForged || !(0..<mostFrames).contains(count) ? nil : count
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
      if last != nil || start == 0 || window == Self.longestTail { return isFollowed ? nil : last }
      window = min(8 * window, Self.longestTail)
    }
  }

  /// Goes to a frame: by the pages, else by decoding all that is before it.
  func seek(to target: Int64) -> Int64? {
    let target = min(target, Self.mostFrames)
    let link = link(with: target)
    if let page = page(before: target, in: link), let start = restart(link, at: page), start <= target {
      return skip(from: start, to: target)
    }
    return restart(link, at: nil).map { skip(from: $0, to: target) }
  }

  /// The logical stream with a frame; behind the end the last one.
  private func link(with target: Int64) -> Link {
    while !areAllKnown, links[links.count - 1].first <= target { areAllKnown = !findNextLink() }
    return links.last { $0.first <= target } ?? links[0]
  }

  /// Finds the end of the last logical stream that is known, and the next one behind it. False: there is none
  /// that could be decoded.
  private func findNextLink() -> Bool {
    let link = links[links.count - 1]
    var (ending, following): (OggPages.Page?, Int64?) = (nil, nil)
    pages.seek(to: link.start)
    while following == nil, let page = pages.next() {
      if page.isFirst {
        following = ending == nil ? nil : page.start
      } else if page.serial == link.serial, page.granule > 0 {
        ending = page
      }
    }
    guard let last = ending else { return false }
    links[links.count - 1].end = following ?? last.end
    guard let start = following, let zero = link.zero,
      let count = Self.count(from: zero, to: last.granule), count < Self.mostFrames - link.first
    else { return false }
    let found = begin(at: start)
    guard decoder.format == format else { return false }
    let first = link.first + count
    links.append(Link(start: start, end: size, serial: decoder.serial, first: first, zero: found.zero))
    return true
  }

  /// The last page that ends long enough before a frame; nil: none, or it cannot be found.
  private func page(before target: Int64, in link: Link) -> OggPages.Page? {
    guard let zero = link.zero, target - link.first > Self.preRoll else { return nil }
    let (wanted, isForged) = zero.addingReportingOverflow(target - link.first - Self.preRoll)
    guard !isForged else { return nil }
    var (low, high) = (link.start, link.end)
    var found: OggPages.Page?
    while high - low > 4 * Int64(Self.piece) {
      let middle = low + (high - low) / 2
      pages.seek(to: middle)
      if let page = ownPage(of: link, before: high), page.granule <= wanted {
        (found, low) = (page, page.end)
      } else {
        high = middle
      }
    }
    pages.seek(to: low)
    while let page = ownPage(of: link, before: link.end), page.granule <= wanted { found = page }
    return found
  }

  /// The next page of a logical stream that tells a place in the sound.
  private func ownPage(of link: Link, before end: Int64) -> OggPages.Page? {
    while let page = pages.next(), page.start < end {
      if page.serial == link.serial, page.granule > 0 { return page }
    }
    return nil
  }

  /// Reads the heads anew, then goes on behind a page, or with the first frame. Returns the frame that comes
  /// next; nil: the file has changed.
  private func restart(_ link: Link, at page: OggPages.Page?) -> Int64? {
    (decoder, next, silentBytes, samples) = (OggDecoder(), link.start, 0, [])
    var passed: [Float] = []
    while !decoder.isInSound { guard step(onto: &passed) == .decoded else { return nil } }
    guard let page, let zero = link.zero else { return link.first }
    decoder.jump()
    next = page.start
    // The page may end a packet that began before it: then the next page is the first to tell its place.
    while true {
      passed.removeAll(keepingCapacity: true)
      guard step(onto: &passed) == .decoded else { return nil }
      if let granule = decoder.granule {
        let (frame, isForged) = granule.subtractingReportingOverflow(zero)
        return isForged || !(-Self.preRoll..<Self.mostFrames).contains(frame) ? nil : link.first + frame
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
