internal import LullSystem

/// A file of which parts are looked at: what it says of lengths and places may be lies.
struct FileWindow {
  private let file: DescriptorBox

  /// Nil for what cannot be read, or is no regular file.
  init?(_ path: [UInt8]) {
    guard let file = (try? Files.openRegular(path)) ?? nil else { return nil }
    self.file = file
  }

  /// The bytes at a place; nil when there are fewer, or more are asked for than a picture may have.
  func bytes(at place: Int, count: Int) -> [UInt8]? {
    guard place >= 0, 0...Picture.largest ~= count else { return nil }
    let bytes = (try? Files.read(file.raw, at: place, count: count)) ?? []
    return bytes.count == count ? bytes : nil
  }
}
