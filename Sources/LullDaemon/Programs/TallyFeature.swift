import LullEngine
import LullSystem
import LullWire

/// Counts what has woken each program and what has kept it awake, since it came under this daemon.
final class TallyFeature: Feature {
  fileprivate struct Waker: Hashable {
    let reason: WakeReason
    let host: String?
  }

  fileprivate struct Refusal {
    let why: FreezeRefusal
    var count: Int64 = 0
    var awake = Interval.zero
    var detail = Detail.none
  }

  fileprivate struct Tally {
    var wakes: [(by: Waker, count: Int64)] = []
    /// Wakes by hosts for which there was no room.
    var others: Int64 = 0
    var refusals: [Refusal] = []
    /// Its last sleep was refused therefore, at this moment, and it has not slept since.
    var awake: (why: FreezeRefusal, since: Moment)?
  }

  /// So many wakers of one program are counted apart.
  fileprivate static let mostWakers = 16

  let core: Core
  private var tallies = AppTable<Tally>()

  init(_ core: Core) { self.core = core }

  func forget(_ program: Program) { tallies[program.id] = nil }

  func take(_ note: Note, of id: AppID) {
    switch note {
    case .woke(let reason, let line):
      let peer = line == nil ? nil : sources.wake(of: id).host
      tallies.update(id, else: Tally()) { $0.count(Waker(reason: reason, host: peer)) }
    case .freezeRefused(let why, let detail):
      tallies.update(id, else: Tally()) { [now] in $0.refuse(why, detail, at: now) }
    case .frozen: tallies.update(id, else: Tally()) { [now] in $0.settle(at: now) }
    default: return
    }
  }

  func items(of program: Program) -> [Message] {
    guard var tally = tallies[program.id] else { return [] }
    tally.settle(at: now)
    var wakes = tally.wakes.map { by, count in
      TallyItem {
        ($0.what, $0.reason, $0.peer, $0.count) = (OpenWord(.wake), by.reason.rawValue, by.host, count)
      }
    }
    if tally.others > 0 {
      wakes.append(TallyItem { ($0.what, $0.reason, $0.count) = (OpenWord(.wake), "other", tally.others) })
    }
    let refusals = tally.refusals.map { refusal in
      TallyItem {
        ($0.what, $0.reason, $0.count) = (OpenWord(.refusal), refusal.why.rawValue, refusal.count)
        ($0.seconds, $0.detail) = (refusal.awake.seconds, detailText(refusal.detail, of: program))
      }
    }
    return (wakes + refusals).map { item in
      var item = item
      item.program = program.name
      return item.message
    }
  }
}

extension TallyFeature.Tally {
  fileprivate mutating func count(_ waker: TallyFeature.Waker) {
    if let place = wakes.firstIndex(where: { $0.by == waker }) {
      wakes[place].count += 1
    } else if wakes.count < TallyFeature.mostWakers {
      wakes.append((waker, 1))
    } else {
      others += 1
    }
  }

  fileprivate mutating func refuse(_ why: FreezeRefusal, _ detail: Detail, at now: Moment) {
    settle(at: now)
    let place = refusals.firstIndex { $0.why == why } ?? refusals.count
    if place == refusals.count { refusals.append(.init(why: why)) }
    refusals[place].count += 1
    refusals[place].detail = detail
    awake = (why, now)
  }

  /// Adds the time since the last refusal to its reason.
  fileprivate mutating func settle(at now: Moment) {
    guard let (why, since) = awake.take() else { return }
    if let place = refusals.firstIndex(where: { $0.why == why }) {
      refusals[place].awake = refusals[place].awake + (now - since)
    }
  }
}
