import Glibc
import LullModel
import LullSystem
import TestSupport
import Testing

/// The behaviour of frozen programs' descriptors on which the daemon relies.
@Suite(.bounded) struct KernelDescriptorTests {
  @Test func `pidfd_getfd works on a frozen process`() throws {
    let group = try TestCgroup()
    let (here, there) = try UnixSocket.pair()
    let program = try Child(["sleep", "60"], in: group, input: there.raw)
    let identity = try FileIdentity.of(there.raw)
    there.close()
    try group.freeze()
    let duplicate = try Process.getDescriptor(program.pidfd, number: 0)
    #expect(try FileIdentity.of(duplicate.raw) == identity)
    #expect(fcntl(duplicate.raw, F_GETFD) == FD_CLOEXEC)
    _ = here
  }

  @Test func `pidfd_getfd of a number that is not open is an error, not a trap`() throws {
    let group = try TestCgroup()
    let program = try Child(["sleep", "60"], in: group)
    let error = #expect(throws: SystemError.self) {
      _ = try Process.getDescriptor(program.pidfd, number: 900).raw
    }
    #expect(error?.isBadDescriptor == true)
  }

  @Test func `data on TCP is seen on a duplicate, once, with its token, and again when armed again`() throws {
    let sleeper = try Sleeper(holding: try tcpPair())
    #expect(try sleeper.events() == [])
    #expect(try Socket.write(sleeper.peer.raw, [1]) == .sent(1))
    #expect(try sleeper.awaitEvent() == [.readable])
    #expect(try sleeper.events() == [])
    try sleeper.arm()
    #expect(try sleeper.awaitEvent() == [.readable])
  }

  @Test func `bytes that came before the watch are seen too`() throws {
    let pair = try tcpPair()
    #expect(try Socket.write(pair.client.raw, [1]) == .sent(1))
    _ = try ready(pair.server.raw, .readable)
    let sleeper = try Sleeper(holding: pair)
    #expect(try sleeper.awaitEvent() == [.readable])
  }

  @Test func `a FIN is readable and hung up for reading`() throws {
    let sleeper = try Sleeper(holding: try tcpPair())
    sleeper.peer.close()
    #expect(try sleeper.awaitEvent() == [.readable, .readHangUp])
  }

  @Test func `a reset is an error and hung up`() throws {
    let sleeper = try Sleeper(holding: try tcpPair())
    var linger = linger(l_onoff: 1, l_linger: 0)
    let size = socklen_t(MemoryLayout.size(ofValue: linger))
    try #require(unsafe setsockopt(sleeper.peer.raw, SOL_SOCKET, SO_LINGER, &linger, size) == 0)
    sleeper.peer.close()
    #expect(try sleeper.awaitEvent() == [.readable, .hangUp, .error, .readHangUp])
  }

  @Test func `a datagram is seen on a duplicate`() throws {
    let server = DescriptorBox(try Socket.bindDatagram(.loopback()))
    let client = DescriptorBox(try Socket.connectDatagram(Socket.localAddress(server.raw)))
    let sleeper = try Sleeper(holding: (client: client, server: server))
    #expect(try sleeper.events() == [])
    #expect(try Socket.write(client.raw, [1]) == .sent(1))
    #expect(try sleeper.awaitEvent() == [.readable])
  }

  @Test func `a connection is seen on a duplicate of a listening socket`() throws {
    let server = DescriptorBox(try Socket.listen(.loopback()))
    let address = try Socket.localAddress(server.raw)
    let unused = try UnixSocket.pair().0
    let sleeper = try Sleeper(holding: (client: unused, server: server))
    #expect(try sleeper.events() == [])
    let client = try Socket.connectNonBlocking(address)
    #expect(try sleeper.awaitEvent() == [.readable])
    _ = client.raw
  }

  @Test func `while a duplicate is held the owner's close sends no FIN`() throws {
    let sleeper = try Sleeper(holding: try tcpPair())
    try Process.sendSignal(sleeper.program.pidfd, Signal.kill)
    try sleeper.program.end()
    #expect(try Socket.poll(sleeper.peer.raw, [.readable, .readHangUp], timeoutMilliseconds: 50) == [])
    try sleeper.epoll.remove(sleeper.duplicate.raw)
    sleeper.duplicate.close()
    #expect(try ready(sleeper.peer.raw, [.readable, .readHangUp]).contains(.readHangUp))
  }

  @Test func `a closed duplicate that is still registered goes on reporting, and cannot be removed`() async {
    await #expect(processExitsWith: .success) {
      let (here, there) = try UnixSocket.pair()
      // A high number: a low one could be given again to another thread between the close and the removal.
      let duplicate = DescriptorBox(Descriptor(owning: fcntl(there.raw, F_DUPFD_CLOEXEC, 900)))
      let epoll = try Epoll()
      try epoll.add(duplicate.raw, token: 7, interest: .readable)
      duplicate.close()
      #expect(try UnixSocket.send([1], to: here.raw) == .sent(1))
      var list = ReadyList(capacity: 4)
      #expect(try epoll.wait(into: &list, timeoutMilliseconds: patience) == 1)
      #expect(list[0].token == 7)
      let error = #expect(throws: SystemError.self) { try epoll.remove(duplicate.raw) }
      #expect(error?.isBadDescriptor == true)
    }
  }

  @Test func `a duplicate that is removed and then closed is silent`() throws {
    let (here, there) = try UnixSocket.pair()
    let epoll = try Epoll()
    var list = ReadyList(capacity: 4)
    let duplicate = DescriptorBox(Descriptor(owning: fcntl(there.raw, F_DUPFD_CLOEXEC, 900)))
    try epoll.add(duplicate.raw, token: 7, interest: .readable)
    try epoll.remove(duplicate.raw)
    duplicate.close()
    #expect(try UnixSocket.send([1], to: here.raw) == .sent(1))
    #expect(try epoll.wait(into: &list, timeoutMilliseconds: 0) == 0)
  }

  @Test func `a regular file and a directory cannot be watched`() throws {
    let epoll = try Epoll()
    let directory = try TemporaryDirectory()
    let file = try box(Files.lock("\(directory.path)/lock"))
    let folder = try Files.openDirectory(directory.path)
    for raw in [file.raw, folder.raw] {
      let error = #expect(throws: SystemError.self) { try epoll.add(raw, token: 1, interest: .readable) }
      #expect(error?.isNotPermitted == true)
    }
  }

  @Test func `a descriptor that was opened for its path only is an error everywhere, not a trap`() throws {
    let epoll = try Epoll()
    let path = Descriptor(owning: unsafe open("/", openPath | O_CLOEXEC))
    let raw = path.raw
    let calls: [() throws -> Void] = [
      { try epoll.add(raw, token: 1, interest: .readable) },
      { _ = try Socket.unreadBytes(raw) },
      { _ = try Files.readMemoryFile(raw, limit: 10) },
      { _ = try Socket.write(raw, [1]) },
      { try Socket.setKeepAlive(raw, idleSeconds: 60) },
    ]
    for call in calls {
      let error = #expect(throws: SystemError.self) { try call() }
      #expect(error?.isBadDescriptor == true)
    }
    #expect(Socket.kind(of: raw) == nil)
  }
}

