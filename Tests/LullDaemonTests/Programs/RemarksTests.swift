import LullEngine
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct RemarksTests {
  private let id = AppID(slot: 1, generation: 4)

  @Test func `a remark is told as long as its cause lasts`() {
    let remarks = Remarks()
    remarks.set(.thaw, of: id, nil)
    #expect(remarks.items(of: id) == [])
    remarks.set(.sound, of: id, RemarkItem(.soundCut))
    remarks.set(.thaw, of: id, RemarkItem(.notThawed))
    #expect(remarks.items(of: id) == [RemarkItem(.notThawed), RemarkItem(.soundCut)])
    remarks.set(.thaw, of: id, nil)
    #expect(remarks.items(of: id) == [RemarkItem(.soundCut)])
    remarks.set(.sound, of: id, nil)
    #expect(remarks.items(of: id) == [])
  }

  @Test func `the program that takes a slot over has no remarks of the one before`() {
    let remarks = Remarks()
    remarks.set(.trial, of: id, RemarkItem(.trialFailed))
    #expect(remarks.items(of: AppID(slot: 1, generation: 5)) == [])
    remarks.forget(id)
    #expect(remarks.items(of: id) == [])
  }
}
