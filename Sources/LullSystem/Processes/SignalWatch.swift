internal import CLinux
internal import Glibc

/// Tells that somebody has sent a signal to any process, so that a sleeper which cannot take it yet is woken.
/// Nothing else tells that of a process that is no child: a frozen one neither runs nor reports it.
///
/// Signals that say nothing from outside are left out: to a thread of the sender's own process, of timers, of
/// children, for readiness, and SIGKILL, which needs no thaw.
package final class SignalWatch {
  /// The fields are those of `events/signal/signal_generate/format` of tracefs; SI_TKILL is -6, SI_TIMER -2.
  private static let filter = """
    result == 0 && code != -6 && code != -2 && sig != \(SIGKILL) && sig != \(SIGCHLD) && sig != \(SIGALRM) \
    && sig != \(SIGVTALRM) && sig != \(SIGPROF) && sig != \(SIGURG) && sig != \(SIGIO)
    """

  @safe private final class Event {
    let descriptor: DescriptorBox
    private let memory: UnsafeMutableRawPointer?
    private let count: Int

    init(_ id: UInt64, processor: Int32) throws(SystemError) {
      let raw = try systemCall("perf_event_open") {
        unsafe clinux_watch_tracepoint(id, processor, SignalWatch.filter)
      }
      descriptor = DescriptorBox(Descriptor(owning: raw))
      var (place, size): (UnsafeMutableRawPointer?, Int) = (nil, 0)
      try systemCall("mmap") { unsafe clinux_map_events(raw, &place, &size) }
      unsafe (memory, count) = (place, size)
    }

    deinit { unsafe munmap(memory, count) }
  }

  private let events: [Event]

  /// EACCES or EPERM: only root may (CAP_PERFMON, CAP_SYS_ADMIN). ENODEV, ENOENT or ENOSYS: the kernel has no
  /// tracepoints. The corresponding C functions are `fsopen` of tracefs and `perf_event_open`.
  package init() throws(SystemError) {
    let root = Descriptor(owning: try systemCall("fsopen tracefs") { clinux_open_tracefs() })
    let text = try Files.read("events/signal/signal_generate/id", in: root.raw, limit: 64)
    let digits = text.prefix { $0 != UInt8(ascii: "\n") }
    guard let id = UInt64(String(decoding: digits, as: UTF8.self)) else {
      throw SystemError(code: EINVAL, call: "signal_generate/id")
    }
    var events: [Event] = []
    for processor in 0..<Int32(sysconf(Int32(_SC_NPROCESSORS_CONF))) {
      do { events.append(try Event(id, processor: processor)) } catch {
        // A processor that is switched off.
        guard error.code == ENODEV else { throw error }
      }
    }
    self.events = events
  }

  /// Each is readable once after signals were sent.
  package var descriptors: [Int32] { events.map { $0.descriptor.raw } }
}
