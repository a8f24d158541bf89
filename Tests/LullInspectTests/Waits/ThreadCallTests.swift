import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct ThreadCallTests {
  @Test func `the number and the six arguments are read`() {
    let call = parse("271 0x7ffc1f 0x2 0xffffffffffffffff 0x0 0xdeadbeef 0x8 0x7ffc0 0x7f01\n")
    #expect(call.number == 271)
    #expect((0..<6).map { call.argument($0) } == [0x7ffc1f, 2, .max, 0, 0xdead_beef, 8])
    #expect(call.integer(2) == -1)
  }

  @Test func `the stack pointer is read behind them, and the number of an x32 call`() {
    let call = parse("1073741831 0x1 0x2 0x3 0x4 0x5 0x6 0xfffd7fb0 0x804901f\n")
    #expect(call.number == (1 << 30) + 7 && call.stackPointer == 0xfffd_7fb0 && call.argument(5) == 6)
  }

  @Test(arguments: ["running\n", "-1 0x7ffe 0x7f00\n", "", "x", "99999999999999999999 0x0"])
  func `what is no call has no number`(text: String) {
    #expect(parse(text).number == -1)
  }

  @Test(arguments: ["7", "7 ", "7 0x", "7 0x1"]) func `a text that ends early does not matter`(text: String) {
    #expect(parse(text).number == 7)
    #expect(parse(text).argument(5) == 0)
  }

  private func parse(_ text: String) -> ThreadCall {
    let bytes = Array(text.utf8)
    return ThreadCall(bytes.span)
  }
}
