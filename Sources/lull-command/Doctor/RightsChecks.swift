import LullSystem
import LullWire

enum RightsChecks {
  static func run() -> [CheckItem] { [alarm(), ptrace()] }

  private static func alarm() -> CheckItem {
    do {
      _ = try Timer(.boottimeAlarm)
      return CheckItem(name: "alarm-timer", .yes, "a keep-alive wakes a machine that is suspended")
    } catch {
      return CheckItem(
        name: "alarm-timer", .limited, "a keep-alive is late where the whole machine is suspended (\(error))",
        mend: "setcap cap_wake_alarm+ep lulld, or AmbientCapabilities=CAP_WAKE_ALARM in its service"
      )
    }
  }

  /// The check that a program's descriptors can be taken at the freeze.
  private static func ptrace() -> CheckItem {
    let scope = yamaScope()
    do {
      let child = try TrialChild.start()
      let result = Result { () throws(SystemError) in _ = try Process.getDescriptor(child.pidfd, number: 0) }
      child.end()
      try result.get()
    } catch {
      return CheckItem(
        name: "ptrace", .limited,
        "no descriptor can be taken (\(error), Yama scope \(scope)): only the library's programs are watched",
        mend: "sysctl kernel.yama.ptrace_scope=1 (as root), or give lulld CAP_SYS_PTRACE")
    }
    let limited = scope > 0 && !Identity.hasCapability(.systemPtrace)
    let rest = limited ? "; programs that lull did not start hand theirs over themselves" : ""
    return CheckItem(
      name: "ptrace", .yes, "descriptors of a child can be taken (Yama scope \(scope))\(rest)")
  }

  /// 0 where the kernel has no Yama.
  private static func yamaScope() -> Int {
    guard let bytes = try? Files.read("/proc/sys/kernel/yama/ptrace_scope", limit: 16) else { return 0 }
    return bytes.first.map { Int($0) - Int(UInt8(ascii: "0")) } ?? 0
  }
}
