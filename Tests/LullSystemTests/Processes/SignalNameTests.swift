import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct SignalNameTests {
  @Test(
    arguments: [
      ("TERM", 15), ("SIGTERM", 15), ("sigusr1", 10), ("9", 9), ("64", 64), ("RTMIN", 34), ("RTMIN+3", 37),
      ("SIGRTMAX", 64), ("rtmax-1", 63), ("CONT", 18), ("STOP", 19),
    ] as [(String, Int32)])
  func `a signal is known by its name and by its number`(_ text: String, _ number: Int32) {
    #expect(Signal.number(named: text) == number)
  }

  @Test(arguments: [
    "", "0", "65", "-1", "SIG", "TERMINATE", "RTMIN+31", "RTMAX-31", "RTMIN-1", "RTMAX+1", "RT",
  ])
  func `what is no signal is none`(_ text: String) {
    #expect(Signal.number(named: text) == nil)
  }
}
