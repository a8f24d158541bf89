import LullEngine
import LullSystem

extension WakeSources {
  func known(of id: AppID) -> KnownFiles { KnownFiles(lines(of: id)) }

  /// Begins an observation: until it finds a line again, no line counts as found.
  func beginObservation(at id: AppID) { for line in lines(of: id).lines { line.found?.role = nil } }

  func takeDeclared(of id: AppID) throws(SystemError) -> [Event] {
    guard let lines = programs[id] else { return [] }
    return try lines.takeDeclared()
  }

  func add(_ found: FoundSource, as line: LineID, of id: AppID) { lines(of: id).add(found, as: line) }

  /// Returns false when the source is no line yet.
  func update(_ found: FoundSource, of id: AppID) -> Bool { programs[id]?.update(found) == true }

  /// Notes a member that is ready although its set is not: the program was told before, so its readiness is
  /// no news.
  func told(_ line: LineID, of id: AppID, rest: Interest) {
    guard let line = programs[id]?.line(line) else { return }
    line.found?.interest = rest
    line.found?.wasTold = rest.isDisjoint(with: [.readable, .writable, .priority])
  }

  func forget(_ key: FileKey, of id: AppID) -> Event? { programs[id]?.forget(key) }

  /// Ends some of the lines whose descriptors are closed, from the last one on. The event is told to the
  /// engine before the rest is checked.
  func dropLost(of id: AppID, before last: LineID?) -> (event: Event?, rest: LineID?) {
    programs[id]?.dropLost(before: last) ?? (nil, nil)
  }
}

struct KnownFiles {
  private let lines: ProgramLines

  init(_ lines: ProgramLines) { self.lines = lines }

  func contains(_ file: FileIdentity) -> Bool { lines.lines.contains { $0.identity == file } }

  subscript(key: FileKey) -> KnownFile? {
    guard let line = lines.line(key) else { return nil }
    return KnownFile(
      line: line.id, identity: line.identity, description: line.description,
      set: line.epollSet.map { ($0.duplicate, $0.facts) })
  }
}
