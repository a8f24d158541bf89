import LullEngine
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct RemarksTests {
  private let id = AppID(slot: 1, generation: 4)

  @Test func `a remark is told as long as its cause lasts`() {
    let remarks = Remarks()
    remarks.set(.thaw, of: id, nil)
    #expect(remarks.sentences(of: id) == [])
    remarks.set(.sound, of: id, "its sound was given up")
    remarks.set(.thaw, of: id, "cannot be thawed")
    #expect(remarks.sentences(of: id) == ["cannot be thawed", "its sound was given up"])
    remarks.set(.thaw, of: id, nil)
    #expect(remarks.sentences(of: id) == ["its sound was given up"])
    remarks.set(.sound, of: id, nil)
    #expect(remarks.sentences(of: id) == [])
  }

  @Test func `the program that takes a slot over has no remarks of the one before`() {
    let remarks = Remarks()
    remarks.set(.trial, of: id, "left awake")
    #expect(remarks.sentences(of: AppID(slot: 1, generation: 5)) == [])
    remarks.forget(id)
    #expect(remarks.sentences(of: id) == [])
  }
}
