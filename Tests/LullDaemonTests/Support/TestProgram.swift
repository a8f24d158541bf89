import LullEngine
import LullSystem

@testable import LullDaemon

/// A table of processes without cgroups and without a record of what may be stopped.
func noProcesses() -> ProcessTable {
  ProcessTable(directory: "/nonexistent", Journal())
}

/// A seed of a program that is the test's own process; nobody suspends it.
func testSeed(_ name: String, _ kind: Program.Kind = .library) throws -> ProgramSeed {
  let pidfd = DescriptorBox(try Process.pidfdOpen(Identity.pid()))
  let tree = ProcessTree(leader: Identity.pid(), pidfd: pidfd, orphans: .outside, table: noProcesses())
  return ProgramSeed(
    name: name, kind: kind, suspender: .signal(tree, nil), pid: Identity.pid(), pidfd: pidfd)
}

func testProgram(
  _ name: String, _ kind: Program.Kind = .library, id: AppID = AppID(slot: 0, generation: 0),
  cgroupPath: String? = nil
) throws -> Program {
  Program(try testSeed(name, kind), id: id, cgroupPath: cgroupPath, mayTakeDescriptors: true)
}
