import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct LinkURLTests {
  @Test(arguments: [
    ("sip:alice@example.org", "sip"), ("TEL:+1-555", "tel"), ("x-y.z+1:?", "x-y.z+1"),
    ("sip:\u{E4}", "sip"),
  ])
  func `a link has a scheme, in small letters`(text: String, scheme: String) {
    #expect(LinkURL.scheme(of: text) == scheme)
  }

  @Test(arguments: [
    "", "sip", "sip:", ":a", "1sip:a", "s p:a", "sip:a b", "sip:a\n", "sip:\u{1B}[m", "sip:\u{202E}a",
    "sip:\u{200B}a", "sip:\0", String(repeating: "s", count: 33) + ":a",
    "sip:" + String(repeating: "a", count: 2048),
  ])
  func `anything else has none`(text: String) {
    #expect(LinkURL.scheme(of: text) == nil)
  }

  @Test func `a launch stands in the environment, and nothing of it can end an entry`() {
    let launch = Launch(
      .notification, line: "a\0b", answer: .init(NotificationID(3), action: "Answer"))
    #expect(
      launch.environment == [
        "LULL_LAUNCH_REASON=notification", "LULL_LAUNCH_LINE=ab", "LULL_LAUNCH_NOTIFICATION=3",
        "LULL_LAUNCH_ACTION=Answer",
      ])
  }
}
