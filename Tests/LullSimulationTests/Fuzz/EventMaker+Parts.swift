import Fuzzing
import LullEngine

extension EventMaker {
  mutating func registration() -> Registration {
    var registration = Registration(
      name: source.pick(["a", "b", "c", ""]), modes: Modes(rawValue: source.byte()))
    let flags = source.byte()
    if flags & 0x38 == 0x38 {
      // The shell makes unmanaged clients itself.
      (registration.settings.modes, registration.speaks, registration.isUnmanaged) = ([], false, true)
      return registration
    }
    registration.launch = source.flag() ? .foreground : .background
    registration.speaks = flags & 1 == 0
    registration.settings.exitsOnSuspend = flags & 2 != 0
    registration.isFreezeExempt = flags & 4 != 0
    (registration.settings.isPurgeable, registration.settings.keepsLines) = (flags & 8 != 0, flags & 16 != 0)
    registration.profile = source.flag() ? .ios4 : .ios7
    if flags & 64 != 0 { registration.resumes = source.pick(ApplicationState.allCases) }
    guard flags & 128 != 0 else { return registration }
    if source.flag() { registration.settings.batchWakes = interval() }
    if source.flag() { registration.settings.keepAlive = interval() }
    if source.flag() { registration.keepAliveLastRun = Moment(nanoseconds: interval().nanoseconds) }
    if source.flag() { registration.keepAliveSince = Moment(nanoseconds: interval().nanoseconds) }
    if source.flag() { registration.settings.linger = interval() }
    if source.flag() { registration.settings.udpKeepAlive = interval() }
    if source.flag() { registration.settings.accessories = [accessory()] }
    if source.flag() { registration.settings.silence = interval() }
    registration.settings.timers = source.pick([.automatic, .never, .floor(interval())])
    return registration
  }

  mutating func accessory() -> Accessory {
    Accessory(source.pick(AccessorySubsystem.allCases), vendor: source.flag() ? 7 : nil)
  }

  mutating func session() -> SessionTraits {
    var session = SessionTraits(
      category: source.pick(AudioCategory.allCases), direction: source.pick(AudioDirection.allCases))
    let flags = source.byte()
    session.mixesWithOthers = flags & 1 != 0
    session.ducksOthers = flags & 2 != 0
    session.isSpoken = flags & 4 != 0
    session.isDeep = flags & 8 != 0
    return session
  }

  mutating func report() -> SessionReport {
    source.pick([.began, .ended, .low, .filled, .drained, .resumed, .cut])
  }

  mutating func surrounding() -> Surrounding {
    switch source.byte() % 8 {
    case 0: .network
    case 1: .zone(source.flag() ? "A" : "B")
    case 2: .power(Power(source.pick(PowerSource.allCases), percent: source.flag() ? 50 : nil))
    case 3: .accessory
    case 4: .settings(app())
    case 5: .sleep(source.flag())
    default: .lock(source.flag())
    }
  }

  mutating func hearing() -> AudibilityReport { source.flag() ? .sounding : .quiet(interval()) }

  mutating func look() -> Look {
    var look = Look()
    look.activity = source.pick([
      .waits, .waits, .works(process: 1, thread: 1), .moves(process: 1, thread: 1, call: "write"),
      .unreadable(.narrow),
    ])
    if source.flag() { look.used = interval() }
    if source.flag() { look.cost = interval() }
    return look
  }

  mutating func observation() -> Observation {
    var observation = Observation()
    for _ in 0..<source.byte() % 4 { observation.threads.append(thread()) }
    for _ in 0..<source.byte() % 4 { observation.sources.append(wakeSource()) }
    let flags = source.byte()
    if flags & 1 != 0 { observation.signalled = 1 }
    observation.isAsking = flags & 2 != 0
    observation.hasFreeChild = flags & 4 != 0
    if flags & 8 != 0 { observation.audioDevice = "pcmC0D0p" }
    observation.records = flags & 24 == 24
    if flags & 16 != 0 { observation.audioTurns = .init(server: "JACK", count: source.number()) }
    if flags & 32 != 0 { observation.timer = interval() }
    if flags & 64 != 0 { observation.cost = interval() }
    if flags & 128 != 0 { observation.obstacle = source.pick([.tooManyLines, .noRights("ptrace")]) }
    return observation
  }

  private mutating func thread() -> ObservedThread {
    let waits: [ObservedWait] = [
      .works, .sources, .ring, .thread, .child, .signal, .time, .unknown, .unwatchable(.systemV),
    ]
    var thread = ObservedThread(process: 1, thread: 1, wait: source.pick(waits))
    if source.flag() { thread.timeOut = interval() }
    if source.flag() { thread.period = interval() }
    thread.course = source.flag() ? .standsStill : source.flag() ? .beginsAnew : .goesOn
    return thread
  }

  private mutating func wakeSource() -> WakeSource {
    var found = WakeSource(
      line: source.flag() ? LineID(small()) : nil, role: source.pick([.set, .member, .waited, .open]),
      reach: source.pick([.outside, .inside, .standard, .doorbell]))
    let flags = source.byte()
    (found.isReady, found.isFull) = (flags & 1 != 0, flags & 2 != 0)
    found.unread = flags & 4 != 0 ? Int(source.byte()) : 0
    found.trace = UInt64(flags >> 5)
    let activity = WakeSource.Activity(
      sinceSent: interval(), sinceReceived: interval(), isEstablished: flags & 8 != 0)
    found.transport = source.pick([.other, .udp(hasPeer: true), .udp(hasPeer: false), .tcp(activity)])
    return found
  }
}
