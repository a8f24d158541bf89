import LullSystem
import LullWire
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// What a command under `lull run` has from the caller, and what `lull run` keeps of it.
@Suite(.bounded) struct InheritanceTests {
  /// The output of a script whose `"$@"` is `lull run --`.
  private func output(_ script: String) throws -> String {
    let lull = try Lull()
    let child = try ConnectedChild(
      ["sh", "-c", script, "sh", Built.program("lull"), "run", "--"], environment: lull.environment)
    let output = try child.output.untilEnd()
    #expect(try child.errors.untilEnd() == "")
    return output
  }

  @Test func `umask and limits are the caller's`() throws {
    let script = "umask 027; ulimit -S -n 99; ulimit -c 0; \"$@\" sh -c 'umask; ulimit -n; ulimit -c'"
    #expect(try output(script) == "0027\n99\n0\n")
  }

  @Test func `descriptors that the caller passes arrive, and no other`() throws {
    #expect(try output("echo three | \"$@\" cat /proc/self/fd/5 5<&0 </dev/null") == "three\n")
    let list = "sh -c 'ls -C /proc/self/fd' 7</dev/null"
    #expect(try output("\"$@\" \(list)") == output(list))
  }

  @Test func `a closed standard stream stays closed`() throws {
    #expect(try output("\"$@\" sh -c 'test -e /proc/self/fd/0 || echo closed' <&-") == "closed\n")
  }

  @Test func `signals that were ignored stay ignored, and others are not`() throws {
    let script = "trap '' HUP USR1; \"$@\" sh -c 'kill -HUP $$; kill -USR1 $$; echo alive; kill -USR2 $$'"
    #expect(try output("{ \(script); } 2>/dev/null; echo $?") == "alive\n140\n")
  }

  @Test func `lull holds neither input nor output, nor what was passed`() throws {
    let lull = try Lull()
    let (here, there) = try UnixSocket.pair()
    let script = "exec 3>&1; exec \"$@\" sh -c 'exec sleep 1000 </dev/null >/dev/null 2>&1 3>&-'"
    let run = try ConnectedChild(
      ["sh", "-c", script, "sh", Built.program("lull"), "run", "--name", "p", "--"],
      environment: lull.environment, input: there.raw)
    there.close()
    try Deadline().wait(here.raw, .readable, for: "the end of the input")
    #expect(try run.output.untilEnd() == "")
    try lull.order("signal name=p number=9")
    #expect(try run.end() == .signaled(Signal.kill))
  }

  @Test func `the end of a killed lull run hangs the command up`() throws {
    let lull = try Lull()
    let script = """
      import signal
      # SIGTERM comes right behind SIGHUP.
      signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGHUP, signal.SIGTERM])
      print("up", flush=True)
      signal.sigwait([signal.SIGHUP])
      print("hup", flush=True)
      """
    let run = try lull.start(["run", "--name", "p", "--"] + Python.command(script))
    #expect(try run.output.line() == "up")
    try run.signal(Signal.kill)
    #expect(try run.output.line() == "hup")
  }

  @Test func `it ends instead of sleeping, when it is to`() throws {
    let lull = try Lull()
    let run = try lull.start(["run", "--exits-on-suspend", "--name", "p", "--", "sleep", "1000"])
    try eventually("it does not run") { try !lull.order("status").all(.program).isEmpty }
    let suspend = try lull.run("suspend", "p")
    #expect(suspend.output == "p ended\n" && suspend.status == .exited(0))
    #expect(try run.end() == .signaled(Signal.terminate))
  }
}
