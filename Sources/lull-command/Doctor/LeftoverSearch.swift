import LullChannel
import LullSystem

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
