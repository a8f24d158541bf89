import LullSystem
import LullWire

/// The live connections that lulld has kept for a program, as its start passes them on (sd_listen_fds(3)):
/// descriptors from 3 on, and what is known of them in a memfd behind the last one.
struct GivenLines {
  /// The first descriptor of the convention.
  private static let first: Int32 = 3

  private let names: [String]
  private let descriptors: [DescriptorBox]
  private let description: DescriptorBox

  /// Nil when nothing is kept.
  init?(of name: String, on connection: inout Connection) throws(Failure) {
    guard let file = try connection.ask(.kept(name: name, line: nil)).descriptor else { return nil }
    let text: [UInt8]
    do throws(SystemError) {
      text = try Files.readMemoryFile(file.raw, limit: Limits.maximumKeptLines * Limits.maximumGuardLine)
    } catch {
      throw .failed("the kept lines of \(name) cannot be read (\(error))")
    }
    let lines = KeptLine.lines(text)
    var names: [String] = []
    var descriptors: [DescriptorBox] = []
    for (line, lineName) in zip(lines, KeptLine.names(lines)) {
      guard let descriptor = try connection.ask(.kept(name: name, line: line.id)).descriptor else { continue }
      names.append(lineName)
      descriptors.append(descriptor)
    }
    (self.names, self.descriptors, description) = (names, descriptors, file)
  }

  var environment: [[UInt8]] {
    [
      "LISTEN_FDS=\(names.count)", "LISTEN_FDNAMES=\(names.joined(separator: ":"))", SpawnRequest.pidEntry,
      "\(KeptLine.variable)=\(Self.first + Int32(names.count))",
    ].map { Array($0.utf8) }
  }

  var passed: [SpawnRequest.Passed] {
    (descriptors + [description]).enumerated().map { .init($1.raw, as: Self.first + Int32($0)) }
  }
}
