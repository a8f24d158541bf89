import Fuzzing
import LullEngine

/// Events that a shell which has lost its mind could send: any number in any place, ids that were never given
/// out, answers to nothing.
struct EventMaker {
  var source: ByteSource
  /// The last ticket that an effect named.
  var ticket: UInt64 = 0
  private var requests: UInt64 = 0

  init(_ source: ByteSource) { self.source = source }

  mutating func event() -> Event {
    switch source.pick(EventKind.allCases) {
    case .register: .register(registration(), request())
    case .adopt: .adopt(app(), registration(), request())
    case .leave: .leave(app())
    case .exited: .exited(app(), source.pick([.exited(0), .exited(1), .signaled(11), .unknown]))
    case .did: .did(app(), someTicket())
    case .done: .done(app(), someTicket())
    case .hold: .hold(app(), source.pick(LineKind.allCases), Offload(rawValue: source.byte()), request())
    case .release: .release(app(), LineID(small()), request())
    case .keepAlive:
      .keepAlive(
        app(), source.flag() ? interval() : nil, lastRun: moment(), since: moment(), request())
    case .beginTask: .beginTask(app(), name: "task", request())
    case .endTask: .endTask(app(), TaskID(small()), request())
    case .remaining: .remaining(app(), request())
    case .present: .present(app(), notification(), request())
    case .schedule: schedule()
    case .cancel: .cancel(app(), source.flag() ? NotificationID(small()) : nil, request())
    case .openSession: .openSession(app(), session(), request())
    case .endSession: .endSession(app(), SessionID(small()), request())
    case .command: .command(app(), source.pick(Command.allCases), request())
    case .answer: .answer(NotificationID(small()), action: source.pick(["default", "A", ""]), request())
    case .observed: .observed(app(), someTicket(), observation())
    case .frozen: .frozen(app(), someTicket())
    case .freezeRefused:
      .freezeRefused(
        app(), someTicket(), source.pick(FreezeRefusal.allCases),
        retryAfter: source.flag() ? interval() : nil)
    case .lineFound:
      .lineFound(app(), source.pick(LineKind.allCases), source.flag() ? .opened : .other, request())
    case .ending: .ending(app())
    case .childEnded: .childEnded(app())
    case .ready: .ready(app(), LineID(small()), source.pick(Readiness.allCases))
    case .lineLost: .lineLost(app(), LineID(small()))
    case .lineForgotten: .lineForgotten(app(), LineID(small()))
    case .sound: .sound(app(), SessionID(small()), report())
    case .heard: .heard(app(), source.pick(SoundScope.allCases), hearing())
    case .routeChanged: .routeChanged
    case .tick: .tick
    case .wallClock: .wallClock(offset: interval().nanoseconds)
    case .signalled: .signalled(app())
    case .unfrozen: .unfrozen(app())
    case .pingAnswered: .pingAnswered(app(), LineID(small()))
    case .stoodStill: .stoodStill(interval())
    }
  }

  /// Time that passes before an event: mostly little.
  mutating func wait() -> Interval {
    let byte = source.byte()
    return byte < 192 ? .milliseconds(Int64(byte) * 16) : max(.zero, interval())
  }

  /// Any length, and with preference those near the ends of the numbers and of the limits.
  mutating func interval() -> Interval {
    let unit: Int64 = 1_000_000_000
    let count = Int64(source.byte())
    let lengths: [Int64] = [
      0, 1, -1, .max, .min, .max - count, .min + count, count, count * 1_000_000, count * unit, -count * unit,
      600 * unit, 3600 * unit * count,
    ]
    let choice = Int(source.byte()) % (lengths.count + 1)
    return Interval(nanoseconds: choice < lengths.count ? lengths[choice] : source.number())
  }

  mutating func app() -> AppID {
    let byte = source.byte()
    return AppID(slot: UInt32(byte & 3), generation: UInt32(byte >> 6))
  }

  mutating func small() -> UInt32 { UInt32(source.byte() % 16) }

  private mutating func request() -> RequestID {
    requests += 1
    return RequestID(requests)
  }

  private mutating func moment() -> Moment? {
    source.flag() ? Moment(nanoseconds: interval().nanoseconds) : nil
  }

  /// Mostly the last one.
  private mutating func someTicket() -> Ticket {
    let byte = UInt64(source.byte())
    return Ticket(byte == 255 ? .max : byte < 128 ? ticket : ticket &- byte % 8)
  }

  private mutating func notification() -> LocalNotification {
    LocalNotification(body: "b", action: source.flag() ? "A" : nil)
  }

  private mutating func schedule() -> Event {
    let date: FireDate = source.flag() ? .after(interval()) : .wall(interval().nanoseconds)
    return .schedule(app(), notification(), date, repeats: source.flag() ? interval() : nil, request())
  }
}
