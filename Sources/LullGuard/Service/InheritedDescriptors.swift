import LullSystem

/// The descriptors that the service manager hands to the process that it starts: sd_listen_fds(3).
struct InheritedDescriptors {
  private static let first: Int32 = 3

  let named: [(name: String, descriptor: DescriptorBox)]

  init(_ named: [(name: String, descriptor: DescriptorBox)]) { self.named = named }

  /// Takes the descriptors over, once; empty where the variables count for another process.
  init(pid: Int32 = Identity.pid(), environment: (String) -> String? = Identity.environment) {
    guard environment("LISTEN_PID") == "\(pid)", let count = environment("LISTEN_FDS").flatMap(Int32.init),
      count > 0, count < 1 << 20
    else {
      self.init([])
      return
    }
    let names = (environment("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false)
    self.init(Array(Self.first..<(Self.first + count)), names: names.map(String.init))
  }

  private init(_ numbers: [Int32], names: [String]) {
    var named: [(name: String, descriptor: DescriptorBox)] = []
    for (place, number) in numbers.enumerated() where StandardStreams.isOpen(number) {
      let given = Descriptor(owning: number)
      // The copy is closed on exec; the descriptor that was handed over is not.
      guard let copy = StandardErrorLog.guardian.ignoring([], DescriptorBox(try given.duplicate())) else {
        continue
      }
      named.append((place < names.count ? names[place] : "", copy))
    }
    self.named = named
  }

  subscript(name: String) -> DescriptorBox? { named.first { $0.name == name }?.descriptor }
}
