import LullEngine
import LullSystem
import LullWire

extension HealthNotes {
  func noteThaw(of id: AppID, failure: SystemError?) {
    set(.thaw, of: id, failure.map { NoteItem(.notThawed, detail: "\($0)") })
  }

  func noteAnswer(
    _ outcome: OffloadResponder.Outcome, on line: @autoclosure () -> String?, of id: AppID
  ) {
    switch outcome {
    case .answered: set(.offload, of: id, nil)
    case .unanswered:
      set(.offload, of: id, NoteItem(.offloadUnanswered, detail: line()))
    case .notCovered: break
    }
  }

  func noteRefusedProbe(on line: String?, of id: AppID) {
    var note = NoteItem(.probeRefused, detail: line)
    note.count = (items(of: id).first { $0.what == note.what }?.count ?? 0) + 1
    set(.probe, of: id, note)
  }

  func noteSuspender(_ suspender: Suspender, of id: AppID) {
    guard case .signal(_, let lack) = suspender else { return }
    guard !suspender.isDryRun else { return set(.suspension, of: id, NoteItem(.dryRun)) }
    set(
      .suspension, of: id, NoteItem(.stoppedBySignals, cause: lack?.cause.rawValue, detail: lack?.detail))
  }

  func noteExempt(_ id: AppID) { set(.trial, of: id, NoteItem(.trialFailed)) }
}
