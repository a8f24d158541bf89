import LullSystem

/// Keeps the machine up while a program handles a wake, a keep-alive or a call: by the kernel's wake lock
/// where there is one, else by an inhibitor of logind, which lull-notify takes. A machine that is about to
/// sleep waits until the programs have been told.
final class MachineKeeper {
  enum Order: Equatable {
    case hold, letGo
  }

  private enum Machine {
    case awake
    /// It is about to sleep, and the programs are being told.
    case telling
    /// The programs have been told. An inhibitor would be refused until the machine goes on.
    case sleeping
  }

  private let lock: WakeLock?
  private var isHeld = false
  private var machine = Machine.awake

  init(lock: WakeLock?) { self.lock = lock }

  /// A new lull-notify may have missed the order.
  var order: Order { lock == nil && isHeld ? .hold : .letGo }

  func sleep(_ begins: Bool) { machine = begins ? .telling : .awake }

  /// Called at the end of a turn; returns the order for lull-notify. `isTelling` is true while a program has
  /// a message and has not answered.
  func update(_ holds: Bool, isTelling: () -> Bool) -> Order? {
    switch machine {
    case .awake: return follow(holds)
    case .telling where isTelling(): return nil
    case .telling:
      machine = .sleeping
      _ = follow(false)
      return .letGo
    case .sleeping: return nil
    }
  }

  private func follow(_ holds: Bool) -> Order? {
    guard holds != isHeld else { return nil }
    isHeld = holds
    guard let lock else { return holds ? .hold : .letGo }
    if holds { lock.hold() } else { lock.letGo() }
    return nil
  }
}
