import LullEngine
import LullSystem

extension Daemon {
  /// Has lull-notify listen to logind, where there may be one: programs are told of the lock and of the
  /// machine's sleep.
  func watchMachine() {
    let address = Identity.environment("DBUS_SYSTEM_BUS_ADDRESS")
    let hasBus = address.map { !$0.isEmpty } ?? Files.exists("/run/dbus/system_bus_socket")
    if hasBus { presenter.watchMachine() }
  }

  func machineSleeps(_ begins: Bool) {
    journal.note(program: nil, what: begins ? "machine-sleeps" : "machine-resumed")
    if begins { network.sleepBegins() } else { network.resumed(at: seenAt, isTold: true) }
    feed(.surrounding(.sleep(begins)))
    machine.sleep(begins)
  }

  /// Keeps the machine up or lets it go, after the thaws of the turn.
  func keepMachine() {
    let engine = host.engine
    if let order = machine.update(engine.holdsMachine, isTelling: { engine.isTelling }) {
      presenter.tell(order)
    }
  }
}
