import LullEngine
import LullSystem
import LullWire

extension Daemon {
  /// Begins an answer with several records. What fits a slice is queued at once; the rest follows while the
  /// client takes it, and its further requests wait until then.
  func answer(_ report: Report, _ client: Client) -> Reply? {
    client.report = report
    tellMore(client)
    markDirty(client)
    return nil
  }

  /// Queues the next slice of an answer.
  func tellMore(_ client: Client) {
    while var report = client.report, client.output.count < Client.slice {
      guard let part = report.next() else {
        client.report = nil
        return client.queue(Message(.ok).adding(.count, report.count))
      }
      let (messages, rest) = records(of: part)
      for message in messages { client.queue(message) }
      report.sent(messages.count)
      report.put(rest)
      client.report = report
    }
  }

  /// The first records of a part, few enough for one look, and what is left of it. Of a program that is gone
  /// nothing is left.
  private func records(of part: Report.Part) -> ([Message], rest: [Report.Part]) {
    switch part {
    case .messages(let messages):
      guard messages.count > 1 else { return (Array(messages), []) }
      return ([messages[messages.startIndex]], [.messages(messages.dropFirst())])
    case .program(let id, let detail):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      return ([], [.messages(programItems(view, program)[...]), .lines(id, after: 0, detail)])
    case .lines(let id, let last, let detail): return lines(of: id, after: last, detail)
    case .members(let id, let line, let numbers): return members(of: id, line, numbers)
    case .notifications(let ids):
      guard !ids.isEmpty else { return ([], []) }
      let views = engine.notifications
      // One that is gone meanwhile is left out.
      let found = ids.prefix(Client.step).compactMap { id in views.first { $0.id == id } }
      return (found.map(notificationItem), [.notifications(ids.dropFirst(Client.step))])
    case .entries(let entries):
      guard !entries.isEmpty else { return ([], []) }
      let items = entries.prefix(Client.step).map { $0.adding(to: Message(item: .entry)) }
      return (items, [.entries(entries.dropFirst(Client.step))])
    }
  }

  private func lines(of id: AppID, after last: UInt32, _ detail: Report.LineDetail)
    -> ([Message], rest: [Report.Part])
  {
    guard let program = program(id), let first = program.lines.firstIndex(where: { $0.id.number > last })
    else { return ([], []) }
    let lines = program.lines[first...].prefix(Client.step)
    // A set is followed by its members, so it ends the step.
    let set = detail == .members ? lines.firstIndex(where: \.isSet) : nil
    let told = set.map { lines[...$0] } ?? lines
    let items = lineItems(told.filter(\.isShown), program)
    let rest = Report.Part.lines(id, after: program.lines[told.endIndex - 1].id.number, detail)
    guard let set else { return (items, [rest]) }
    return (items, [.members(id, program.lines[set].id, program.lines[set].members()[...]), rest])
  }

  private func members(of id: AppID, _ line: LineID, _ numbers: ArraySlice<Int32>)
    -> ([Message], rest: [Report.Part])
  {
    guard !numbers.isEmpty, let program = program(id), let line = program.line(line) else { return ([], []) }
    let items = numbers.prefix(Client.step).compactMap { line.item(ofMember: $0, of: program) }
    return (items, [.members(id, line.id, numbers.dropFirst(Client.step))])
  }
}
