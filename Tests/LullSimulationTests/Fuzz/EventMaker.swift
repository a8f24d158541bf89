import Fuzzing
import LullEngine

/// Events and requests of a shell that has lost its mind: any number in any place, ids that were never given
/// out, answers to nothing.
struct EventMaker {
  var source: ByteSource
  /// The last ticket that an effect named.
  var ticket: UInt64 = 0

  init(_ source: ByteSource) { self.source = source }

  mutating func input() -> Input {
    switch source.pick(EventKind.allCases) {
    case .register: .request(.register(registration()))
    case .adopt: .request(.adopt(app(), registration()))
    case .leave: .event(.leave(app()))
    case .letGo: .event(.letGo(app()))
    case .exited: .event(.exited(app(), source.pick([.exited(0), .exited(1), .signaled(11), .unknown])))
    case .did: .event(.did(app(), someTicket()))
    case .done: .event(.done(app(), someTicket()))
    case .handling: .event(.handling(app(), someTicket()))
    case .hold: .request(.hold(app(), source.pick(LinePurpose.allCases), Offload(rawValue: source.byte())))
    case .release: .request(.release(app(), LineID(small())))
    case .keepAlive:
      .request(
        .keepAlive(
          app(), source.flag() ? interval() : nil, lastRun: moment(), since: moment()))
    case .push: .request(.push(app(), RemoteNotification(payload: [source.byte()])))
    case .announce: .request(.announce("news", program: source.pick(["a", "b"])))
    case .fetch: .request(.fetch(app(), source.flag() ? interval() : nil, since: moment()))
    case .fetched:
      .event(.fetched(app(), someTicket(), source.pick(BackgroundFetchResult.allCases)))
    case .beginTask: .request(.beginTask(app(), name: "task"))
    case .endTask: .request(.endTask(app(), TaskID(small())))
    case .remaining: .request(.remaining(app()))
    case .present:
      .request(.present(app(), notification(), replaces: source.flag() ? NotificationID(small()) : nil))
    case .schedule: .request(schedule())
    case .cancel: .request(.cancel(app(), source.flag() ? NotificationID(small()) : nil))
    case .openSession: .request(.openSession(app(), session()))
    case .endSession: .request(.endSession(app(), SessionID(small())))
    case .transition: .request(.transition(app(), source.pick(Transition.allCases)))
    case .answer:
      .request(.answer(NotificationID(small()), action: source.pick(["default", "A", "", "Deny"])))
    case .answerAtLaunch: .request(.answerAtLaunch(NotificationID(small()), action: "A"))
    case .launchFailed:
      .request(.launchFailed(program: source.pick(["a", "b"]), isMisconfigured: source.flag()))
    case .admit:
      .request(
        .admit(
          source.pick(["a", "b", "c"]), source.pick(InstalledBeginning.allCases),
          InstalledPast(
            reason: source.pick([nil] + LaunchReason.allCases), crashes: source.pick([0, 1, 5]),
            cameAt: source.flag() ? Moment(nanoseconds: interval().nanoseconds) : nil,
            keepAlive: source.pick([nil, .seconds(600)]), hasKeptAlive: source.flag())))
    case .uninstall: .request(.uninstall(source.pick(["a", "b", "c"])))
    case .forceQuit: .request(.forceQuit(source.pick(["a", "b", "c"])))
    case .launchable: .request(.launchable(source.pick(["a", "b", "c"]), source.flag()))
    case .launch:
      .request(
        .launch(
          source.pick(["a", "b", "c", "d"]),
          Launch(source.pick(LaunchReason.allCases), url: source.flag() ? "sip:b" : nil)))
    case .linesWait:
      .event(.linesWait(source.pick(["a", "b", "d"]), after: source.pick(KeptEnding.allCases)))
    case .linesReady: .event(.linesReady(source.pick(["a", "b", "d"])))
    case .linesTaken: .event(.linesTaken(source.pick(["a", "b", "d"])))
    case .restore: .request(.restore(record()))
    case .localZone: .request(.localZone(.utc(name: source.flag() ? "UTC" : nil)))
    case .open: .request(.open(app(), "sip:a"))
    case .looked: .event(.looked(app(), someTicket(), look()))
    case .observed: .event(.observed(app(), someTicket(), observation()))
    case .frozen: .event(.frozen(app(), someTicket()))
    case .freezeRefused:
      .event(
        .freezeRefused(
          app(), someTicket(), source.pick(FreezeRefusal.allCases),
          retryAfter: source.flag() ? interval() : nil))
    case .lineFound:
      .request(.lineFound(app(), source.pick(LinePurpose.allCases), source.flag() ? .opened : .other, ""))
    case .ending: .event(.ending(app()))
    case .childEnded: .event(.childEnded(app()))
    case .ready: .event(.ready(app(), LineID(small()), source.pick(LineReadiness.allCases)))
    case .lineLost: .event(.lineLost(app(), LineID(small())))
    case .lineForgotten: .event(.lineForgotten(app(), LineID(small())))
    case .sound: .event(.sound(app(), SessionID(small()), report()))
    case .audibility: .event(.audibility(app(), source.pick(AudioScope.allCases), hearing()))
    case .routeChanged: .event(.routeChanged)
    case .tick: .event(.tick)
    case .wallClock: .event(.wallClock(offset: interval().nanoseconds))
    case .signalled: .event(.signalled(app()))
    case .unfrozen: .event(.unfrozen(app()))
    case .pingAnswered: .event(.pingAnswered(app(), LineID(small())))
    case .stoodStill: .event(.stoodStill(interval()))
    case .traced: .event(.traced(app()))
    case .surrounding: .event(.surrounding(surrounding()))
    case .accessory: .event(.accessory(source.flag() ? accessory() : nil))
    case .reconnect: .event(.reconnect(app(), source.flag() ? .network : .resumed))
    case .compacted:
      .event(
        .compacted(
          app(), someTicket(),
          source.pick([.done(before: UInt64(small()), after: UInt64(small())), .stopped, .refused])))
    case .lockAwaited: .event(.lockAwaited(app()))
    case .signalDue: .event(.signalDue(app()))
    case .pressure: .event(.pressure(source.pick(MemoryPressure.allCases)))
    case .sizes: .event(.sizes(someTicket(), [MemorySize(app(), bytes: source.number())]))
    case .purge: .request(.purge(app()))
    case .permitRecording:
      .request(
        .permitRecording(
          RecordingEntry(source.pick(["a", "b", "c"]), source.pick(RecordingPermission.allCases))))
    case .wakeIn: .request(.wakeIn(app(), source.flag() ? interval() : nil))
    }
  }

