import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct KeptLineTests {
  private let full = KeptLine(
    id: LineID(7), program: "phone", name: "server", purpose: .voip, offload: [.line],
    tcpKeepAlive: .seconds(60), since: .seconds(1_700_000_000),
    state: (0..<Limits.maximumLineState).map { UInt8(truncatingIfNeeded: $0) }, isWaiting: true,
    ending: .restart)

  @Test func `what is written of lines is read back, in order`() {
    let lines = [full, KeptLine(id: LineID(1), program: "p"), full]
    #expect(KeptLine.lines(KeptLine.text(lines)) == lines)
    #expect(KeptLine.lines([]) == [])
    #expect(KeptLine.lines(Array("nonsense\n\n\"\n".utf8) + KeptLine.text([full])) == [full])
  }

  @Test(arguments: ["a", "zz", "0x", "é1", "+1"])
  func `a state that is no row of hexadecimal digits is not read`(state: String) {
    let message = Message(.keepLine).adding(.line, 1).adding(.program, "p").adding(.state, state)
    #expect(throws: WireError.self) { try KeptLine(message) }
  }

  @Test func `a longer state than a line may have is not read`() {
    let digits = String(repeating: "00", count: Limits.maximumLineState + 1)
    let message = Message(.keepLine).adding(.line, 1).adding(.program, "p").adding(.state, digits)
    #expect(throws: WireError.self) { try KeptLine(message) }
  }
}
