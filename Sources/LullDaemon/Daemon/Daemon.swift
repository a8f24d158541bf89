internal import LullChannel
import LullEngine
package import LullGuard
package import LullSystem
import LullWire

/// The shell around the engine: one thread, one reactor. Readiness becomes events, effects become
/// system calls. It decides nothing that the engine could decide.
package final class Daemon: Part {
  let core: Core
  let deadlines: Deadlines
  let ending: DaemonEnding
  let kept: KeptFeature
  let journaling: JournalFeature
  let installed: InstalledFeature
  let surroundings: SurroundingsFeature
  let network: NetworkFeature
  let desktop: DesktopFeature
  let sound: SoundFeature
  let memory: MemoryFeature
  let pressure: PressureFeature
  let sleeping: SleepFeature
  let lifecycle: LifecycleFeature
  let adoption: AdoptionFeature
  let tallies: TallyFeature
  let guarding: GuardFeature
  /// Every feature, in the order in which each turn calls them. A program sleeps before its sound, its memory
  /// and its share are forgotten; it leaves the table last; the guard is told last.
  let features: [any Feature]

  /// A daemon that serves `listener`; `guardLink` leads to lull-guard, which keeps the descriptors that must
  /// outlive this process.
  package init(options: DaemonOptions, listener: consuming Descriptor, guardLink: consuming Descriptor?)
    throws(SystemError)
  {
    var link: DescriptorBox?
    if let guardLink { link = DescriptorBox(guardLink) }
    core = try Core(SharedServices(options), listener: DescriptorBox(listener), guardLink: link)
    let policy = core.services.policy
    ending = DaemonEnding(policy.supervision)
    deadlines = try Deadlines(core.services)
    kept = KeptFeature(core)
    journaling = JournalFeature(core, kept)
    installed = InstalledFeature(core, kept)
    surroundings = SurroundingsFeature(core)
    network = NetworkFeature(core)
    desktop = DesktopFeature(core, installed, network: network, surroundings: surroundings)
    sound = SoundFeature(core, desktop)
    memory = try MemoryFeature(core)
    pressure = try PressureFeature(core, installed)
    sleeping = SleepFeature(core, kept: kept, memory: memory, pressure: pressure, sound: sound)
    lifecycle = LifecycleFeature(
      core, kept: kept, journaling: journaling, installed: installed, desktop: desktop,
      surroundings: surroundings, pressure: pressure, network: network, ending: ending)
    adoption = AdoptionFeature(core, lifecycle)
    tallies = TallyFeature(core)
    guarding = GuardFeature(core, kept: kept, sound: sound, lifecycle: lifecycle)
    features = [
      installed, kept, sleeping, memory, pressure, sound, desktop, network, surroundings, journaling,
      lifecycle, adoption, tallies, guarding,
    ]
    for signal in Signal.needless { try Signal.ignore(signal) }
    core.route(
      Core.Routes(
        perform: { [unowned self] in perform($0) }, hear: { [unowned self] in hear($0) },
        records: { [unowned self] in records(of: $0, atMost: $1) }))
  }
}
