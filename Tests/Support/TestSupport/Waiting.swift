package import LullSystem
package import Testing

/// The bound of every wait in milliseconds. Only a hang reaches it.
package let patience: Int32 = 60_000

/// Waits for an event on a descriptor. When none comes, an issue of the test is recorded; a thread of its own
/// belongs to no test, and hands the error back to its test.
@discardableResult
package func ready(
  _ raw: Int32, _ interest: Interest, within bound: Int32 = patience,
  at place: SourceLocation = #_sourceLocation, _ comment: Comment = "no event came"
) throws -> Readiness {
  let found = try Socket.poll(raw, interest, timeoutMilliseconds: bound)
  guard found.isEmpty else { return found }
  try giveUp(comment, at: place)
}

/// Ends a wait that came to its bound.
private func giveUp(_ comment: Comment, at place: SourceLocation) throws -> Never {
  let isOutside = Test.current == nil
  try #require(isOutside, comment, sourceLocation: place)
  throw NothingCame(description: "\(comment) (\(place.fileID):\(place.line))")
}

/// Checks a condition every millisecond until it holds, where the kernel has no event: a poll of nothing is
/// the wait in between. Other tests start programs at the same time, and a child holds copies of all
/// descriptors until it runs its program, so a close can take effect later.
package func eventually(
  _ comment: Comment, at place: SourceLocation = #_sourceLocation, _ condition: () throws -> Bool
) throws {
  let end = Clock.boottime() + Int64(patience) * 1_000_000
  var nothing: [PollEntry] = []
  while try !condition() {
    if Clock.boottime() >= end { try giveUp(comment, at: place) }
    try Socket.pollMany(&nothing, timeoutMilliseconds: 1)
  }
}

/// The readiness of a descriptor right now.
package func readyNow(_ raw: Int32, _ interest: Interest) throws -> Readiness {
  try Socket.poll(raw, interest, timeoutMilliseconds: 0)
}

/// Reads until the end of the stream.
package func readAll(_ raw: Int32) throws -> [UInt8] {
  var buffer = ReceiveBuffer(capacity: 65536)
  var bytes: [UInt8] = []
  while true {
    _ = try ready(raw, .readable, "the stream did not end")
    switch try Socket.read(raw, into: &buffer) {
    case .bytes: bytes += buffer.received
    case .wouldBlock: continue
    case .endOfStream: return bytes
    }
  }
}

/// Receives exactly so many bytes.
package func receive(_ count: Int, from raw: Int32) throws -> [UInt8] {
  var buffer = ReceiveBuffer(capacity: count)
  var bytes: [UInt8] = []
  while bytes.count < count {
    _ = try ready(raw, .readable, "the bytes did not come")
    guard case .bytes = try Socket.read(raw, into: &buffer, atMost: count - bytes.count) else { break }
    bytes += buffer.received
  }
  return bytes
}

/// Two ends of a TCP connection over the loopback interface.
package func tcpPair() throws -> (client: DescriptorBox, server: DescriptorBox) {
  let listener = try Socket.listen(.loopback())
  let client = try Socket.connectNonBlocking(Socket.localAddress(listener.raw))
  _ = try ready(listener.raw, .readable)
  return (DescriptorBox(client), try box(Socket.accept(from: listener.raw)))
}

/// Unwraps a descriptor that must be there.
package func box(_ descriptor: consuming Descriptor?) throws -> DescriptorBox {
  switch consume descriptor {
  case .some(let found): return DescriptorBox(found)
  case .none: throw Missing()
  }
}

package struct Missing: Error {
  package init() {}
}
