import LullSystem

extension Startup {
  /// The time that lulld may take to say that it starts, in milliseconds.
  private static let patience: Int32 = 2000

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
      let process = try HelperProcess.launch(SpawnRequest([daemon, "--takes-over", "\(form)"]))
      guard try !Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: patience).isEmpty,
        let status = try Process.waitStatus(process.pidfd.raw)
      else {
        try process.send(Signal.kill)
        StandardError.say("lulld says nothing for \(patience / 1000) s")
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
