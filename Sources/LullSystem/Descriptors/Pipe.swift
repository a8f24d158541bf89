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
