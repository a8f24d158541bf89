import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct VersionTests {
  @Test func `every program tells the same version`() throws {
    let programs = ["lull", "lulld", "lull-guard", "lull-audio", "lull-phone", "lull-player"]
    let told = try programs.map { name in
      let program = try ConnectedChild([Built.program(name), "--version"])
      let line = try program.output.line()
      #expect(try program.end() == .exited(0))
      return line
    }
    #expect(Set(told).count == 1, "\(told)")
    #expect(told[0].wholeMatch(of: /lull \d+\.\d+\.\d+/) != nil)
  }
}
