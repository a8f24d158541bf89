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
    while var report = client.report, client.output.count < client.output.slice {
      guard let part = report.next() else {
        client.report = nil
        return client.output.add(Message(.ok).adding(.count, report.count))
      }
      let (messages, rest) = records(of: part, atMost: client.output.step)
      for message in messages { client.output.add(message) }
      report.sent(messages.count)
      report.put(rest)
      client.report = report
    }
  }

  /// The first records of a part, few enough for one look, and what is left of it. Of a program that is gone
  /// nothing is left.
  private func records(of part: Report.Part, atMost step: Int) -> ([Message], rest: [Report.Part]) {
    switch part {
    case .messages(let messages):
      guard messages.count > 1 else { return (Array(messages), []) }
      return ([messages[messages.startIndex]], [.messages(messages.dropFirst())])
    case .programs(let slot, let detail):
      guard slot < programs.count, let program = programs[slot...].lazy.compactMap(\.self).first else {
        return ([], [])
      }
      return ([], [detail.part(of: program.id), .programs(from: Int(program.id.slot) + 1, detail)])
    case .program(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = programItems(view, program).dropFirst(told)
      let isAll = items.count <= step
      let rest: Report.Part = isAll ? .lines(id, after: 0, .sums) : .program(id, told: told + step)
      return (Array(items.prefix(step)), [rest])
    case .why(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = whyItems(view, program).dropFirst(told)
      return (Array(items.prefix(step)), items.count <= step ? [] : [.why(id, told: told + step)])
    case .lines(let id, let last, let detail): return lines(of: id, after: last, detail, atMost: step)
    case .members(let id, let line, let numbers): return members(of: id, line, numbers, atMost: step)
    case .notifications(let ids):
      guard !ids.isEmpty else { return ([], []) }
      let views = engine.notifications
      // One that is gone meanwhile is left out.
      let found = ids.prefix(step).compactMap { id in views.first { $0.id == id } }
      return (found.map(notificationItem), [.notifications(ids.dropFirst(step))])
    case .entries(let numbers):
      guard !numbers.isEmpty else { return ([], []) }
      // What was overwritten meanwhile is left out.
      let items = numbers.prefix(step).compactMap { journal[$0]?.adding(to: Message(item: .entry)) }
      return (items, [.entries(numbers.dropFirst(step))])
    }
  }

  private func lines(
    of id: AppID, after last: UInt32, _ detail: Report.LineDetail, atMost step: Int
  ) -> ([Message], rest: [Report.Part]) {
    guard let program = program(id) else { return ([], []) }
    let lines = program.lines[program.place(from: LineID(last &+ 1))...].prefix(step)
    guard !lines.isEmpty else { return ([], []) }
    // A set is followed by its members, so it ends the step.
    let set = detail == .members ? lines.firstIndex(where: \.isSet) : nil
    let told = set.map { lines[...$0] } ?? lines
    let items = lineItems(told.filter(\.isShown), program)
    let rest = Report.Part.lines(id, after: program.lines[told.endIndex - 1].id.number, detail)
    guard let set else { return (items, [rest]) }
    return (items, [.members(id, program.lines[set].id, program.lines[set].members()[...]), rest])
  }

  private func members(
    of id: AppID, _ line: LineID, _ numbers: ArraySlice<Int32>, atMost step: Int
  ) -> ([Message], rest: [Report.Part]) {
    guard !numbers.isEmpty, let program = program(id), let line = program.line(line) else { return ([], []) }
    let items = numbers.prefix(step).compactMap { line.item(ofMember: $0, of: program) }
    return (items, [.members(id, line.id, numbers.dropFirst(step))])
  }
}
