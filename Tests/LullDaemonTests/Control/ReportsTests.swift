import LullEngine
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The notes on a program beside its state.
@Suite(.bounded) struct ReportsTests {
  private var command: Registration {
    var command = Registration(name: "phone")
    command.speaks = false
    return command
  }

  private func reason(
    _ registration: Registration, _ state: ApplicationState, isOverBudget: Bool = false,
    policy: Policy = Policy()
  ) -> NoteItem? {
    registration.reasonToStayAwake(in: state, isOverBudget: isOverBudget, policy)
  }

  @Test func `a program in the foreground is told how it may sleep`() {
    #expect(reason(Registration(name: "phone"), .active) == NoteItem(.foreground))
    #expect(reason(command, .active) == NoteItem(.toldAlone))
    var voip = command
    voip.settings.modes = .voip
    #expect(reason(voip, .inactive) == NoteItem(.foreground))
    for state in [ApplicationState.background, .suspended, .notRunning] {
      #expect(reason(command, state) == nil)
    }
  }

  @Test func `one that was frozen in a pause of its sound is told how to be spared`() {
    #expect(command.healthNote(onPause: .milliseconds(12_300))?.silenceSeconds == 30)
    #expect(command.healthNote(onPause: .seconds(52))?.silenceSeconds == 120)
    #expect(command.healthNote(onPause: .seconds(301)) == nil)
    #expect(Registration(name: "phone").healthNote(onPause: .seconds(12)) == nil)
  }

  @Test func `wakes that are too many are told as the policy counts them`() {
    var policy = Policy()
    (policy.wakeBudget, policy.wakeBudgetPeriod) = (3, .seconds(40))
    let note = reason(command, .background, isOverBudget: true, policy: policy)
    #expect(note?.count == 3)
    #expect(note?.seconds == 40)
  }
}

@Suite(.bounded) struct SignalMeaningTests {
  @Test func `signals that ask a program to end are told from those that are for it`() {
    #expect(Policy.meaning(ofSignal: 9) == .kills)
    for number: Int32 in [1, 2, 3, 15] { #expect(Policy.meaning(ofSignal: number) == .asksToEnd) }
    for number: Int32 in [10, 12, 18, 28] { #expect(Policy.meaning(ofSignal: number) == .wakes) }
    #expect(Policy.hangUp.signal == 1)
    #expect(Policy.hangUp.transition == .quit)
  }
}
