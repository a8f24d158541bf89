import LullSystem
import LullWire
import TestSupport
import Testing

/// Daemons that die again and again of what they take back.
@Suite(.tags(.faults), .bounded) struct RestoreBoundTests {
  /// Three daemons die by a fault while they take the first command back.
  @Test func `a command that ends lulld three times is left running, and the others are managed on`() throws {
    let sandbox = try Sandbox()
    let folder = "\(sandbox.directory)/bin"
    try Deadly.install(in: folder)
    let lull = try Lull(sandbox: sandbox, binaries: folder)
    for name in ["bad", "good"] { try lull.detach(name) }
    let pid = try lull.field(.pids, of: "bad")
    try Deadly.kill(3, in: folder)
    try lull.kill()
    let status = try lull.order("status")
    #expect(status.all(.program).map { $0[.name] } == ["good"])
    #expect(status.all(.note).map { $0[.what] } == ["left-running"])
    #expect(try lull.run("status").output.contains("Note: bad (pid \(pid)) is left running"))
    let process = try Process.pidfdOpen(#require(Int32(pid)))
    try Process.sendSignal(process.raw, Signal.kill)
    try Deadline().wait(process.raw, .readable, for: "the end of the command")
    #expect(try lull.order("status").all(.note).isEmpty)
  }
}

/// A lulld that dies of the command "bad" as often as it is told to, and then becomes the real lulld.
private enum Deadly {
  static func install(in folder: String) throws {
    let script = """
      #!/bin/sh
      case "$*" in
      *--guarded*) ;;
      *) exec "\(folder)/lull-guard" "$@" ;;
      esac
      for death in "\(folder)"/death-*; do
        case "$*" in *--crashed*) begins="began killed" ;; *) begins=began ;; esac
        [ -e "$death" ] && rm "$death" &&
          printf '%s\\nprogress name=bad state=taking\\n' "$begins" >>"$LULL_RUNTIME_DIR/ledger" &&
          kill -SEGV $$
      done
      exec "\(try Built.program("lulld"))" "$@"
      """
    let maker = try ConnectedChild(["mkdir", folder])
    try #require(try maker.end() == .exited(0))
    try Kernel.write(script, to: "\(folder)/source")
    try Kernel.copy("\(folder)/source", to: "\(folder)/lulld", mode: 0o700)
    try Kernel.copy(Built.program("lull-guard"), to: "\(folder)/lull-guard", mode: 0o700)
  }

  static func kill(_ times: Int, in folder: String) throws {
    for number in 1...times { try Kernel.write("", to: "\(folder)/death-\(number)") }
  }
}
