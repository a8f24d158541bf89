import LullEngine
import LullInspect
import LullSystem

/// A duplicate of a line that outlives the sleep of its program.
struct LineCopy {
  /// The program's own line; nil for a socket of a command.
  let line: LineID?
  let descriptor: DescriptorBox
  let identity: FileIdentity
  let description: LineDescription
}

extension WakeSources {
  /// Lines that the program has closed, and those that may not be taken, are left out.
  func copiesOfDeclared(of id: AppID) -> [LineCopy] {
    (programs[id]?.lines ?? []).compactMap { line in
      guard line.found == nil else { return nil }
      return copy(line, of: line.duplicate ?? (try? line.take(services.closer)) ?? nil, as: line.id)
    }
  }

  /// Duplicates of the lines that were found in a command and are watched in its sleep, in the order of the
  /// processes and of their numbers; none while it runs.
  func copiesOfFound(of id: AppID) -> [LineCopy] {
    let found = (programs[id]?.lines ?? []).compactMap { line in line.found.map { (line, $0) } }
      .filter { !$0.1.isInside }
    let ordered = found.sorted { ($0.1.pid, $0.0.number) < ($1.1.pid, $1.0.number) }
    return ordered.compactMap { line, _ in copy(line, of: line.duplicate, as: nil) }
  }

  private func copy(_ line: HeldLine, of duplicate: DescriptorBox?, as id: LineID?) -> LineCopy? {
    guard let duplicate,
      let descriptor = services.journal.ignoring(
        [], DescriptorBox(try .duplicating(duplicate.raw), closer: services.closer))
    else { return nil }
    return LineCopy(
      line: id, descriptor: descriptor, identity: line.identity, description: line.description)
  }
}
