import LullSystem
import Testing

/// The bound of every wait: long enough for a loaded machine, and never reached when the daemon does its part.
let patience: Int32 = 20_000

/// Waits for an event on a descriptor; records an issue when none comes.
func wait(_ raw: Int32, _ interest: Interest, _ comment: Comment) throws {
  let found = try Socket.poll(raw, interest, timeoutMilliseconds: patience)
  try #require(!found.isEmpty, comment)
}

/// Looks again and again, a millisecond apart in a poll of nothing, until something is so.
func until(_ comment: Comment, _ isSo: () throws -> Bool) throws {
  let end = Clock.boottime() + Int64(patience) * 1_000_000
  var nothing: [PollEntry] = []
  while try !isSo() {
    try #require(Clock.boottime() < end, comment)
    try Socket.pollMany(&nothing, timeoutMilliseconds: 1)
  }
}

/// Unwraps a descriptor that must be there.
func box(_ descriptor: consuming Descriptor?) throws -> DescriptorBox {
  switch consume descriptor {
  case .some(let found): return DescriptorBox(found)
  case .none: throw SystemError(code: 9, call: "no descriptor")
  }
}

/// A socket pair whose ends do not block.
func socketPair() throws -> (DescriptorBox, DescriptorBox) { try UnixSocket.pair() }
