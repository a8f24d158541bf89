internal import LullModel

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
