/// The first words of the lines of the ledger's file (docs/SURVIVAL.md) behind its first one, `ledger
/// version=1 boot=ID`: the form of the lines, and the boot and pid namespace in which numbers and moments
/// mean something. ``LedgerRecord`` says what each of them tells.
package enum LedgerVerb: String, CaseIterable, Sendable {
  case began, booted, finished, program, progress, exited, ended, installed, uninstalled, notification
  case withdrawn, quiet, recording
}

extension LedgerRecord: DescribedMessage {
  package var verb: LedgerVerb {
    switch self {
    case .began: .began
    case .booted: .booted
    case .finished: .finished
    case .program: .program
    case .progress: .progress
    case .exited: .exited
    case .ended: .ended
    case .installed: .installed
    case .uninstalled: .uninstalled
    case .notification: .notification
    case .withdrawn: .withdrawn
    case .quiet: .quiet
    case .recording: .recording
    }
  }

  package static func blank(_ verb: LedgerVerb) -> LedgerRecord {
    switch verb {
    case .began: .began(isAfterFault: false)
    case .booted: .booted
    case .finished: .finished
    case .program: .program(.blank)
    case .progress: .progress(name: "", .taking)
    case .exited: .exited(.blank)
    case .ended: .ended(.blank)
    case .installed: .installed(.blank)
    case .uninstalled: .uninstalled(name: "")
    case .notification: .notification(.blank)
    case .withdrawn: .withdrawn(NotificationID(0), isScheduled: false)
    case .quiet: .quiet(false)
    case .recording: .recording(.blank)
    }
  }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> LedgerRecord {
    switch self {
    case .began(let isAfterFault, let isService, let boots):
      .began(
        isAfterFault: try fields.flag(.killed, isAfterFault),
        isService: try fields.flag(.restart, isService),
        boots: try !fields.flag(.waiting, !boots))
    case .booted: .booted
    case .finished: .finished
    case .program(let entry): .program(try entry.visited(by: &fields))
    case .progress(let name, let progress):
      .progress(
        name: try fields.needed(.name, .programName, value: name),
        try fields.needed(.state, .word, value: progress))
    case .exited(let end): .exited(try end.visited(by: &fields))
    case .ended(let end): .ended(try end.visited(by: &fields))
    case .installed(let entry): .installed(try entry.visited(by: &fields))
    case .uninstalled(let name): .uninstalled(name: try fields.needed(.name, .programName, value: name))
    case .notification(let entry): .notification(try entry.visited(by: &fields))
    case .withdrawn(let id, let isScheduled):
      .withdrawn(
        try fields.needed(.notification, .identifier, value: id),
        isScheduled: try fields.flag(.waiting, isScheduled))
    case .quiet(let isOn): .quiet(try fields.flag(.on, isOn))
    case .recording(let entry): .recording(try entry.visited(by: &fields))
    }
  }
}
