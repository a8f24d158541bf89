internal import CLinux
internal import Glibc

package enum ReceiveOutcome {
  /// So many bytes are in the buffer, and perhaps a descriptor came with them. Bytes that were sent before
  /// the descriptor's message can stand in front of it, but none that were sent after it.
  case bytes(Int, descriptor: DescriptorBox?)
  /// The kernel dropped a descriptor (no number was free), or more than one came with one message: its text
  /// line can no longer be told. Every descriptor that came is closed again.
  case descriptorLost
  case wouldBlock
  case endOfStream
}

extension UnixSocket {
  /// Sends without waiting and without SIGPIPE. The descriptor travels with the first byte: when the outcome
  /// is `sent`, however little, the descriptor has gone and must not be sent again. The corresponding C
  /// function is `sendmsg(SCM_RIGHTS)`.
  package static func send(
    _ bytes: Span<UInt8>, descriptor: Int32? = nil, to raw: Int32
  ) throws(SystemError) -> SendOutcome {
    if let descriptor, descriptor < 0 { throw SystemError(code: EBADF, call: "sendmsg") }
    precondition(descriptor == nil || bytes.count > 0, "a descriptor travels with a byte")
    return try sendOutcome("sendmsg", on: .foreign) {
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe clinux_send(raw, bytes.baseAddress, bytes.count, descriptor ?? -1)
      }
    }
  }

  package static func send(
    _ bytes: [UInt8], descriptor: Int32? = nil, to raw: Int32
  ) throws(SystemError) -> SendOutcome {
    try send(bytes.span, descriptor: descriptor, to: raw)
  }

  /// Receives without waiting, at most `limit` bytes and one descriptor, which is closed on exec.
  /// A connection that the peer broke off (ECONNRESET) has come to its end.
  /// The corresponding C function is `recvmsg(MSG_CMSG_CLOEXEC)`.
  package static func receive(
    into buffer: inout ReceiveBuffer, atMost limit: Int = .max, from raw: Int32
  ) throws(SystemError) -> ReceiveOutcome {
    var (descriptor, lost): (Int32, Int32) = (-1, 0)
    let outcome: ReadOutcome
    do {
      outcome = try readOutcome("recvmsg", on: .own) {
        unsafe buffer.fill(atMost: limit) { room, count in
          unsafe clinux_receive(raw, room, count, &descriptor, &lost)
        }
      }
    } catch {
      guard error.isConnectionLost else { throw error }
      return .endOfStream
    }
    if lost != 0 { return .descriptorLost }
    switch outcome {
    case .bytes(let count):
      return .bytes(count, descriptor: descriptor < 0 ? nil : DescriptorBox(Descriptor(owning: descriptor)))
    case .wouldBlock: return .wouldBlock
    case .endOfStream: return .endOfStream
    }
  }
}
