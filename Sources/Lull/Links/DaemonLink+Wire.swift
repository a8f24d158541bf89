internal import LullEngine
internal import LullWire

extension Request {
  /// Reads the fields of `ok`.
  func answer(_ message: Message) throws(WireError) -> Engine.Answer {
    switch self {
    case .hold: .line(try message.identifier(.line))
    case .beginTask:
      .task(try message.identifier(.task), remaining: try message.interval(ifPresent: .remainingSeconds))
    case .remaining:
      .remaining(
        try message.interval(ifPresent: .seconds), forTasks: try message.interval(ifPresent: .taskSeconds))
    case .present, .schedule: .notification(try message.identifier(.notification))
    case .cancel: .count(Int(try message.integer(.count, in: 0...Int64(Int32.max))))
    case .session: .session(try message.identifier(.session))
    default: .done
    }
  }
}

extension SupervisedNotification {
  /// Reads an item of the answer to `scheduled`; nil for another item.
  init?(_ item: Message) throws(WireError) {
    guard item.itemKind == .notification else { return nil }
    id = try item.identifier(.notification)
    content = try LocalNotification(item)
    date = try item.number(ifPresent: .at)
    // The date alone is read from what has been shown before: its rule makes no difference any more.
    let rule = try? Request.Schedule(item)
    (repeats, zone) = (rule?.repeats, rule?.zone)
  }
}

extension Registration {
  func request(resume: ApplicationState?) -> Request.Register {
    .init(
      name: name, settings, launch: launch, profile: profile,
      resume: resume.map { $0 == .background ? .background : .active })
  }
}
