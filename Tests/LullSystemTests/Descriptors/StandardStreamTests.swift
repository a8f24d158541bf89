import CPuppet
import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct StandardStreamTests {
  @Test func `a stream that was closed at the start is no later file, and writing to it fails`() async {
    await #expect(processExitsWith: .success) {
      try #require(cpuppet_own_descriptors() == 0)
      close(StandardStreams.output)
      StandardStreams.reserve()
      let (here, _) = try UnixSocket.pair()
      #expect(here.raw > StandardStreams.error)
      let error = #expect(throws: SystemError.self) {
        try StandardStreams.write([1], to: StandardStreams.output)
      }
      #expect(error?.isBadDescriptor == true)
      // A program that is executed finds it closed, as it would without this one.
      #expect(fcntl(StandardStreams.output, F_GETFD) == FD_CLOEXEC)
    }
  }

  @Test func `streams that are open stay what they are`() async {
    await #expect(processExitsWith: .success) {
      let before = try FileIdentity.of(StandardStreams.error)
      StandardStreams.reserve()
      #expect(try FileIdentity.of(StandardStreams.error) == before)
    }
  }
}
