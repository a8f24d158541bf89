import LullEngine
import LullModel
import LullSystem
import LullWire

extension Daemon {
  private var toShow: [NotificationToShow] {
    host.engine.notifications.filter { $0.fires == nil }.map {
      NotificationToShow(id: $0.id, program: $0.program, content: $0.content, isQuiet: ledger.ledger.isQuiet)
    }
  }

  func notifySpoke() {
    while presenter.receive(&receiveBuffer) {
      var hasCome = false
      while let outcomes = presenter.next() {
        hasCome = true
        carryOut(outcomes)
      }
      guard hasCome else { return presenter.renewIfLost(machine.standing) { toShow } }
    }
    carryOut(presenter.ended())
  }

  func startNotifyIfDue() {
    carryOut(presenter.startIfDue(machine.standing) { toShow })
  }

  private func carryOut(_ outcomes: [NotifyOutcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: NotifyOutcome) {
    switch outcome {
    case .locked(let isOn): _ = lock(isOn)
    case .sleeps(let begins): machineSleeps(begins)
    case .accessory: feed(.surrounding(.accessory))
    case .answer(let id, let action): chosen(action, in: id)
    case .inhibited: alerts.silence()
    case .trouble(let text):
      journal.note(
        program: nil, what: text == nil ? "desktop" : "no-desktop", detail: text)
    }
  }

  private func chosen(_ action: String, in id: NotificationID) {
    // The notification may be gone by now, and of one that repeats only the schedule be left.
    guard let name = host.engine.program(showing: id) else { return _ = presenter.takeToken(of: id) }
    guard case .error(_, let reason) = answer(id, action) else { return }
    _ = presenter.takeToken(of: id)
    journal.note(program: name, what: "answer-lost", detail: reason)
  }
}
