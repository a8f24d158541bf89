import LullEngine
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct NotesTests {
  private let id = AppID(slot: 1, generation: 4)

  @Test func `a note is told as long as its cause lasts`() {
    let notes = HealthNotes()
    notes.set(.thaw, of: id, nil)
    #expect(notes.items(of: id) == [])
    notes.set(.sound, of: id, NoteItem(.soundCut))
    notes.set(.thaw, of: id, NoteItem(.notThawed))
    #expect(notes.items(of: id) == [NoteItem(.notThawed), NoteItem(.soundCut)])
    notes.set(.thaw, of: id, nil)
    #expect(notes.items(of: id) == [NoteItem(.soundCut)])
    notes.set(.sound, of: id, nil)
    #expect(notes.items(of: id) == [])
  }

  @Test func `the program that takes a slot over has no notes of the one before`() {
    let notes = HealthNotes()
    notes.set(.trial, of: id, NoteItem(.trialFailed))
    #expect(notes.items(of: AppID(slot: 1, generation: 5)) == [])
    notes.forget(id)
    #expect(notes.items(of: id) == [])
  }
}
