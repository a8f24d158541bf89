internal import CLinux
internal import Glibc
internal import LullModel

/// Gives the pages of a frozen process back, except those that came back since the last time: the program
/// works with them.
struct PageOut {
  enum Halt: Error {
    case stopped
    case refused
  }

  private typealias Region = clinux_page_region

  /// A larger mapping is left alone where it would have to be walked in steps, without a scan.
  private static let largestUnscanned: UInt64 = 1 << 36

  private let pidfd: DescriptorBox
  /// Nil before Linux 6.7: nobody tells what came back, so a mapping goes once.
  private let pagemap: DescriptorBox?
  private let pageSize = UInt64(max(1, sysconf(Int32(_SC_PAGESIZE))))
  private let before: PageHistory
  private let isStopped: () -> Bool
  private var after: PageHistory
  /// The chunk that is being gathered, and its pages that are to go.
  private var chunk: UInt64?
  private var pages: UInt64 = 0

  private var chunkSize: UInt64 { PageHistory.chunkPages * pageSize }

  /// Gives back what the histories of the program's processes do not hold, and adds it to them. `isStopped`
  /// is asked before each chunk.
  static func run(
    _ pid: Int32, _ histories: inout [PageHistory], isStopped: @escaping () -> Bool
  ) throws(Halt) {
    guard let pidfd = try? DescriptorBox(Process.pidfdOpen(pid)) else { return }
    let mappings = try mappings(of: pid)
    let pagemap = try? DescriptorBox(Files.openRegular("/proc/\(pid)/pagemap", O_RDONLY))
    // What was opened by its number is this process's, if it still has the number.
    guard let process = try? ProcessIdentity.current(pid), Process.isNumbered(pidfd.raw) else { return }
    let place = histories.firstIndex { $0.process == process }
    let before = place.map { histories[$0] }
    var pass = PageOut(pidfd, pagemap, before: before ?? PageHistory(process), isStopped: isStopped)
    guard pass.pagemap != nil || before?.isUnscanned != true else { return }
    defer {
      if let place { histories[place] = pass.after } else { histories.append(pass.after) }
    }
    try pass.take(mappings)
  }

  private init(
    _ pidfd: DescriptorBox, _ pagemap: DescriptorBox?, before: PageHistory, isStopped: @escaping () -> Bool
  ) {
    (self.pidfd, self.before, self.isStopped) = (pidfd, before, isStopped)
    let page = pageSize
    self.pagemap = pagemap.flatMap { Self.scan($0.raw, 0..<page, most: 1) == nil ? nil : $0 }
    after = PageHistory(before.process)
  }

  private static func mappings(of pid: Int32) throws(Halt) -> [MemoryMapping] {
    do throws(SystemError) {
      return try MemoryMapping.all(of: pid)
    } catch {
      if error.isNotPermitted { throw .refused }
      return []
    }
  }

  private mutating func take(_ mappings: [MemoryMapping]) throws(Halt) {
    do {
      for mapping in mappings where mapping.mayBePagedOut {
        if let pagemap { try take(mapping.range, pagemap.raw) } else { try takeUnscanned(mapping.range) }
      }
      try finishChunk()
      after.isUnscanned = pagemap == nil
    } catch {
      // The history of the chunks that this pass did not reach still holds.
      after.append(before, from: chunk ?? 0)
      throw error
    }
  }

  // MARK: With a scan

  private mutating func take(_ range: Range<UInt64>, _ pagemap: Int32) throws(Halt) {
    var start = range.lowerBound
    while start < range.upperBound {
      guard let (regions, end) = Self.scan(pagemap, start..<range.upperBound, most: 64) else { return }
      for region in regions { try take(region) }
      start = end
      if isStopped() { throw .stopped }
    }
  }

  private mutating func take(_ region: Region) throws(Halt) {
    var start = region.start
    while start < region.end {
      let number = start / chunkSize
      let end = min(region.end, (number + 1) * chunkSize)
      if number != chunk {
        try finishChunk()
        chunk = number
        if isStopped() { throw .stopped }
      }
      let there = pages(start..<end, of: number)
      let given = region.isPresent ? there & before.pages(of: number) : there
      pages |= there & ~given
      after.add(given, of: number)
      start = end
    }
  }

