import Foundation
import LullWire
import Testing

struct VocabularyTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../docs/PROTOCOL.md")

  /// The words of the protocol's page, cut at everything that is not part of a word.
  private func words() throws -> Set<Substring> {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    return Set(text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")) })
  }

  @Test func `every word of the code stands in the protocol's page`() throws {
    let page = try words()
    var all = Verb.allCases.map(\.rawValue) + Answer.allCases.map(\.rawValue)
    all += Notice.allCases.map(\.rawValue) + ItemKind.allCases.map(\.rawValue)
    all += Code.allCases.map(\.rawValue) + Key.allCases.map(\.rawValue)
    all += Request.Mode.allCases.map(\.rawValue) + Request.Offload.allCases.map(\.rawValue)
    all += Request.LineType.allCases.map(\.rawValue) + Request.Profile.allCases.map(\.rawValue)
    all += Vocabulary.LineKind.allCases.map(\.rawValue) + Vocabulary.CheckResult.allCases.map(\.rawValue)
    all += Vocabulary.Identity.allCases.map(\.rawValue) + Vocabulary.Suspender.allCases.map(\.rawValue)
    all += Vocabulary.Management.allCases.map(\.rawValue) + Vocabulary.Action.allCases.map(\.rawValue)
    all += Vocabulary.Refusal.allCases.map(\.rawValue)
    all += Vocabulary.NotificationState.allCases.map(\.rawValue)
    for word in all { #expect(page.contains(word[...]), "\(word)") }
  }

  @Test func `every item and notice of the page is known`() throws {
    let text = try String(contentsOf: Self.page, encoding: .utf8)
    let items = text.matches(of: /item kind=([a-z]+)/).map { String($0.1) }
    #expect(Set(items) == Set(ItemKind.allCases.map(\.rawValue)))
    let notices = text.matches(of: /`event ([a-z]+)/).map { String($0.1) }
    #expect(Set(notices) == Set(Notice.allCases.map(\.rawValue)))
    let keys = text.matches(of: /[ \[]([a-zA-Z]+)=/).map { String($0.1) }.filter { $0 != "key" }
    #expect(Set(keys).subtracting(Key.allCases.map(\.rawValue)) == [])
  }
}
