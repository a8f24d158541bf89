import LullEngine
import LullSystem

extension Startup {
  /// Says whether this program can take over from a daemon of that form, before anything is changed: its
  /// version, or why not. lull-guard asks the lulld beside it, too. Returns the exit status.
  static func takesOver(_ name: String, from form: Int64) -> Int32 {
    guard form == DaemonOptions.handoverForm else {
      StandardError.say(
        "\(name) \(DaemonOptions.version) cannot take over from the daemon that runs: "
          + "`lull daemon stop` ends it"
      )
      return 1
    }
    guard name == DaemonOptions.guardName else { return print("lull \(DaemonOptions.version)", of: name) }
    return attempt(name) { () throws(SystemError) in
      let daemon = try HelperProcess.path(of: "lulld")
      let patience = SupervisionPolicy().takeOverAnswer
      let milliseconds = Int32(clamping: patience.nanoseconds / 1_000_000)
      let process = try HelperProcess.launch(SpawnRequest([daemon, "--takes-over", "\(form)"]))
      guard try !Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: milliseconds).isEmpty,
        let status = try Process.waitStatus(process.pidfd.raw)
      else {
        try process.send(Signal.kill)
        StandardError.say("lulld says nothing for \(Int(patience.seconds)) s")
        return 1
      }
      guard case .exited(let code) = status else {
        StandardError.say("lulld ended at once")
        return 1
      }
      return code
    }
  }
}
