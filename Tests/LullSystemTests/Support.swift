import Glibc
import LullSystem
import Testing

/// The bound of every wait: long enough for a loaded machine, and never reached when the kernel does its
/// part.
let patience: Int32 = 10_000

/// Waits for an event on a descriptor; records an issue when none comes.
func ready(_ raw: Int32, _ interest: Interest, _ comment: Comment = "no event came") throws -> Readiness {
  let found = try Socket.poll(raw, interest, timeoutMilliseconds: patience)
  try #require(!found.isEmpty, comment)
  return found
}

/// Asks again until the answer is yes: for what the kernel has no event for. Other tests start programs at
/// the same time, and a child holds copies of all descriptors until it runs its program, so a close can take
/// effect later.
func eventually(_ comment: Comment, _ condition: () throws -> Bool) throws {
  let end = Clock.boottime() + Int64(patience) * 1_000_000
  while try !condition() {
    try #require(Clock.boottime() < end, comment)
    sched_yield()
  }
}

/// What a descriptor is ready for right now.
func readyNow(_ raw: Int32, _ interest: Interest) throws -> Readiness {
  try Socket.poll(raw, interest, timeoutMilliseconds: 0)
}

/// Reads until the end of the stream.
func readAll(_ raw: Int32) throws -> [UInt8] {
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
func receive(_ count: Int, from raw: Int32) throws -> [UInt8] {
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
func tcpPair() throws -> (client: DescriptorBox, server: DescriptorBox) {
  let listener = try Socket.listen(.loopback())
  let client = try Socket.connectNonBlocking(Socket.localAddress(listener.raw))
  _ = try ready(listener.raw, .readable)
  return (DescriptorBox(client), try box(Socket.accept(from: listener.raw)))
}

/// Unwraps a descriptor that must be there.
func box(_ descriptor: consuming Descriptor?) throws -> DescriptorBox {
  switch consume descriptor {
  case .some(let found): return DescriptorBox(found)
  case .none: throw Missing()
  }
}

struct Missing: Error {}

/// A directory that is removed with everything in it.
final class TemporaryDirectory {
  let path: String

  init() throws {
    var template = Array("/tmp/system-tests-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard let remover = try? Process.spawn(SpawnRequest(["rm", "-rf", path])) else { return }
    _ = try? Socket.poll(remover.pidfd.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(remover.pidfd.raw)
  }

  /// Writes a file and returns its path.
  func file(_ name: String, _ text: String = "", mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let raw = unsafe open(file, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
    let descriptor = Descriptor(owning: raw)
    try StandardStreams.write(Array(text.utf8), to: descriptor.raw)
    return file
  }
}
