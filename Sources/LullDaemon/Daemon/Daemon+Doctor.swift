import LullEngine
import LullWire

extension Daemon {
  func doctor(_ client: Client) -> Reply? {
    let (alarm, root) = (deadlines.wakesMachine, suspenders.root)
    let own = [
      CheckItem(
        name: "freezer", root == nil ? .limited : .yes, root ?? suspenders.remark ?? "",
        mend: root == nil
          ? "delegate a cgroup v2 directory (Delegate=yes) or set LULL_CGROUP_ROOT" : nil),
      CheckItem(
        name: "alarm-timer", alarm ? .yes : .limited,
        alarm ? "CLOCK_BOOTTIME_ALARM" : "CLOCK_BOOTTIME: a suspended machine is not woken",
        mend: alarm ? nil : "give lulld CAP_WAKE_ALARM"),
    ]
    return answer(Report((own + features.flatMap(\.checks)).map(\.message)), client)
  }
}
