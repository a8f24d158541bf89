import LullEngine
import LullInspect

extension WakeSources {
  /// A page of lines, from the first one after `last` on; a set ends the page when its members are told as
  /// well. The members of a small set are lines themselves.
  func page(of id: AppID, after last: LineID?, atMost count: Int, endsAtSet: Bool) -> LinePage? {
    guard let program = programs[id] else { return nil }
    let some = program.lines(after: last, atMost: count)
    guard let end = some.last else { return nil }
    guard endsAtSet, let place = some.firstIndex(where: { $0.epollSet != nil }) else {
      return LinePage(views: views(some), last: end.id)
    }
    return LinePage(
      views: views(some[...place]), last: some[place].id,
      members: some[place].epollSet?.members(besides: program.lines) ?? [])
  }

  func descriptions(of id: AppID) -> [LineDescription] { programs[id]?.lines.map(\.description) ?? [] }

  private func views(_ lines: ArraySlice<HeldLine>) -> [LineView] {
    lines.compactMap { LineView($0, services.journal) }
  }

  /// A descriptor of a set as a line; nil when it cannot be described, because it is closed, for example.
  func member(_ number: Int32, of line: LineID, _ id: AppID) -> MemberView? {
    programs[id]?.line(line).flatMap { MemberView(number, of: $0, services.journal) }
  }

  func text(of line: LineID, _ id: AppID) -> String? { programs[id]?.line(line)?.description.text }
}
