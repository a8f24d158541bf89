public import LullEngine

/// Who hears what: decides for each program whether it can be heard (docs/AUDIBILITY.md), over all devices.
/// All ``Renderer``s of a process share it.
public final class Audience {
  /// The rule.
  public let policy: AudibilityPolicy
  private let report: (AudioReport) -> Void
  private var hearings: [Hearing] = []

  /// `report` is called in the passes of the renderers.
  public init(policy: AudibilityPolicy = AudibilityPolicy(), report: @escaping (AudioReport) -> Void) {
    (self.policy, self.report) = (policy, report)
  }

  /// What is known of a program.
  func hearing(_ program: UInt64, silence: Interval?) -> Hearing {
    if let known = hearings.first(where: { $0.program == program }) {
      known.setSilence(silence)
      return known
    }
    let hearing = Hearing(program, policy: policy, silence: silence, report: report)
    hearings.append(hearing)
    return hearing
  }

  /// A device plays nothing of a program any more.
  func forget(_ ear: Ear) {
    ear.hearing.leave(ear)
    guard ear.hearing.ears.isEmpty else { return }
    hearings.removeAll { $0 === ear.hearing }
  }
}
