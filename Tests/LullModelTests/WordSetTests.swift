import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct WordSetTests {
  @Test func `the words of a set stand in the order of display, whatever the order of its making`() {
    let modes: Modes = [.externalAccessory, .voip]
    #expect(modes.words == ["voip", "external-accessory"])
    #expect(Modes([]).words == [])
  }

  @Test func `every word means one member, and every member has a word`() {
    for (member, word) in Offload.all { #expect(Offload(word: word) == member) }
    #expect(Set(Offload.words).count == Offload.all.count)
    #expect(
      Modes.words == [
        "voip", "audio", "external-accessory", "fetch", "remote-notification", "location",
        "bluetooth-central", "bluetooth-peripheral",
      ])
    #expect(Modes(word: "fax") == nil)
  }
}