/// O_PATH, which the Glibc module leaves out.
private let openPath: Int32 = 0o10000000

/// A frozen program that holds one end of a line, and a watch on a duplicate that was taken while it was
/// frozen.
private final class Sleeper {
  let peer: DescriptorBox
  let group: TestCgroup
  let program: Child
  let duplicate: DescriptorBox
  let epoll: Epoll
  private let token: UInt64 = 0x1_0000_0002

  init(holding pair: (client: DescriptorBox, server: DescriptorBox)) throws {
    peer = pair.client
    group = try TestCgroup()
    program = try Child(["sleep", "60"], in: group, input: pair.server.raw)
    pair.server.close()
    try group.freeze()
    duplicate = DescriptorBox(try Process.getDescriptor(program.pidfd, number: 0))
    epoll = try Epoll()
    try epoll.add(duplicate.raw, token: token, interest: [.readable, .readHangUp, .oneShot])
  }

  func arm() throws {
    try epoll.modify(duplicate.raw, token: token, interest: [.readable, .readHangUp, .oneShot])
  }

  func events() throws -> Readiness {
    try wait(0)
  }

  func awaitEvent() throws -> Readiness {
    try wait(patience)
  }

  private func wait(_ milliseconds: Int32) throws -> Readiness {
    var list = ReadyList(capacity: 4)
    guard try epoll.wait(into: &list, timeoutMilliseconds: milliseconds) > 0 else { return [] }
    #expect(list.count == 1)
    #expect(list[0].token == token)
    return list[0].readiness
  }
}
