import LullBus
import LullModel
import LullWire
import TestSupport
import Testing

@testable import LullNotify

/// The values of `Notify`.
@Suite(.bounded) struct WordingTests {
  private func values(
    _ content: LocalNotification, program: String = "phone", abilities: [String] = ["actions", "body"],
    isQuiet: Bool = false
  ) -> [BusValue] {
    let shown = NotificationToShow(
      id: NotificationID(3), program: program, content: content, isQuiet: isQuiet)
    return Wording(content: shown, abilities: Abilities(abilities)).values(replacing: nil)
  }

  private func hint(_ key: String, of values: [BusValue]) -> BusValue? {
    guard case .dictionary(let hints) = values[6] else { return nil }
    return hints.first { $0.key == key }?.value
  }

  @Test func `markup is escaped for a server that reads it, and only for that`() {
    let content = LocalNotification(body: "<b>&\"'</b>", title: "<i>")
    let marked = values(content, abilities: ["body", "body-markup", "actions"])
    #expect(marked[3] == .string("<i>") && marked[4] == .string("&lt;b&gt;&amp;&quot;&#39;&lt;/b&gt;"))
    #expect(values(content)[4] == .string("<b>&\"'</b>"))
  }

  @Test(arguments: ["\u{D4E}", "\u{301}", "\u{200D}"])
  func `a sign of markup is escaped beside any mark`(mark: String) throws {
    let content = LocalNotification(body: "\(mark)<\(mark)b>\(mark)&\(mark)\"\(mark)")
    let words = values(content, abilities: ["body", "body-markup", "actions"])
    guard case .string(let body) = words[4] else { throw Missing() }
    let expected = "\(mark)&lt;\(mark)b&gt;\(mark)&amp;\(mark)&quot;\(mark)"
    #expect(body.unicodeScalars.elementsEqual(expected.unicodeScalars))
  }

  @Test func `a quote in an action does not end the word of the shell`() throws {
    let content = LocalNotification(body: "Call", action: "'a'\u{301}; b''")
    guard case .string(let body) = values(content, abilities: ["body"])[4] else { throw Missing() }
    let expected = #"Call_lull answer 3 ''\''a'\''_; b'\'''\'''"#
    let scalars = body.unicodeScalars.map { $0 == "\n" || $0 == "\u{301}" ? "_" : $0 }
    #expect(scalars.elementsEqual(expected.unicodeScalars))
  }

  @Test func `what steers a terminal or turns the direction of writing does not get through`() {
    let bad = "a\u{1B}[31mb\u{0}c\u{202E}d\u{2028}e\u{9B}f\r\ng"
    let words = values(LocalNotification(body: bad, title: bad, action: bad), program: bad)
    #expect(words[0] == .string("a [31mb cd e f  g") && words[3] == words[0])
    #expect(words[4] == .string("a [31mb cd e f \ng"))
    #expect(words[5] == .strings(["default", "Open", "a [31mb cd e f  g", "a [31mb cd e f  g"]))
  }

  @Test func `a question has two buttons, or the way to each`() {
    var content = LocalNotification(body: "records", action: "Deny")
    content.otherAction = "Allow"
    #expect(values(content)[5] == .strings(["default", "Open", "Deny", "Deny", "Allow", "Allow"]))
    let text = "records\nlull answer 3 Deny\nlull answer 3 Allow"
    #expect(values(content, abilities: ["body"])[4] == .string(text))
    let shown = NotificationToShow(id: NotificationID(3), program: "phone", content: content)
    #expect(Wording.action("Allow", of: shown) == "Allow")
  }

  @Test func `an action comes back as the program named it`() {
    let bad = "An\u{1B}swer"
    let shown = NotificationToShow(
      id: NotificationID(3), program: "phone", content: LocalNotification(body: "", action: bad))
    #expect(Wording.action("An swer", of: shown) == bad)
    #expect(Wording.action("default", of: shown) == "default")
    #expect(Wording.action("Hang up", of: shown) == nil)
  }

  @Test func `a text without end is cut`() {
    let long = String(repeating: "e\u{301}", count: 100_000)
    guard case .string(let body) = values(LocalNotification(body: long))[4] else { return }
    #expect(body.unicodeScalars.count == 2000)
  }

  @Test func `without a body everything is in the summary`() {
    let words = values(LocalNotification(body: "two\nlines", title: "One"), abilities: [])
    #expect(words[3] == .string("One: two lines") && words[4] == .string("") && words[5] == .strings([]))
  }

  @Test func `a call stays until it is answered, and is urgent unless it must be quiet`() {
    let call = LocalNotification(body: "", isCall: true)
    #expect(values(call)[7] == .int32(0) && values(LocalNotification(body: ""))[7] == .int32(-1))
    #expect(hint("urgency", of: values(call)) == .byte(2))
    #expect(hint("urgency", of: values(call, isQuiet: true)) == .byte(1))
    #expect(hint("urgency", of: values(LocalNotification(body: ""))) == .byte(1))
  }

  @Test func `a call that rings is taken or declined, and one that goes on does not come in`() {
    let ringing = LocalNotification(body: "New", action: "Answer", sound: .default, isCall: true)
    let buttons = ["default", "Open", "Answer", "Answer", "dismiss", "Decline"]
    #expect(values(ringing)[5] == .strings(buttons))
    #expect(hint("category", of: values(ringing)) == .string("call.incoming"))
    #expect(
      values(ringing, abilities: ["body"])[4] == .string("New\nlull answer 3 Answer\nlull answer 3 dismiss"))
    let going = LocalNotification(body: "In a call", action: "Hang up", isCall: true)
    #expect(values(going)[5] == .strings(["default", "Open", "Hang up", "Hang up"]))
    #expect(hint("category", of: values(going)) == .string("call"))
    for (content, action) in [(ringing, Optional("dismiss")), (going, nil)] {
      let shown = NotificationToShow(id: NotificationID(3), program: "phone", content: content)
      #expect(Wording.action("dismiss", of: shown) == action)
    }
  }

  @Test func `a place is read back, and what is none is none`() {
    let place = Place(bus: "0f", owner: ":1.5", number: 7)
    #expect(Place(place.text) == place)
    for text in ["", "over", "0f/:1.5/", "0f/:1.5/7/8", "0f/:1.5/-1"] { #expect(Place(text) == nil) }
  }
}