  /// The time before an event: mostly little.
  mutating func wait() -> Interval {
    let byte = source.byte()
    return byte < 192 ? .milliseconds(Int64(byte) * 16) : max(.zero, interval())
  }

  /// Any length, with a preference for those near the ends of the numbers and of the limits.
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

  private mutating func moment() -> Moment? {
    source.flag() ? Moment(nanoseconds: interval().nanoseconds) : nil
  }

  private mutating func someTicket() -> Ticket {
    let byte = UInt64(source.byte())
    return Ticket(byte == 255 ? .max : byte < 128 ? ticket : ticket &- byte % 8)
  }

  private mutating func notification() -> LocalNotification {
    LocalNotification(body: "b", action: source.flag() ? "A" : nil, isCall: source.flag())
  }

  private mutating func schedule() -> Engine.Request {
    let date: FireDate = source.flag() ? .after(interval()) : .wall(interval().nanoseconds)
    return .schedule(app(), notification(), date, repeats: repetition())
  }

  private mutating func repetition() -> Repetition? {
    guard source.flag() else { return nil }
    guard source.flag() else { return .every(interval()) }
    return .calendar(source.pick(CalendarUnit.allCases), .utc())
  }

  private mutating func record() -> NotificationRecord {
    var record = NotificationRecord(
      id: NotificationID(small()), program: source.pick(["a", "b"]), content: notification(),
      repeats: repetition())
    guard source.flag() else { return record }
    let date = interval().nanoseconds
    record.fires = source.flag() ? .wall(date) : .engine(Moment(nanoseconds: date))
    record.first = source.flag() ? interval().nanoseconds : nil
    return record
  }
}
