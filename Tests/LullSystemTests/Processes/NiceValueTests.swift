import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct NiceValueTests {
  @Test func `the nice value of a thread of another process is read and raised`() throws {
    let child = try ConnectedChild(["nice", "-n", "2", "cat"])
    try child.output.send("x\n")
    _ = try child.output.line()
    #expect(try NiceValue.threads(of: child.pid) == [child.pid])
    #expect(try NiceValue.of(child.pid) == 2)
    try NiceValue.set(7, of: child.pid)
    #expect(try NiceValue.of(child.pid) == 7)
  }

  @Test func `a thread that has ended has none`() throws {
    let child = try ConnectedChild(["true"])
    try child.end()
    let error = #expect(throws: SystemError.self) { try NiceValue.of(child.pid) }
    #expect(error?.isNoSuchProcess == true)
  }
}
