import LullSystem
import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct ServiceTests {
  @Test func `a service of the machine's list has its port`() throws {
    let text = (try? Files.read("/etc/services", limit: 1 << 20)) ?? []
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map {
      $0.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
    }
    for (name, transport) in [("sip", "tcp"), ("ssh", "tcp"), ("tftp", "udp")] {
      let line = lines.first { $0.count > 1 && $0[0] == name && $0[1].hasSuffix("/\(transport)") }
      #expect(Services.port(named: name) == line.flatMap { UInt16($0[1].prefix { $0 != "/" }) })
    }
  }

  @Test(arguments: ["no-such-service", "", "5060"]) func `a name that is none has no port`(name: String) {
    #expect(Services.port(named: name) == nil)
  }
}

@Suite(.bounded) struct CgroupControllerTests {
  @Test func `processes are limited where the controller is there, and only there`() throws {
    let group = try TestCgroup()
    let file = "\(group.cgroup.path)/pids.max"
    #expect(group.cgroup.limitProcesses(to: 100) == Files.exists(file))
    guard Files.exists(file) else { return }
    #expect(try Files.read(file, limit: 64) == Array("100\n".utf8))
  }

  @Test func `a controller is enabled where the hierarchy has it, and an error elsewhere`() throws {
    let group = try TestCgroup()
    let has = try String(
      decoding: Files.read("\(group.cgroup.path)/cgroup.controllers", limit: 4096), as: UTF8.self)
    for name in ["pids", "no-such-controller"] {
      if has.split(whereSeparator: { $0 == " " || $0 == "\n" }).contains(Substring(name)) {
        try group.cgroup.enable(controller: name)
        #expect(try TestCgroup(below: group).cgroup.limitProcesses(to: 100))
      } else {
        #expect(throws: SystemError.self) { try group.cgroup.enable(controller: name) }
      }
    }
  }
}
