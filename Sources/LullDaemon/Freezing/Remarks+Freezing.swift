import LullEngine
import LullSystem

extension Remarks {
  func noteThaw(of id: AppID, failure: SystemError?) {
    set(.thaw, of: id, failure.map { "cannot be thawed: \($0)" })
  }

  func noteAnswer(
    _ outcome: OffloadResponder.Outcome, on line: @autoclosure () -> String, of id: AppID
  ) {
    switch outcome {
    case .answered: set(.offload, of: id, nil)
    case .unanswered:
      set(.offload, of: id, "\(line()): its offload rule is not used: the peer takes no answer")
    case .notCovered: break
    }
  }

  func noteSuspender(_ suspender: Suspender, of id: AppID) {
    guard case .signal(_, let why) = suspender else { return }
    set(.suspension, of: id, "suspended by SIGSTOP: \(why)")
  }

  func noteExempt(_ id: AppID) {
    set(
      .trial, of: id,
      "left awake: it ended when it was frozen the last time that it ran; see trial-failed in `lull log`")
  }
}
