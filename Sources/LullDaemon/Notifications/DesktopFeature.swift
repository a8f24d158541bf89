import LullChannel
import LullEngine
import LullGuard
import LullModel
import LullSystem
import LullWire

/// What a person sees and hears of notifications, and the machine's sleep and lock, of which lull-notify
/// tells too.
final class DesktopFeature: Feature {
  let core: Core
  private let installed: InstalledFeature
  private let network: NetworkFeature
  private let surroundings: SurroundingsFeature
  private let presenter: Presenter
  private let machine: MachineKeeper
  private let notifyHook: NotifyHook
  let alerts: Alerts

  init(
    _ core: Core, _ installed: InstalledFeature, network: NetworkFeature, surroundings: SurroundingsFeature
  ) {
    (self.core, self.installed, self.network, self.surroundings) = (core, installed, network, surroundings)
    let (services, policy) = (core.services, core.services.policy)
    let (options, supervision) = (services.options, policy.supervision)
    presenter = Presenter(supervision, journal: services.journal, reactor: services.reactor) {
      () throws(SystemError) in
      try HelperLink.launchNotify(
        openFileLimit: options.openFileLimit, longestWait: supervision.audioHang.nanoseconds)
    }
    alerts = Alerts(core.host.clock, policy, journal: services.journal, reactor: services.reactor) {
      request throws(SystemError) in
      try AlertProcess.launch(request, openFileLimit: options.openFileLimit)
    }
    machine = MachineKeeper(
      lock: WakeLock(folder: "\(Identity.environment("LULL_SYSTEM_ROOT") ?? "")/sys/power"))
    notifyHook = NotifyHook(services)
  }

  var deadline: Int64? {
    earlier(presenter.deadline, earlier(alerts.deadline, notifyHook.deadline))
  }

  func timeIsUp() {
    notifyHook.timeIsUp()
    startNotifyIfDue()
    alerts.timeIsUp()
  }

  func childrenChanged() {
    presenter.childrenChanged()
    notifyHook.childrenChanged()
  }

  func turnEnds() {
    notifyHook.start()
    keepMachine()
    presenter.watch()
    alerts.settle()
  }

  // MARK: Showing

  var isQuiet: Bool { ledger.ledger.isQuiet || presenter.isInhibited }

  func show(_ notification: NotificationID, of program: String, _ content: LocalNotification) {
    presenter.show(
      NotificationToShow(id: notification, program: program, content: content, isQuiet: ledger.ledger.isQuiet)
    )
    var heard = content
    if isQuiet { heard.sound = nil }
    alerts.show(notification, heard, of: program)
    let item = NotificationItem {
      ($0.id, $0.program, $0.content) = (UInt64(notification.number), program, content)
    }
    control.broadcast(item.adding(to: Message(event: .notification)), to: .notifications)
    notifyHook.shown(notification, of: program, content)
  }

  func withdraw(_ notification: NotificationID) {
    presenter.withdraw(notification)
    alerts.withdraw(notification)
    let notice = Message(event: .withdrawn).adding(.notification, notification.number)
    control.broadcast(notice, to: .notifications)
    notifyHook.withdrawn(notification)
  }

  func takeToken(of notification: NotificationID) -> String? { presenter.takeToken(of: notification) }

  func record(_ notification: NotificationRecord) {
    ledger.note(.notification(NotificationEntry(notification, clock)))
  }

  func quiet(_ on: Vocabulary.Choice?) -> Reply {
    if let on { ledger.note(.quiet(on == .yes)) }
    let isOn = ledger.ledger.isQuiet
    if isOn { alerts.silence() }
    let word: Vocabulary.Choice = isOn ? .yes : .no
    return .ok(Message(.ok).adding(.on, word.rawValue))
  }

  // MARK: lull-notify

  private var toShow: [NotificationToShow] {
    engine.notifications.filter { $0.fires == nil }.map {
      NotificationToShow(id: $0.id, program: $0.program, content: $0.content, isQuiet: ledger.ledger.isQuiet)
    }
  }

  func notifySpoke() {
    while presenter.receive(&core.receiveBuffer) {
      var hasCome = false
      while let outcomes = presenter.next() {
        hasCome = true
        carryOut(outcomes)
      }
      guard hasCome else { return presenter.renewIfLost(machine.order) { toShow } }
    }
    carryOut(presenter.ended())
  }

