import LullEngine
import Testing

/// The words of programs, the operator and the kernel.
extension Script {
  @discardableResult
  mutating func register(
    _ name: String, _ modes: Modes = .voip, _ configure: (inout Registration) -> Void = { _ in }
  ) -> [String] {
    var registration = Registration(name: name, modes: modes)
    configure(&registration)
    return ask(.register(registration))
  }

  @discardableResult
  mutating func did(_ name: String) -> [String] { feed(.did(id(name), messageTicket(name))) }

  @discardableResult
  mutating func done(_ name: String) -> [String] { feed(.done(id(name), wakeTicket(name))) }

  @discardableResult
  mutating func handling(_ name: String) -> [String] { feed(.handling(id(name), wakeTicket(name))) }

  /// The freeze is complete, the observation finds the program idle, and its lines are watched.
  @discardableResult
  mutating func frozen(_ name: String) -> [String] {
    let effects = observed(name, .idle).filter { $0 != "watch \(name)" }
    return effects + feed(.frozen(id(name), freezeTicket(name)))
  }

  @discardableResult
  mutating func observed(_ name: String, _ observation: Observation) -> [String] {
    feed(.observed(id(name), freezeTicket(name), observation))
  }

  @discardableResult
  mutating func refuse(_ name: String, _ why: FreezeRefusal = .notIdle) -> [String] {
    feed(.freezeRefused(id(name), freezeTicket(name), why))
  }

  @discardableResult
  mutating func command(_ name: String, _ command: Transition) -> [String] {
    let id = id(name)
    return ask(.transition(id, command))
  }

  @discardableResult
  mutating func hold(_ name: String, _ kind: LinePurpose = .voip, offload: Offload = []) -> [String] {
    let id = id(name)
    return ask(.hold(id, kind, offload))
  }

  @discardableResult
  mutating func ready(_ name: String, line: UInt32 = 1, _ readiness: LineReadiness = .data) -> [String] {
    feed(.ready(id(name), LineID(line), readiness))
  }

  @discardableResult
  mutating func unfrozen(_ name: String) -> [String] { feed(.unfrozen(id(name))) }

  mutating func answered(_ name: String, line: UInt32 = 1) { feed(.pingAnswered(id(name), LineID(line))) }

  @discardableResult
  mutating func keepAlive(_ name: String, _ seconds: Int64?, lastRun: Double? = nil) -> [String] {
    let id = id(name)
    return ask(.keepAlive(id, seconds.map(Interval.seconds), lastRun: lastRun.map { Moment($0) }))
  }

  @discardableResult
  mutating func fetch(_ name: String, _ seconds: Double?) -> [String] {
    let id = id(name)
    return ask(.fetch(id, seconds.map { Interval($0) }, since: nil))
  }

  @discardableResult
  mutating func push(_ name: String, _ text: String) -> [String] {
    let id = id(name)
    return ask(.push(id, RemoteNotification(payload: Array(text.utf8))))
  }

  @discardableResult
  mutating func fetched(_ name: String, _ result: BackgroundFetchResult) -> [String] {
    feed(.fetched(id(name), wakeTicket(name), result))
  }

  @discardableResult
  mutating func beginTask(_ name: String, _ title: String = "upload") -> [String] {
    let id = id(name)
    return ask(.beginTask(id, name: title))
  }

  @discardableResult
  mutating func endTask(_ name: String, _ task: UInt32) -> [String] {
    let id = id(name)
    return ask(.endTask(id, TaskID(task)))
  }

  @discardableResult
  mutating func remaining(_ name: String) -> [String] {
    let id = id(name)
    return ask(.remaining(id))
  }

  /// Launches a program into the foreground, past its three messages.
  mutating func launched(
    _ name: String, _ modes: Modes = .voip, _ configure: (inout Registration) -> Void = { _ in }
  ) {
    register(name, modes, configure)
    for _ in 0..<3 { did(name) }
  }

  /// A program in the background that is never frozen.
  mutating func launchedBehind(_ name: String) {
    launched(name) { ($0.launch, $0.isFreezeExempt) = (.background, true) }
  }

  /// Sends a program from the foreground into the background, where it is about to be frozen.
  @discardableResult
  mutating func sendToBackground(_ name: String) -> [String] {
    command(name, .background)
    did(name)
    return did(name)
  }

  /// Launches a program with a line and puts it to sleep.
  mutating func asleep(
    _ name: String, offload: Offload = [], _ configure: (inout Registration) -> Void = { _ in }
  ) {
    launched(name, .voip, configure)
    hold(name, offload: offload)
    sendToBackground(name)
    frozen(name)
  }

  var refusal: Refusal? {
    if case .refused(let refusal)? = answer { refusal } else { nil }
  }
}

/// The words of the kernel about memory.
extension Script {
  @discardableResult
  mutating func pressure(_ level: MemoryPressure, at seconds: Double? = nil) -> [String] {
    if let seconds { pass(to: seconds) }
    return feed(.pressure(level))
  }

  /// The answer to the last measurement: so many bytes of each program.
  @discardableResult
  mutating func sizes(_ sizes: [String: Int64]) -> [String] {
    let found = sizes.sorted { $0.key < $1.key }.map { MemorySize(id($0.key), bytes: $0.value) }
    return feed(.sizes(measurement, found))
  }

  /// Puts programs to sleep that can come back.
  mutating func purgeable(_ names: String...) {
    for name in names { asleep(name) { $0.settings.isPurgeable = true } }
  }

  /// Installs programs, which run.
  mutating func installs(_ names: String...) { for name in names { ask(.admit(name, .ended)) } }

  /// A command in the background that is never frozen, and can come back.
  mutating func busyCommand(_ name: String, _ launch: LaunchTarget = .background) {
    register(name) {
      ($0.speaks, $0.isFreezeExempt, $0.settings.isPurgeable, $0.launch) = (false, true, true, launch)
    }
  }
}
