import LullBus
import LullChannel
import LullModel
package import LullSystem
import LullWire

/// The loop of lull-notify: lulld's messages, the buses, the timer.
package final class NotifyService {
  /// The seconds that a turn may take before the alarm ends this process, and lulld starts another.
  private static let longestTurn = 4

  /// The nanoseconds that the server has for its last answers.
  private static let farewell: Int64 = 1_000_000_000

  private let link: MessageChannel
  private let reactor: Reactor<LoopSource>
  private let session: BusConnection
  private let system: BusConnection
  private let display: Display
  private let logind: Logind
  private var buffer = ReceiveBuffer(capacity: Limits.maximumLine)

  package init(_ socket: DescriptorBox) throws(SystemError) {
    // A lulld that lets the queue overflow hangs; the next lulld starts another lull-notify.
    let link = MessageChannel(socket, overload: .dropPeer)
    self.link = link
    reactor = try Reactor()
    let tell = { (message: MessageFromNotify) in _ = link.tell(message.message()) }
    let server = NotificationServer()
    let (badges, feedback) = (Badges(), Feedback())
    display = Display(server, badges: badges, feedback: feedback, tell: tell)
    session = BusConnection(.session, in: reactor, for: [server, badges, feedback], isNeeded: false)
    logind = Logind(tell: tell)
    let machine: [any BusUser] = [logind, Bluetooth(tell: tell)]
    system = BusConnection(.system, in: reactor, for: machine, isNeeded: true)
    try link.watch(in: reactor, as: .link)
  }

  /// Runs until lulld has closed the link; then nothing stays shown.
  package func run() throws(SystemError) {
    try finishTurn()
    while link.inputEnd == nil {
      Alarm.cancel()
      try reactor.wait()
      Alarm.set(seconds: Self.longestTurn)
      _ = try reactor.takeExpiration()
      for place in reactor.events {
        if let event = reactor[place], case .link = event.source { obey(event.readiness) }
      }
      try finishTurn()
    }
    link.unwatch(in: reactor)
    display.closeAll()
    try hearOut()
    session.finish()
  }

  /// A notification that the server has just been asked to show can only be closed after the answer.
  private func hearOut() throws(SystemError) {
    let end = Clock.boottime() + Self.farewell
    while display.isOwed, Clock.boottime() < end {
      session.work()
      try session.updateInterest()
      try reactor.wait(timeoutMilliseconds: 20)
    }
  }

  private func finishTurn() throws(SystemError) {
    session.work()
    system.work()
    display.work(isHopeless: session.isHopeless)
    try session.updateInterest()
    try system.updateInterest()
    try link.updateInterest(in: reactor)
    try reactor.arm(at: [session.deadline, system.deadline, display.deadline].compactMap(\.self).min())
  }

  // MARK: Messages of lulld

  private func obey(_ readiness: Readiness) {
    link.handle(readiness)
    while case .bytes(let isAll) = link.receive(into: &buffer) {
      while let incoming = link.next() {
        if case .message(let message, _) = incoming { obey(message) }
      }
      if isAll { return }
    }
  }

  private func obey(_ line: Message) {
    // Both programs are of one build: what cannot be read was not written by lulld.
    guard let message = try? MessageToNotify.parse(line) else { return }
    switch message {
    case .renew: display.renew()
    case .renewed: display.renewed()
    case .show(let notification):
      session.need()
      display.show(notification)
    case .withdraw(let id, let place):
      if place != nil { session.need() }
      display.withdraw(id, at: place)
    case .hold(let why): logind.keepUp(why)
    case .letGo: logind.letGo()
    }
  }
}
