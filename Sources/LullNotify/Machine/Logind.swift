import LullBus
import LullSystem
import LullWire

/// logind (org.freedesktop.login1(5)) tells whether the user's session is locked and when the machine goes to
/// sleep, and gives the inhibitors that keep the machine up.
final class Logind: BusUser {
  private static let service = "org.freedesktop.login1"
  private static let manager = "\(service).Manager"
  private static let root = "/org/freedesktop/login1"
  /// In seconds.
  private static let patience = 5

  private let tell: (MessageFromNotify) -> Void
  private let sessions: OwnSessions
  private var bus: Bus?
  /// Delays the sleep of the machine until lulld has told the programs.
  private var delay = Inhibitor.none
  /// Keeps the machine up.
  private var hold = Inhibitor.none
  private var isLocked: Bool?
  private var isWatching = false
  private var isGoingToSleep = false

  init(uid: UInt32 = Identity.uid(), tell: @escaping (MessageFromNotify) -> Void) {
    self.tell = tell
    sessions = OwnSessions(uid: uid)
  }

  // MARK: The bus

  func connected(_ bus: Bus) throws(BusError) {
    self.bus = bus
    let from = "type='signal',sender='\(Self.service)'"
    try bus.match("\(from),path='\(Self.root)',member='PrepareForSleep'") { [weak self] message in
      if let begins = message.readBool() { self?.sleep(begins) }
    }
    try bus.match("\(from),interface='\(Self.service).Session'") { [weak self] message in
      guard let self, sessions.isOwn(message.path) else { return }
      if message.member == "Lock" { locked(true) }
      if message.member == "Unlock" { locked(false) }
    }
    let properties = "interface='org.freedesktop.DBus.Properties',arg0='\(Self.service).Session'"
    try bus.match("\(from),\(properties)") { [weak self] message in
      guard let self, sessions.isOwn(message.path), message.readString() != nil else { return }
      for case ("LockedHint", .bool(let isLocked)?) in message.readDictionary() ?? [] { locked(isLocked) }
    }
    let manager = "path='\(Self.root)',interface='\(Self.manager)'"
    for member in ["SessionNew", "SessionRemoved"] {
      try bus.match("\(from),\(manager),member='\(member)'") { [weak self] _ in self?.readSessions() }
    }
    // A logind that was started again knows nothing of the inhibitors of the one before.
    let owner = "sender='org.freedesktop.DBus',member='NameOwnerChanged',arg0='\(Self.service)'"
    try bus.match("type='signal',\(owner)") { [weak self] message in
      let names = (0..<3).map { _ in message.readString() }
      if names.last??.isEmpty == false { self?.begin() }
    }
    begin()
  }

  func disconnected(_ why: BusError) {
    bus = nil
    (delay, hold) = (.none, hold.wanted.map(Inhibitor.wanted) ?? .none)
    // Without the bus nobody hears that the machine goes on.
    if isGoingToSleep { tell(.resumed) }
    isGoingToSleep = false
    watching(false)
  }

  private func begin() {
    readSessions()
    delay = .wanted("programs are told")
    if let why = hold.wanted { hold = .wanted(why) }
    takeWanted()
  }

  private func readSessions() {
    call("ListSessions") { [weak self] reply in
      guard let self, case .values(let message) = reply else { return self?.watching(false) ?? () }
      watching(true)
      sessions.read(message)
      readHints(of: sessions.own[...], isLocked: false)
    }
  }

  private func watching(_ now: Bool) {
    guard now != isWatching else { return }
    isWatching = now
    tell(.watching(now ? .yes : .no))
  }

