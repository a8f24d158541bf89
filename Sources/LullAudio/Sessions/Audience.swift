package import LullEngine

/// Decides which programs can be heard (docs/AUDIBILITY.md), over all devices: all ``Renderer``s of a process
/// share one audience.
package final class Audience {
  package let policy: AudibilityPolicy
  private let report: (AudioReport) -> Void
  private var hearings: [Hearing] = []

  /// `report` is called in the passes of the renderers.
  package init(policy: AudibilityPolicy = AudibilityPolicy(), report: @escaping (AudioReport) -> Void) {
    (self.policy, self.report) = (policy, report)
  }

  func hearing(_ program: UInt64, silence: Interval?) -> Hearing {
    if let known = hearings.first(where: { $0.program == program }) {
      known.setSilence(silence)
      return known
    }
    let hearing = Hearing(program, policy: policy, silence: silence, report: report)
    hearings.append(hearing)
    return hearing
  }

  /// Takes the numbers of all programs away, which the next lulld gives out anew: nothing is reported of a
  /// program until it claims one of its sessions.
  package func disown() { for hearing in hearings { hearing.setProgram(nil) } }

  /// Gives a hearing to the program that claims one of its sessions. False when the hearing belongs to
  /// another program, or the program has another hearing.
  func claim(_ hearing: Hearing, for request: SessionRequest) -> Bool {
    if hearing.program == nil, !hearings.contains(where: { $0.program == request.program }) {
      hearing.setProgram(request.program)
    }
    guard hearing.program == request.program else { return false }
    hearing.setSilence(request.silence)
    return true
  }

  func forget(_ ear: Ear) {
    ear.hearing.leave(ear)
    guard ear.hearing.ears.isEmpty else { return }
    hearings.removeAll { $0 === ear.hearing }
  }
}
