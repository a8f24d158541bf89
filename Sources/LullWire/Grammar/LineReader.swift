/// Splits the bytes of one connection into messages.
///
/// The reader holds at most one unfinished text line and the bytes of one read, if ``next()`` is called until
/// it returns nil after each append.
package struct LineReader: Sendable {
  package struct Line: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
      case message(Message)
      /// The error is to be answered, and the connection goes on.
      case invalid(WireError)
      /// No LF within the limit: the error is to be answered, and the connection closed. Nothing comes after
      /// this.
      case tooLong
    }

    package var content: Content
    package var descriptors: Int

    package init(_ content: Content, descriptors: Int = 0) {
      self.content = content
      self.descriptors = descriptors
    }
  }

  private struct Descriptors {
    var place: Int
    var count: Int
  }

  private var buffer: [UInt8] = []
  private var head = 0
  /// There is no LF before this place.
  private var scanned = 0
  private var descriptors: [Descriptors] = []
  private var isClosed = false

  private let maximumLine: Int

  /// The lines have at most `maximumLine` bytes, with their LF.
  package init(maximumLine: Int = Limits.maximumLine) { self.maximumLine = maximumLine }

  package var pendingBytes: Int { buffer.count - head }

  /// The descriptors belong to the text line of the **last** of these bytes. The kernel puts bytes that were
  /// sent before in front of those that carry a descriptor, and ends the read with the latter (unix(7),
  /// "ancillary data").
  package mutating func append(_ bytes: ArraySlice<UInt8>, descriptors count: Int = 0) {
    guard !isClosed, !bytes.isEmpty else { return }
    compact()
    buffer += bytes
    if count > 0 { descriptors.append(Descriptors(place: buffer.count - 1, count: count)) }
  }

  /// Nil until more bytes come. Empty lines are passed over.
  package mutating func next() -> Line? {
    while !isClosed {
      guard let end = findLineFeed() else {
        guard pendingBytes >= maximumLine else { return nil }
        return close()
      }
      guard end - head < maximumLine else { return close() }
      let range = head..<end
      head = end + 1
      scanned = head
      let count = takeDescriptors(before: head)
      if let line = read(range, descriptors: count) { return line }
    }
    return nil
  }

  private mutating func findLineFeed() -> Int? {
    let place = buffer.span.firstLineFeed(from: scanned)
    scanned = place ?? buffer.count
    return place
  }

  private func read(_ range: Range<Int>, descriptors: Int) -> Line? {
    let bytes = buffer.span.extracting(range)
    if bytes.isEmpty || (bytes.count == 1 && bytes[0] == Grammar.carriageReturn) {
      guard descriptors > 0 else { return nil }
      let reason = "a descriptor came with an empty line"
      return Line(.invalid(.malformed(reason: reason)), descriptors: descriptors)
    }
    do throws(WireError) {
      return Line(.message(try Message.parse(bytes, maximumLine: maximumLine)), descriptors: descriptors)
    } catch {
      return Line(.invalid(error), descriptors: descriptors)
    }
  }

  private mutating func takeDescriptors(before end: Int) -> Int {
    var count = 0
    while let first = descriptors.first, first.place < end {
      count += first.count
      descriptors.removeFirst()
    }
    return count
  }

  private mutating func close() -> Line {
    let count = takeDescriptors(before: .max)
    isClosed = true
    buffer = []
    head = 0
    return Line(.tooLong, descriptors: count)
  }

  private mutating func compact() {
    guard head > 0 else { return }
    buffer.removeSubrange(0..<head)
    for index in descriptors.indices { descriptors[index].place -= head }
    scanned -= head
    head = 0
  }
}