  private mutating func finishChunk() throws(Halt) {
    guard let chunk, pages != 0 else { return }
    var rest = pages
    var ranges = unsafe [iovec]()
    while rest != 0 {
      let first = UInt64(rest.trailingZeroBitCount)
      let count = UInt64((~(rest >> first)).trailingZeroBitCount)
      unsafe ranges.append(range(chunk * chunkSize + first * pageSize, count * pageSize))
      rest &= ~Self.bits(first..<first + count)
    }
    try unsafe pageOut(ranges)
    after.add(pages & ~present(in: chunk), of: chunk)
    pages = 0
  }

  /// Pages that another process maps too stay where they are, and pages for which there is no room.
  private func present(in chunk: UInt64) -> UInt64 {
    guard let pagemap else { return 0 }
    var (present, start): (UInt64, UInt64) = (0, chunk * chunkSize)
    let last = start + chunkSize
    while start < last {
      guard let (regions, end) = Self.scan(pagemap.raw, start..<last, most: 16) else { return .max }
      for region in regions where region.isPresent { present |= pages(region.start..<region.end, of: chunk) }
      start = end
    }
    return present
  }

  /// The pages that are there or in swap, and where the scan has ended.
  private static func scan(
    _ pagemap: Int32, _ range: Range<UInt64>, most: Int
  ) -> (regions: [Region], end: UInt64)? {
    var end = range.upperBound
    let regions = unsafe [Region](unsafeUninitializedCapacity: most) { room, count in
      let found = unsafe clinux_scan_pages(pagemap, range.lowerBound, &end, room.baseAddress, most)
      count = Int(max(0, found))
      if found < 0 { end = range.lowerBound }
    }
    return end > range.lowerBound ? (regions, end) : nil
  }

  private func pages(_ range: Range<UInt64>, of chunk: UInt64) -> UInt64 {
    let base = chunk * chunkSize
    return Self.bits((range.lowerBound - base) / pageSize..<(range.upperBound - base) / pageSize)
  }

  private static func bits(_ places: Range<UInt64>) -> UInt64 {
    ((1 << places.upperBound) &- 1) & ~((1 << places.lowerBound) &- 1)
  }

  // MARK: Without a scan

  private mutating func takeUnscanned(_ range: Range<UInt64>) throws(Halt) {
    guard range.upperBound - range.lowerBound <= Self.largestUnscanned else { return }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(chunkSize)) {
      try unsafe pageOut([self.range(start, min(chunkSize, range.upperBound - start))])
      if isStopped() { throw .stopped }
    }
  }

  // MARK: The call

  private func range(_ start: UInt64, _ count: UInt64) -> iovec {
    unsafe iovec(iov_base: UnsafeMutableRawPointer(bitPattern: UInt(start)), iov_len: Int(count))
  }

  private func pageOut(_ ranges: [iovec]) throws(Halt) {
    // A range that cannot go, such as that of a device, is no failure of the whole.
    let code = unsafe clinux_page_out(pidfd.raw, ranges, ranges.count) == -1 ? errno : 0
    if code == EPERM || code == ENOSYS || code == ESRCH { throw .refused }
  }
}

extension clinux_page_region {
  fileprivate var isPresent: Bool { categories & UInt64(CLINUX_PAGE_PRESENT.rawValue) != 0 }
}

/// The pages of a process that were given back, in the order of their addresses.
struct PageHistory {
  /// Pages that lie side by side, a bit for each; a step of giving memory back is one chunk.
  private struct Chunk {
    let number: UInt64
    var pages: UInt64
  }

  static let chunkPages: UInt64 = 64

  let process: ProcessIdentity
  /// Nobody can tell which pages those were, so all of them count.
  var isUnscanned = false
  private var chunks: [Chunk] = []

  init(_ process: ProcessIdentity) { self.process = process }

  func pages(of number: UInt64) -> UInt64 {
    let place = place(of: number)
    return place < chunks.count && chunks[place].number == number ? chunks[place].pages : 0
  }

  /// Adds pages of the last chunk, or of one behind it.
  mutating func add(_ pages: UInt64, of number: UInt64) {
    guard pages != 0 else { return }
    if let last = chunks.last, last.number == number {
      chunks[chunks.count - 1].pages |= pages
    } else {
      chunks.append(Chunk(number: number, pages: pages))
    }
  }

  mutating func append(_ other: PageHistory, from number: UInt64) {
    for chunk in other.chunks[other.place(of: number)...] { add(chunk.pages, of: chunk.number) }
  }

  private func place(of number: UInt64) -> Int {
    var (low, high) = (0, chunks.count)
    while low < high {
      let middle = low + (high - low) / 2
      if chunks[middle].number < number { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
