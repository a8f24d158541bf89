import LullProgram
import LullSystem
import LullWire

/// The first process of what is to be adopted, as its supervisor names it.
struct AdoptedProcess {
  /// Those that are looked for, in this order, where none is named.
  private static let runtimes = ["podman", "docker", "nerdctl", "runc", "crun"]

  let kind: Vocabulary.Adopted
  let pid: Int32
  let pidfd: DescriptorBox
  /// The name that its supervisor has for it.
  let origin: String?
  /// The name that it gets where none is given.
  let name: String
  /// The time of `WatchdogSec=`, within which systemd must hear from a service.
  let watchdog: Interval?

  init(
    _ kind: Vocabulary.Adopted, _ pid: Int32, origin: String?, name: String, watchdog: Interval? = nil
  ) throws(Failure) {
    (self.kind, self.pid, self.origin, self.name, self.watchdog) = (kind, pid, origin, name, watchdog)
    guard pid > 0 else { throw .usage("--pid \(pid): must be the number of a process") }
    do { pidfd = DescriptorBox(try Process.pidfdOpen(pid)) } catch {
      throw .failed(error.isNoSuchProcess ? "no process \(pid)" : "process \(pid): \(error.message)")
    }
  }

  init(pid: Int32) throws(Failure) { try self.init(.process, pid, origin: nil, name: "") }

  // MARK: Services

  init(unit: String, ofUser: Bool) throws(Failure) {
    let words = ofUser ? ["systemctl", "--user"] : ["systemctl"]
    let properties = "--property=Id,LoadState,ActiveState,MainPID,ControlGroup,WatchdogUSec"
    let short = Self.short(unit)
    let unit = short == unit ? unit + ".service" : unit
    let text = try OtherProgram.text(of: words + ["show", properties, "--", unit])
    let lines = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    func value(_ key: String) -> String { lines.first { $0.first == key && $0.count == 2 }?[1] ?? "" }
    guard value("LoadState") != "not-found" else { throw .failed("systemd has no unit \(unit)") }
    let group = value("ControlGroup")
    guard value("ActiveState") == "active", !group.isEmpty else {
      let state = value("ActiveState")
      let command = (words + ["start", unit]).joined(separator: " ")
      throw .failed("\(unit) does not run\(state.isEmpty ? "" : " (\(state))"); \"\(command)\" starts it")
    }
    let main = Int32(value("MainPID")) ?? 0
    let process = main > 0 ? main : try Self.first(inCgroup: group)
    try self.init(
      .unit, process, origin: value("Id").isEmpty ? unit : value("Id"),
      name: short, watchdog: Self.span(value("WatchdogUSec")))
  }

  /// A unit's name without its type. A name has dots of its own, as in `dbus-org.bluez.service`.
  static func short(_ unit: String) -> String {
    let type = [".service", ".scope", ".slice", ".socket", ".mount", ".swap"].first(where: unit.hasSuffix)
    return String(unit.dropLast(type?.count ?? 0))
  }

  /// `WatchdogUSec=` as `systemctl show` writes it; nil where there is none.
  static func span(_ text: String) -> Interval? {
    guard let span = TimeSpan(text[...]), span.seconds > 0 else { return nil }
    return Interval(nanoseconds: Int64(span.seconds * 1e9))
  }

  // MARK: Containers

  /// Without a runtime each that is installed is asked, until one runs it.
  init(container: String, runtime: String?) throws(Failure) {
    guard !container.hasPrefix("-") else { throw .usage("--container \(container): no name of a container") }
    let runtimes = if let runtime { [runtime] } else { try OtherProgram.installed(of: Self.runtimes) }
    var (reasons, known): ([String], Failure?) = ([], nil)
    for runtime in runtimes {
      do throws(Failure) {
        let (pid, status, name) = try Self.process(of: container, in: runtime)
        guard pid > 0, status == "running" else {
          known = known ?? .failed("the container \(container) does not run (\(status))")
          continue
        }
        self = try Self(.container, pid, origin: name, name: name)
        return
      } catch {
        reasons.append(error.message ?? "\(runtime) failed")
      }
    }
    throw known ?? .failed(reasons.joined(separator: "; "))
  }

  private static func process(
    of container: String, in runtime: String
  ) throws(Failure) -> (pid: Int32, status: String, name: String) {
    let isLow = ["runc", "crun"].contains { runtime == $0 || runtime.hasSuffix("/\($0)") }
    let format = "{{.State.Pid}} {{.State.Status}} {{.Name}}"
    let text = try OtherProgram.text(
      of: isLow
        ? [runtime, "state", container]
        : [runtime, "container", "inspect", "--format", format, container])
    let fields = isLow ? state(text) : text.split { $0 == " " || $0 == "\n" }.map(String.init)
    guard fields.count >= 2, let pid = Int32(fields[0]) else {
      throw .failed(
        "\(runtime) tells no process of \(container): \(OtherProgram.lastLine(text) ?? "no answer")")
    }
    return (pid, fields[1], fields.count > 2 ? String(fields[2].drop { $0 == "/" }) : container)
  }

  /// The process and the status of an OCI runtime's answer to `state`, which is JSON.
  static func state(_ text: String) -> [String] {
    let json = JSON(reading: text)
    return [json?["pid"].whole.map { String($0) }, json?["status"].words].compactMap(\.self)
  }

  // MARK: Cgroups

  /// The path below the mount point.
  static func path(ofCgroup given: String) throws(Failure) -> String {
    guard given.hasPrefix("/") else { throw .usage("--cgroup \(given): must be an absolute path") }
    let mount = try explained("no cgroup v2 here", CgroupMount.find())
    return given.hasPrefix(mount + "/") ? String(given.dropFirst(mount.utf8.count)) : given
  }

  init(cgroup path: String) throws(Failure) {
    let path = try Self.path(ofCgroup: path)
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    try self.init(.cgroup, Self.first(inCgroup: path), origin: path, name: Self.short(name))
  }

  /// The process that the others come from, as far as they come from each other.
  private static func first(inCgroup path: String) throws(Failure) -> Int32 {
    let mount = try explained("no cgroup v2 here", CgroupMount.find())
    let pids: [Int32]
    do { pids = try Cgroup.open(at: mount + path).processes() } catch {
      throw .failed(
        error.isNoSuchFile ? "there is no cgroup \(path) with a freezer" : "\(path): \(error.message)")
    }
    let first = pids.first { pid in
      guard let parent = try? Process.parentPid(of: pid) else { return false }
      return !pids.contains(parent)
    }
    guard let pid = first ?? pids.first, pid > 0 else { throw .failed("no process is in the cgroup \(path)") }
    return pid
  }
}
