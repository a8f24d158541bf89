internal import CLinux
internal import Glibc

/// A counter as a descriptor: readable while it is not zero.
package struct EventDescriptor: ~Copyable, Sendable {
  private let descriptor: Descriptor

  package init() throws(SystemError) {
    let flags = Int32(EFD_CLOEXEC | EFD_NONBLOCK)
    descriptor = try Descriptor(owning: systemCall("eventfd") { eventfd(0, flags) })
  }

  package var raw: Int32 { descriptor.raw }

  /// The counter of any eventfd, which stays as it is. The corresponding C function is `read` of
  /// `/proc/self/fdinfo/N`.
  package static func count(of raw: Int32) throws(SystemError) -> UInt64 {
    let text = try InfoText("/proc/self/fdinfo/\(raw)")
    return text.place(of: "eventfd-count:").map { text.number(at: $0, radix: 16).value } ?? 0
  }

  package func signal() throws(SystemError) {
    var one: UInt64 = 1
    let own = descriptor.raw
    try systemCall("write") { unsafe write(own, &one, 8) }
  }

  /// Sets the counter back to zero. Returns 0 when nothing was added.
  package func drain() throws(SystemError) -> UInt64 {
    do {
      return try readCounter(descriptor.raw)
    } catch {
      guard error.isWouldBlock else { throw error }
      return 0
    }
  }
}