  private func startNotifyIfDue() {
    carryOut(presenter.startIfDue(machine.order) { toShow })
  }

  private func carryOut(_ outcomes: [NotifyOutcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: NotifyOutcome) {
    switch outcome {
    case .locked(let isOn): _ = surroundings.lock(isOn)
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
    guard let name = engine.program(showing: id) else { return _ = presenter.takeToken(of: id) }
    guard case .error(_, let reason) = installed.answer(id, action) else { return }
    _ = presenter.takeToken(of: id)
    journal.note(program: name, what: "answer-lost", detail: reason)
  }

  func alertSpoke() { alerts.spoke(&core.receiveBuffer) }

  var checks: [DaemonCheckItem] {
    var session = DaemonCheckItem("session", .yes)
    (session.isLocked, session.isQuiet) = (engine.isLocked, isQuiet)
    return [desktopCheck, session]
  }

  private var desktopCheck: DaemonCheckItem {
    let hasBus =
      Identity.environment("DBUS_SESSION_BUS_ADDRESS") != nil
      || Identity.environment("XDG_RUNTIME_DIR").map { Files.exists($0 + "/bus") } ?? false
    return DaemonCheckItem(
      "notifications", hasBus && presenter.trouble == nil ? .yes : .limited,
      cause: hasBus ? presenter.pid.map { _ in "runs" } : "no-bus", detail: presenter.trouble)
  }

  // MARK: Requests

  func notifications(follow: Bool, _ client: Client) -> Reply? {
    control.follow(client, followed: .notifications, follows: follow)
    let places = engine.notifications.map { (id: $0.id, isScheduled: $0.fires != nil) }
    return answer(Report([.notifications(places[...])]), client)
  }

  func scheduled(_ program: String, all: Bool, _ client: Client) -> Reply? {
    let own = engine.notifications.filter { $0.program == program && (all || $0.fires != nil) }
    return answer(Report([.messages(own.map { notificationItem($0).message }[...])]), client)
  }

  func schedule(_ fields: Request.Schedule, _ id: AppID) -> Reply {
    let repeats: Repetition?
    switch fields.repeats {
    case nil: repeats = nil
    case .every(let interval): repeats = .every(interval)
    case .calendar(let unit):
      do {
        repeats = .calendar(unit, try ZoneRules.read(fields.zone))
      } catch {
        return .error(.badValue, error.why)
      }
    }
    return Reply(ask(.schedule(id, fields.notification, fields.date, repeats: repeats)))
  }

  /// `text` may be the action as `Printable` writes it for terminals and for `notify`.
  func meant(by text: String, in id: NotificationID) -> String {
    let action = engine.notifications.first { $0.id == id }?.content.action
    guard let action, Printable.text(action) == text else { return text }
    return action
  }

  func notificationItem(_ view: NotificationView) -> NotificationItem {
    let state = OpenWord<Vocabulary.NotificationState>(view.fires == nil ? .pending : .scheduled)
    return NotificationItem {
      ($0.id, $0.program, $0.content) = (UInt64(view.id.number), view.program, view.content)
      ($0.repeats, $0.zone, $0.state) = (view.repeats.map(\.word), view.repeats?.zone, state)
      $0.at = view.fires.map { Double((host.wallOffset &+ $0.nanoseconds) / 1000) / 1e6 }
    }
  }

  // MARK: The machine

  /// lull-notify listens to logind, where there may be one: programs are told of the lock and of the
  /// machine's sleep.
  func watchMachine() {
    let address = Identity.environment("DBUS_SYSTEM_BUS_ADDRESS")
    let hasBus = address.map { !$0.isEmpty } ?? Files.exists("/run/dbus/system_bus_socket")
    if hasBus { presenter.watchMachine() }
  }

  private func machineSleeps(_ begins: Bool) {
    journal.note(program: nil, what: begins ? "machine-sleeps" : "machine-resumed")
    if begins { network.sleepBegins() } else { network.resumed(isTold: true) }
    feed(.surrounding(.sleep(begins)))
    machine.sleep(begins)
  }

  /// Called after the thaws of the turn.
  private func keepMachine() {
    if let order = machine.update(engine.holdsMachine, isTelling: { engine.isTelling }) {
      presenter.tell(order)
    }
  }
}
