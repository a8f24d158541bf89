internal import CVorbis
internal import LullSystem

/// The pages of an Ogg file (RFC 3533, 6), from any place of it on.
@safe final class OggPages {
  struct Page {
    let start: Int64
    let end: Int64
    let serial: Int32
    /// The number of the stream's frames up to the page's end; negative: not told.
    let granule: Int64
    /// The first of a logical stream.
    let isFirst: Bool
  }

  private static let piece = 1 << 14
  private let file: Int32
  private let sync = UnsafeMutablePointer<ogg_sync_state>.allocate(capacity: 1)
  /// The places of the next page and of the next bytes.
  private var (place, filled): (Int64, Int64) = (0, 0)

  init(_ file: Int32) {
    self.file = file
    unsafe sync.initialize(to: ogg_sync_state())
    unsafe ogg_sync_init(sync)
  }

  deinit {
    unsafe ogg_sync_clear(sync)
    unsafe sync.deallocate()
  }

  /// Goes to a place, which may be in the middle of a page.
  func seek(to place: Int64) {
    (self.place, filled) = (place, place)
    unsafe ogg_sync_reset(sync)
  }

  /// The next whole page; nil at the file's end.
  func next() -> Page? {
    var page = unsafe ogg_page()
    while true {
      let count = unsafe ogg_sync_pageseek(sync, &page)
      place += Int64(count.magnitude)
      if count > 0 {
        return unsafe Page(
          start: place - Int64(count), end: place, serial: ogg_page_serialno(&page),
          granule: ogg_page_granulepos(&page), isFirst: ogg_page_bos(&page) != 0)
      }
      // A negative count is that of the bytes that belong to no page.
      guard count < 0 || fill() else { return nil }
    }
  }

  private func fill() -> Bool {
    let bytes = (try? Files.read(file, at: filled, count: Self.piece)) ?? []
    guard !bytes.isEmpty, let room = unsafe ogg_sync_buffer(sync, bytes.count) else { return false }
    unsafe bytes.withUnsafeBytes { bytes in
      unsafe UnsafeMutableRawBufferPointer(start: room, count: bytes.count).copyMemory(from: bytes)
    }
    unsafe ogg_sync_wrote(sync, bytes.count)
    filled += Int64(bytes.count)
    return true
  }
}
