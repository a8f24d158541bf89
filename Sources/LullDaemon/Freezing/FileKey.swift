import LullEngine
import LullInspect
import LullSystem

/// The key by which a file is recognised in the next observation: sockets, pipes and devices by their own
/// identity, a file without one by its number.
enum FileKey: Hashable {
  case file(FileIdentity)
  case number(Int32, of: Int32)

  init(_ status: FileStatus, number: Int32, of pid: Int32) {
    switch status.shape {
    case .socket, .pipe: self = .file(status.identity)
    case .characterDevice, .anonymous, .stored: self = .number(number, of: pid)
    }
  }
}

struct KnownFile {
  let line: LineID
  let identity: FileIdentity
  let description: LineDescription
  /// The kept duplicate of an epoll set, and the facts that observations have found out about the set.
  let set: (duplicate: DescriptorBox, facts: SetFacts)?
}

struct FoundSource {
  let line: LineID?
  let key: FileKey
  let number: Int32
  let pid: Int32
  let owner: DescriptorBox
  let identity: FileIdentity
  let description: LineDescription
  let role: WakeSource.Role
  let interest: Interest
  let duplicate: DescriptorBox
  var origin = LineOrigin.other
  /// True when, as far as is known, only the program itself can make the source ready.
  var isInside = false
  var outerSet: LineID?
  var facts: SetFacts?
}
