internal import Glibc

extension Socket {
  /// Makes a TCP socket readable only when so many bytes wait, its receive buffer is full or its peer has ended; the kernel
  /// makes the buffer large enough. The corresponding C function is `setsockopt(SO_RCVLOWAT)`.
  public static func setReceiveLowWater(_ raw: Int32, bytes: Int32) throws(SystemError) {
    var value = bytes
    let size = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("setsockopt(SO_RCVLOWAT)", on: .foreign) {
      unsafe setsockopt(raw, SOL_SOCKET, SO_RCVLOWAT, &value, size)
    }
  }
}
