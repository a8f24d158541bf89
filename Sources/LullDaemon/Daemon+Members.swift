import LullEngine
import LullSystem
import LullWire

extension HeldLine {
  /// Whether it stands for all descriptors of an epoll set.
  var isSet: Bool { epollSet != nil }

  /// The members of a small set stand for themselves, and what is inside is nobody's line.
  var isShown: Bool { epollSet?.isLarge != false && found?.isInside != true }

  /// The numbers of the descriptors in the set, in the process that holds it; none for any other line.
  func members() -> [Int32] {
    guard let epollSet else { return [] }
    return (try? Process.epollMembers(of: epollSet.pid, number: epollSet.number))?.map(\.number) ?? []
  }

  /// A descriptor of the set as a line; nil when it cannot be looked at, because it is closed, say.
  /// The duplicate is closed at once, so that the program's own `close()` is seen by its peer.
  func item(ofMember member: Int32, of program: Program) -> Message? {
    guard let epollSet, let process = try? Process.pidfdOpen(epollSet.pid),
      let taken = try? Process.getDescriptor(process.raw, number: member)
    else { return nil }
    let descriptor = DescriptorBox(taken, closer: epollSet.duplicate.closer)
    let description = Socket.describe(descriptor.raw)
    return Message(item: .line).adding(.program, program.name).adding(.id, id.number)
      .adding(.line, Vocabulary.LineKind(description.kind).rawValue)
      .adding(.local, description.local).adding(.peer, description.peer)
      .adding(.unread, try? Socket.unreadBytes(descriptor.raw))
      .adding(.pid, found?.pid).adding(.fd, member)
  }
}
