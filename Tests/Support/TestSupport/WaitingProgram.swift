package import LullSystem
import Testing

/// A program in a cgroup of its own that stands in the call that the test names (see Tests/Support/sleeper).
package final class WaitingProgram {
  package let group: TestCgroup
  package let program: Child
  /// The test's end of the program's input and output.
  package let channel: DescriptorBox

  /// Starts the program; returns when the call is made and all its threads sleep, unless they never do.
  package init(
    _ call: String, _ milliseconds: Int = -1, word: Int32? = nil, bytes: Int = 1, sleeps: Bool = true
  )
    throws
  {
    let (here, there) = try UnixSocket.pair()
    var request = SpawnRequest([try Built.helper("sleeper"), call, "\(milliseconds)"])
    group = try TestCgroup()
    request.cgroup = group.cgroup.directory
    request.standardInput = there.raw
    request.standardOutput = there.raw
    if let word { request.passed = [.init(word, as: 3)] }
    program = try Child(request)
    channel = here
    there.close()
    if bytes > 0 { _ = try receive(bytes, from: here.raw) }
    if sleeps { try awaitSleep() }
  }

  package var pid: Int32 { program.pid }

  /// Reads the kernel's state of every thread of the cgroup again until all of them sleep or have ended.
  package func awaitSleep() throws {
    try eventually("not every thread fell asleep") {
      try group.cgroup.processes().allSatisfy { pid in
        try Files.subdirectories(of: "/proc/\(pid)/task").allSatisfy { thread in
          let text = try Files.read("/proc/\(pid)/task/\(thread)/stat", limit: 4096)
          let stat = String(decoding: text, as: UTF8.self)
          return stat.contains(") S ") || stat.contains(") Z ")
        }
      }
    }
  }
}
