internal import CLinux
internal import Glibc

package enum Pipe {
  /// Both ends are blocking and closed on exec. The corresponding C function is `pipe2(O_CLOEXEC)`.
  package static func open() throws(SystemError) -> (reading: DescriptorBox, writing: DescriptorBox) {
    var ends: [Int32] = [-1, -1]
    try systemCall("pipe2") { unsafe clinux_pipe(&ends) }
    return (DescriptorBox(Descriptor(owning: ends[0])), DescriptorBox(Descriptor(owning: ends[1])))
  }
}

extension Descriptor {
  /// Keeps reads and writes of an open file from waiting, for all who share it.
  package static func stopBlocking(_ raw: Int32) throws(SystemError) {
    let flags = try systemCall("fcntl(F_GETFL)") { fcntl(raw, F_GETFL) }
    try systemCall("fcntl(F_SETFL)") { fcntl(raw, F_SETFL, flags | O_NONBLOCK) }
  }
}

extension StandardStreams {
  /// Writes what there is room for, without waiting where the descriptor is non-blocking.
  package static func writePart(_ bytes: ArraySlice<UInt8>, to raw: Int32) throws(SystemError) -> SendOutcome
  {
    try sendOutcome("write", on: .foreign) {
      unsafe bytes.withUnsafeBytes { bytes in unsafe Glibc.write(raw, bytes.baseAddress, bytes.count) }
    }
  }
}
