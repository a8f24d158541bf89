import LullSystem
import LullWire

extension CommandBlock {
  /// Hands the command to the daemon, with this process's directory and standard streams; the input of a
  /// detached command is empty.
  func hand(to connection: inout Connection, isDetached: Bool) throws(Failure) {
    let directory = try opened { () throws(SystemError) in try Files.openDirectory(".") }
    let memory = try opened { () throws(SystemError) in
      try Files.memoryFile(name: "lull-command", bytes)
    }
    let nothing = try opened { () throws(SystemError) in try Files.memoryFile(name: "lull-nothing", []) }
    for stream in [StandardStreams.input, StandardStreams.output, StandardStreams.error] {
      let isEmpty = isDetached && stream == StandardStreams.input || !isOpen(stream)
      let passed = try isEmpty ? nothing : opened { () throws(SystemError) in try .duplicating(stream) }
      _ = try connection.ask(.stdio(number: stream), descriptor: passed)
    }
    _ = try connection.ask(.directory, descriptor: directory)
    _ = try connection.ask(.command(arguments: arguments), descriptor: memory)
  }

  private func opened(_ open: () throws(SystemError) -> Descriptor) throws(Failure) -> DescriptorBox {
    do {
      return DescriptorBox(try open())
    } catch {
      throw .failed("cannot hand over the command: \(error)")
    }
  }

  /// A standard stream may be closed (`<&-`); the program must not get the daemon's in its place.
  private func isOpen(_ stream: Int32) -> Bool { (try? FileIdentity.of(stream)) != nil }
}
