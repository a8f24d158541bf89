internal import LullSystem

/// A file that is read in parts: the lengths and places in it may be forged.
struct FileWindow {
  private let file: DescriptorBox

  /// Opens a file; nil when it cannot be read, or is no regular file.
  init?(_ path: [UInt8]) {
    guard let file = (try? Files.openRegular(path)) ?? nil else { return nil }
    self.file = file
  }

  /// The bytes at a place; nil when there are fewer, or when `count` is more than a picture may have.
  func bytes(at place: Int, count: Int) -> [UInt8]? {
    guard place >= 0, 0...Picture.largest ~= count else { return nil }
    let bytes = (try? Files.read(file.raw, at: Int64(place), count: count)) ?? []
    return bytes.count == count ? bytes : nil
  }
}
