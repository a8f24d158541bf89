import LullEngine
import LullInspect
import LullWire

extension Daemon {
  /// A program that is gone leaves no rest.
  func records(of section: Report.Section, atMost step: Int) -> ([Message], rest: [Report.Section]) {
    switch section {
    case .messages(let messages):
      guard messages.count > 1 else { return (Array(messages), []) }
      return ([messages[messages.startIndex]], [.messages(messages.dropFirst())])
    case .programs(let slot, let detail):
      guard let program = programs.first(fromSlot: slot) else { return ([], []) }
      return ([], [detail.section(of: program.id), .programs(from: Int(program.id.slot) + 1, detail)])
    case .program(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = programItems(view, program).dropFirst(told)
      let isAll = items.count <= step
      let rest: Report.Section = isAll ? .lines(id, after: 0, .sums) : .program(id, told: told + step)
      return (Array(items.prefix(step)), [rest])
    case .why(let id, let told):
      guard let view = engine.program(id, at: now), let program = program(id) else { return ([], []) }
      let items = whyItems(view, program).dropFirst(told)
      return (Array(items.prefix(step)), items.count <= step ? [] : [.why(id, told: told + step)])
    case .lines(let id, let last, let detail): return lines(of: id, after: last, detail, atMost: step)
    case .members(let id, let line, let numbers): return members(of: id, line, numbers, atMost: step)
    case .notifications(let places):
      guard !places.isEmpty else { return ([], []) }
      let views = engine.notifications
      // A program that is gone meanwhile is left out.
      let found = places.prefix(step).compactMap { place in
        views.first { $0.id == place.id && ($0.fires != nil) == place.isScheduled }
      }
      return (found.map { desktop.notificationItem($0).message }, [.notifications(places.dropFirst(step))])
    case .entries(let numbers, let filter):
      guard !numbers.isEmpty else { return ([], []) }
      // Entries that were overwritten meanwhile are left out.
      let entries = numbers.prefix(step).compactMap { journal[$0] }.filter(filter.lets)
      return (
        entries.map(\.item.message), [.entries(numbers.dropFirst(step), filter)]
      )
    }
  }

  private func lines(
    of id: AppID, after last: UInt32, _ detail: Report.LineDetail, atMost step: Int
  ) -> ([Message], rest: [Report.Section]) {
    let endsAtSet = detail == .members
    guard let program = program(id),
      let page = sources.page(of: id, after: LineID(last), atMost: step, endsAtSet: endsAtSet)
    else { return ([], []) }
    // A set is followed by its members, so it ends the page.
    let items = lineItems(page.views, program)
    let rest = Report.Section.lines(id, after: page.last.number, detail)
    guard !page.members.isEmpty else { return (items, [rest]) }
    return (items, [.members(id, page.last, page.members[...]), rest])
  }

  private func members(
    of id: AppID, _ line: LineID, _ numbers: ArraySlice<Int32>, atMost step: Int
  ) -> ([Message], rest: [Report.Section]) {
    guard !numbers.isEmpty, let program = program(id) else { return ([], []) }
    let items = numbers.prefix(step).compactMap { sources.member($0, of: line, id)?.item(of: program) }
    return (items, [.members(id, line, numbers.dropFirst(step))])
  }
}
