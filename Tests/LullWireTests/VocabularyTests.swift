import LullModel
import TestSupport
import Testing

@testable import LullWire

@Suite(.bounded) struct VocabularyTests {
  private func words(_ page: Page) throws -> Set<Substring> {
    Set(try page.text().split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-")) })
  }

  @Test func `every word of the code stands in the protocol's pages`() throws {
    let page = try words(.protocol)
    var all = Verb.allCases.map(\.rawValue) + AnswerVerb.allCases.map(\.rawValue)
    all += Notice.allCases.map(\.rawValue) + ItemKind.allCases.map(\.rawValue)
    all += Code.allCases.map(\.rawValue)
    all += Set(Key.allCases).subtracting(keysOfLinks()).map(\.rawValue)
    all += Modes.words + Offload.words
    all += LinePurpose.allCases.map(\.rawValue) + Profile.allCases.map(\.rawValue)
    all += LineKind.allCases.map(\.rawValue) + Vocabulary.CheckResult.allCases.map(\.rawValue)
    all += Vocabulary.Identity.allCases.map(\.rawValue) + Vocabulary.Suspender.allCases.map(\.rawValue)
    all += Vocabulary.Management.allCases.map(\.rawValue) + NotificationAction.allCases.map(\.rawValue)
    all += FreezeRefusal.allCases.map(\.rawValue)
    all += Vocabulary.NotificationState.allCases.map(\.rawValue)
    for word in all { #expect(page.contains(word[...]), "\(word)") }
  }

  /// The fields of messages that only the programs of Lull speak, and of the ledger.
  private func keysOfLinks() -> Set<Key> {
    func keys<Kind: DescribedMessage>(_ kind: Kind.Type) -> [Key] {
      Kind.FirstWord.allCases.flatMap { Kind.fields(of: $0).map(\.key) }
    }
    let command = ProgramEntry(name: "", process: .blank, suspension: .cgroup, command: .blank)
    return Set(
      LedgerRecord.program(command).fieldDescriptions.map(\.key) + keys(MessageToAudio.self)
        + keys(MessageFromAudio.self) + keys(MessageToNotify.self)
        + keys(MessageFromNotify.self) + keys(KeeperMessage.self) + keys(LedgerRecord.self))
  }

  @Test func `every item and notice of the page is known`() throws {
    let text = try Page.protocol.text()
    let items = text.matches(of: /item kind=([a-z]+)/).map { String($0.1) }
    #expect(Set(items) == Set(ItemKind.allCases.map(\.rawValue)))
    let notices = text.matches(of: /`event ([a-z]+)/).map { String($0.1) }
    #expect(Set(notices) == Set(Notice.allCases.map(\.rawValue)))
    let keys = text.matches(of: /[ \[]([a-zA-Z]+)=/).map { String($0.1) }.filter { $0 != "key" }
    #expect(Set(keys).subtracting(Key.allCases.map(\.rawValue)) == [])
  }
}
