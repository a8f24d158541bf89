import Glibc
import LullSystem
import TestSupport
import Testing

/// Descriptors that are lost on their way.
@Suite(.bounded) struct KernelMessageTests {
  @Test(arguments: [2, 3, 20])
  func `several descriptors in one message are recognised and closed`(count: Int) throws {
    let (here, there) = try UnixSocket.pair()
    let (kept, sent) = try UnixSocket.pair()
    try sendDescriptors(Array(repeating: sent.raw, count: count), to: here.raw)
    sent.close()
    var buffer = ReceiveBuffer(capacity: 16)
    guard case .descriptorLost = try UnixSocket.receive(into: &buffer, from: there.raw) else {
      Issue.record("the loss was not seen")
      return
    }
    #expect(try ready(kept.raw, .readable).contains(.hangUp), "a descriptor that came is still open")
  }

  @Test func `a descriptor that the limit of open files keeps out is recognised`() async {
    await #expect(processExitsWith: .success) {
      let (here, there) = try UnixSocket.pair()
      #expect(try UnixSocket.send([1], descriptor: here.raw, to: here.raw) == .sent(1))
      let next = DescriptorBox(Descriptor(owning: dup(here.raw))).raw
      var limit = rlimit(rlim_cur: rlim_t(next), rlim_max: 4096)
      try #require(unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
      var buffer = ReceiveBuffer(capacity: 16)
      guard case .descriptorLost = try UnixSocket.receive(into: &buffer, from: there.raw) else {
        Issue.record("the loss was not seen")
        return
      }
    }
  }

  @Test func `a message with a descriptor is not joined with what was sent after it`() throws {
    let (here, there) = try UnixSocket.pair()
    #expect(try UnixSocket.send([1], to: here.raw) == .sent(1))
    #expect(try UnixSocket.send([2], descriptor: here.raw, to: here.raw) == .sent(1))
    #expect(try UnixSocket.send([3], to: here.raw) == .sent(1))
    var buffer = ReceiveBuffer(capacity: 16)
    guard case .bytes(2, let descriptor?) = try UnixSocket.receive(into: &buffer, from: there.raw) else {
      Issue.record("the descriptor did not end the read")
      return
    }
    #expect(Array(buffer.received) == [1, 2])
    #expect(try FileIdentity.of(descriptor.raw) == FileIdentity.of(here.raw))
  }
}

/// One message with several descriptors, which the library never sends.
private func sendDescriptors(_ descriptors: [Int32], to raw: Int32) throws {
  let length = MemoryLayout<cmsghdr>.size + descriptors.count * 4
  var control = [UInt64](repeating: 0, count: (length + 7) / 8)
  unsafe control.withUnsafeMutableBytes { bytes in
    unsafe bytes.storeBytes(of: length, as: Int.self)
    unsafe bytes.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
    unsafe bytes.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
    for (index, descriptor) in descriptors.enumerated() {
      unsafe bytes.storeBytes(of: descriptor, toByteOffset: 16 + index * 4, as: Int32.self)
    }
  }
  var byte: UInt8 = 1
  let sent = unsafe withUnsafeMutablePointer(to: &byte) { byte in
    var data = unsafe iovec(iov_base: byte, iov_len: 1)
    return unsafe withUnsafeMutablePointer(to: &data) { data in
      unsafe control.withUnsafeMutableBytes { control in
        var message = unsafe msghdr()
        unsafe message.msg_iov = data
        unsafe message.msg_iovlen = 1
        unsafe message.msg_control = control.baseAddress
        unsafe message.msg_controllen = control.count
        return unsafe sendmsg(raw, &message, 0)
      }
    }
  }
  try #require(sent == 1)
}
