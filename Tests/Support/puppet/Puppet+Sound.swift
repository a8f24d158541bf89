import Glibc
import LullSystem
import LullWire

// A session of sound by hand.
extension Puppet {
  func ring(bytes: Int) {
    guard let (_, box) = try? SharedMemory.create(name: "ring", count: bytes) else { return }
    show("opened", dup(box.raw))
  }

  func pair() {
    guard let (here, there) = try? UnixSocket.pair() else { return }
    let (own, other) = (dup(here.raw), dup(there.raw))
    var status = stat()
    unsafe fstat(own, &status)
    show(
      Message("opened").adding(Field("own", "\(own)")).adding(Field("fd", "\(other)"))
        .adding(Field("inode", "\(status.st_ino)")))
  }

  /// Writes one word of a ring.
  func store(_ offset: Int, _ value: UInt32, in raw: Int32) {
    var value = value
    _ = unsafe pwrite(raw, &value, 4, off_t(offset))
  }

  /// Fills the frames of a ring that has one byte for each.
  func noise(_ count: Int, in raw: Int32) {
    let frames = (0..<count).map { UInt8($0 / 8 % 2 == 0 ? 64 : 192) }
    _ = unsafe pwrite(raw, frames, count, 4096)
  }
}