  /// Asks one session after the other. Then a lock is known, and also an unlock that was not heard.
  private func readHints(of paths: ArraySlice<String>, isLocked: Bool) {
    guard let session = paths.first else { return locked(isLocked) }
    let values: [BusValue] = [.string("\(Self.service).Session"), .string("LockedHint")]
    call("Get", of: "org.freedesktop.DBus.Properties", at: session, values) { [weak self] reply in
      var hint = false
      if case .values(let message) = reply, case .bool(true)? = message.readVariant() { hint = true }
      self?.readHints(of: paths.dropFirst(), isLocked: isLocked || hint)
    }
  }

  private func locked(_ now: Bool) {
    guard now != isLocked else { return }
    isLocked = now
    tell(.locked(now ? .yes : .no))
  }

  // MARK: Sleep

  private func sleep(_ begins: Bool) {
    isGoingToSleep = begins
    tell(begins ? .sleeping : .resumed)
    guard !begins else { return }
    delay = .wanted("programs are told")
    takeWanted()
  }

  func keepUp(_ why: String) {
    guard hold.wanted == nil else { return }
    hold = .wanted(why)
    takeWanted()
  }

  /// A machine that is about to sleep may do so, too.
  func letGo() {
    hold = .none
    if isGoingToSleep { delay = .none }
  }

  private func takeWanted() {
    if case .wanted(let why) = delay {
      delay = .asked(why)
      inhibit("delay", why) { [weak self] lock in
        guard let self, case .asked = delay else { return }
        delay = lock.map { .held(why, $0) } ?? .none
      }
    }
    if case .wanted(let why) = hold {
      hold = .asked(why)
      take(why, mode: "block")
    }
  }

  /// Where polkit refuses a program without a session to block the sleep, a delay is better than nothing.
  private func take(_ why: String, mode: String) {
    inhibit(mode, why) { [weak self] lock in
      // Meanwhile the hold may have been let go, or asked for anew.
      guard let self, case .asked(why) = hold else { return }
      if let lock {
        hold = .held(why, lock)
      } else if mode == "block" {
        take(why, mode: "delay")
      } else {
        hold = .wanted(why)
      }
    }
  }

  private func inhibit(_ mode: String, _ why: String, then: @escaping (DescriptorBox?) -> Void) {
    call("Inhibit", [.string("sleep"), .string("Lull"), .string(why), .string(mode)]) { reply in
      guard case .values(let message) = reply else { return then(nil) }
      then(message.readDescriptor())
    }
  }

  private func call(
    _ member: String, of interface: String = Logind.manager, at path: String = Logind.root,
    _ values: [BusValue] = [], then: @escaping (BusReply) -> Void
  ) {
    let call = BusCall(
      to: Self.service, path: path, interface: interface, member: member, values: values)
    // Without a connection the next `connected` asks anew.
    try? bus?.call(call, timeout: Self.patience, then: then)
  }
}

/// An inhibitor of logind holds as long as its descriptor is open. The text is the reason.
private enum Inhibitor {
  case none
  /// It is asked for as soon as there is a connection.
  case wanted(String)
  case asked(String)
  case held(String, DescriptorBox)

  var wanted: String? {
    switch self {
    case .none: nil
    case .wanted(let why), .asked(let why), .held(let why, _): why
    }
  }
}

/// The sessions of the user at logind; for root, who serves all users, every session.
private final class OwnSessions {
  private let uid: UInt32
  private var paths: Set<String> = []

  init(uid: UInt32) { self.uid = uid }

  var own: [String] { paths.sorted() }

  func isOwn(_ path: String?) -> Bool { path.map(paths.contains) ?? false }

  /// Reads the answer to `ListSessions`: identifier, uid, user, seat and path of each session.
  func read(_ message: BusMessage) {
    let read = message.readList(of: "(susso)") {
      message.within("r", contents: "susso") { () -> (UInt32, String)? in
        guard message.readString() != nil, let uid = message.readUInt32(), message.readString() != nil,
          message.readString() != nil, let path = message.readString("o")
        else { return nil }
        return (uid, path)
      }
    }
    paths = Set((read ?? []).filter { uid == 0 || $0.0 == uid }.map(\.1))
  }
}
