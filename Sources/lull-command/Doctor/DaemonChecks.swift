import LullChannel
import LullProgram
import LullSystem
import LullWire

enum DaemonChecks {
  static func run() -> [CheckItem] {
    let directory = CheckItem("runtime-directory", runtimeDirectory)
    guard directory.result != .no else { return [directory] }
    return [directory] + daemon()
  }

  static func cgroupRoot(in checks: [CheckItem]) -> String? {
    guard let freezer = checks.first(where: { $0.name == "daemon freezer" && $0.result == .yes }),
      freezer.detail.hasPrefix("/")
    else { return nil }
    return freezer.detail
  }

  private static func runtimeDirectory() throws(Shortage) -> String {
    let path: String
    do { path = try RuntimeDirectory.ensure() } catch {
      throw .no("\(error)", mend: "set LULL_RUNTIME_DIR to a directory of your own with mode 0700")
    }
    do { try FileChecks.write(in: path) } catch {
      throw .limited(
        "\(path) cannot be written (\(error.message)): no daemon can start",
        mend: "make room, or set LULL_RUNTIME_DIR to a directory of your own with room")
    }
    return path
  }

  private static func daemon() -> [CheckItem] {
    do throws(Failure) {
      var connection = try Daemon.connect()
      let hello = try connection.ask(.hello()).ok
      // The daemon may be allowed more or less than this process.
      let checks = try connection.ask(.doctor).records(DaemonCheckItem.self)
      return [CheckItem("daemon") { () throws(Shortage) in try state(hello) }] + checks.map { CheckItem($0) }
    } catch .noDaemon {
      return [CheckItem("daemon", start)]
    } catch {
      let detail = error.message ?? "does not answer"
      return [CheckItem(name: "daemon", .no, detail, mend: "end lulld and start it again")]
    }
  }

  private static func state(_ hello: Message) throws(Shortage) -> String {
    let detail = "lulld \(hello[.version] ?? "of unknown version"), pid \(hello[.pid] ?? "unknown")"
    guard OtherVersion(hello) == nil else {
      throw .limited("\(detail); lull is \(Version.current)", mend: OtherVersion.remedy)
    }
    return detail
  }

  /// A daemon is started, where none runs, by lull-guard, which starts the lulld that is beside it.
  private static func start() throws(Shortage) -> String {
    let mend = "install lulld and lull-guard beside lull, or name lull-guard in LULL_GUARD"
    let program = DaemonLauncher.program()
    let version: String
    do throws(Failure) {
      version = try OtherProgram.version(of: program)
      if program == (try? Process.sibling(DaemonLauncher.guardName)) {
        if let daemon = try? Process.sibling("lulld") { _ = try OtherProgram.version(of: daemon) }
      }
    } catch {
      throw .no("none runs, and none can be started: \(error.message ?? "")", mend: mend)
    }
    guard version == Version.text else {
      throw .limited(
        "none runs, and lull-guard is of another version, not \(Version.text): \(version)", mend: mend)
    }
    return "not running; \"lull run\" starts it"
  }
}

enum LeftoverCheck {
  static func run() -> [CheckItem] {
    let roots = LeftoverSearch.roots()
    let held = Leftovers().held()
    guard !roots.isEmpty || !held.isEmpty else { return [] }
    // A root that the record names is listed already.
    let places = roots.filter { root in Leftovers().record()?.roots.contains(root) != true }
    let names = (held + places).joined(separator: ", ")
    let detail = "asleep, and the daemon that would wake them is gone: \(names)"
    return [CheckItem(name: "leftovers", .limited, detail, mend: "lull doctor --thaw")]
  }

  static func thaw() throws(Failure) {
    var released = Leftovers().releaseIfOrphaned() ?? Leftovers.Released()
    for root in LeftoverSearch.roots() { Leftovers.release(unwatched: root, &released) }
    // A daemon or guard that lives but is stopped is continued instead.
    released.continued += Leftovers().continueWatchers()
    let lines = released.thawed.map { "thawed \($0)" } + released.continued.map { "continued process \($0)" }
    try Output.say((lines.isEmpty ? ["nothing was left asleep"] : lines).map { "\($0)\n" }.joined())
    guard released.failures.isEmpty else {
      throw .failed("still held: \(released.failures.joined(separator: ", "))")
    }
  }
}

/// The search for frozen programs of daemons that are gone, in the cgroups that a daemon of this user could
/// use. No record names them, or a daemon with another runtime directory wrote it.
enum LeftoverSearch {
  private static let maximumCgroups = 16_384
  private static let maximumDepth = 8

  /// The daemons' directories that hold a frozen program and that no living daemon uses.
  static func roots() -> [String] {
    var left = maximumCgroups
    var found: [String] = []
    for place in places() { search(place, depth: 0, left: &left, found: &found) }
    let frozen = found.filter(isFrozen)
    guard !frozen.isEmpty else { return [] }
    let used = usedRoots()
    return frozen.filter { !used.contains($0) }
  }

  private static func places() -> [String] {
    var places = Identity.setting("LULL_CGROUP_ROOT").map { [$0] } ?? []
    guard let mount = try? CgroupMount.find() else { return places }
    if let own = try? CgroupMount.ownPath() { places.append(own == "/" ? mount : mount + own) }
    places.append("\(mount)/user.slice/user-\(Identity.uid()).slice")
    if Identity.uid() == 0 { places.append("\(mount)/system.slice") }
    return places
  }

  private static func search(_ path: String, depth: Int, left: inout Int, found: inout [String]) {
    guard depth <= maximumDepth else { return }
    for name in (try? Cgroup.children(of: path)) ?? [] {
      guard left > 0 else { return }
      left -= 1
      let child = "\(path)/\(name)"
      guard LeftoverRecord.isRoot(child) else {
        search(child, depth: depth + 1, left: &left, found: &found)
        continue
      }
      if !found.contains(child) { found.append(child) }
    }
  }

  private static func isFrozen(_ root: String) -> Bool {
    ((try? Cgroup.children(of: root)) ?? []).contains { name in
      (try? Cgroup.open(at: "\(root)/\(name)").state().frozen) == true
    }
  }

  private static func usedRoots() -> [String] {
    ((try? Process.all()) ?? []).compactMap { process in
      guard let bytes = try? Files.read("/proc/\(process.pid)/cmdline", limit: 1 << 20) else { return nil }
      let words = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
      guard let index = words.firstIndex(of: "--cgroup-root"), index + 1 < words.count else { return nil }
      return words[index + 1]
    }
  }
}
