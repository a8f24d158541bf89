import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SystemErrorTests {
  @Test func `the text names the call, the reason and the number's name`() {
    let error = SystemError(code: EPERM, call: "pidfd_getfd")
    #expect("\(error)" == "pidfd_getfd: Operation not permitted (EPERM)")
    #expect(error.isNotPermitted)
  }

  @Test func `an unknown number is given as a number`() {
    #expect("\(SystemError(code: 4242, call: "read"))" == "read: error 4242")
  }

  @Test func `errors of the same call and number are equal`() {
    #expect(SystemError(code: ENOENT, call: "open") == SystemError(code: ENOENT, call: "open"))
    #expect(SystemError(code: ENOENT, call: "open") != SystemError(code: EACCES, call: "open"))
  }
}
