import LullModel
import LullWire
import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct ResumeTextTests {
  private func text(_ ok: String) throws -> String {
    ResumeText.text(try ResumeReport(Samples.messages([ok])[0]), .plain)
  }

  @Test(arguments: [
    (ResumeReason.keepalive, "in 4 min 3 s for the keep-alive of phone"),
    (.timer, "in 4 min 3 s for a timer of phone"), (.data, "in 4 min 3 s for data that waits for phone"),
    (.paths, "in 4 min 3 s to keep the UDP paths of phone open"),
    (.notification, "in 4 min 3 s for a notification of phone"),
  ])
  func `what resumes the machine next`(reason: ResumeReason, words: String) throws {
    let next = "name=phone reason=\(reason.rawValue) dueInSeconds=243"
    #expect(try text("ok on=yes \(next)") == "a suspended machine is resumed \(words)\n")
    let refused = "a suspended machine is not resumed, also not \(words): give lulld CAP_WAKE_ALARM"
    #expect(
      try text("ok on=no \(next)").split(whereSeparator: \.isWhitespace).joined(separator: " ") == refused)
  }

  @Test func `nothing is due, and a word of a newer daemon`() throws {
    #expect(try text("ok on=yes") == "nothing is due for which a suspended machine is resumed\n")
    #expect(try text("ok on=no") == "a suspended machine is not resumed: give lulld CAP_WAKE_ALARM\n")
    let newer = try text("ok on=yes name=phone reason=moon dueInSeconds=5")
    #expect(newer == "a suspended machine is resumed in 5 s for phone: moon\n")
  }
}
