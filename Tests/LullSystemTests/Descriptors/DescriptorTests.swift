import CPuppet
import Glibc
import LullModel
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct DescriptorTests {
  @Test func `a descriptor is closed when its owner ends`() throws {
    let (here, there) = try UnixSocket.pair()
    do {
      guard let owner = there.take() else { throw Missing() }
      #expect(try readyNow(here.raw, .readable) == [])
      #expect(!there.isOpen && owner.raw == there.raw)
    }
    #expect(try ready(here.raw, .readable, "it was not closed").contains(.hangUp))
  }

  @Test func `a taken number is not closed`() throws {
    let (here, there) = try UnixSocket.pair()
    guard let owner = there.take() else { throw Missing() }
    let number = owner.take()
    #expect(try readyNow(here.raw, .readable) == [])
    #expect(close(number) == 0)
  }

  @Test func `closing twice is a trap`() async {
    await #expect(processExitsWith: .failure) {
      try #require(cpuppet_own_descriptors() == 0)
      let (here, _) = try UnixSocket.pair()
      let second = Descriptor(owning: here.raw)
      here.close()
      _ = consume second
    }
  }

  @Test func `a box closes once and says whether it is open`() throws {
    let (here, there) = try UnixSocket.pair()
    #expect(there.isOpen)
    there.close()
    there.close()
    #expect(!there.isOpen)
    #expect(try ready(here.raw, .readable, "it was not closed").contains(.hangUp))
    switch there.take() {
    case .some: Issue.record("a closed box still gave a descriptor")
    case .none: break
    }
  }

  @Test func `a duplicate is the same file, another socket is not`() throws {
    let (here, there) = try UnixSocket.pair()
    let original = Descriptor(owning: dup(here.raw))
    let duplicate = try original.duplicate()
    #expect(try FileIdentity.of(duplicate.raw) == FileIdentity.of(original.raw))
    #expect(try FileIdentity.of(there.raw) != FileIdentity.of(original.raw))
    #expect(fcntl(duplicate.raw, F_GETFD) == FD_CLOEXEC)
  }

  @Test func `one that is to be closed early has a high number, and is the only one of its file`() throws {
    let (here, there) = try UnixSocket.pair()
    guard let owner = there.take() else { throw Missing() }
    let early = owner.closedEarly()
    #expect(early.raw >= 512 && fcntl(early.raw, F_GETFD) == FD_CLOEXEC)
    #expect(try readyNow(here.raw, .readable) == [])
    _ = consume early
    #expect(try ready(here.raw, .readable, "it was not closed").contains(.hangUp))
  }

  @Test func `a number that is not open is an error for who did not open it`() async {
    await #expect(processExitsWith: .success) {
      let (here, _) = try UnixSocket.pair()
      let calls: [() throws -> Void] = [
        { _ = try Descriptor.duplicating(900).raw },
        { _ = try FileIdentity.of(900) },
        { _ = try UnixSocket.send([1], descriptor: 900, to: here.raw) },
        { _ = try UnixSocket.send([1], descriptor: -1, to: here.raw) },
      ]
      for call in calls {
        let error = #expect(throws: SystemError.self) { try call() }
        #expect(error?.isBadDescriptor == true)
      }
      #expect(try readyNow(900, .readable) == .invalid)
      #expect(Socket.kind(of: 900) == nil)
    }
  }
}
