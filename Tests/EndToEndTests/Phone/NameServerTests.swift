import LullSystem
import TestSupport
import Testing

/// A phone whose server has a name, and a name server of the test.
@Suite(.bounded) struct NameServerTests {
  @Test(.tags(.badInput)) func `a silent name server ends no phone, which tries again`() throws {
    // At this rate the 5 s of a launch are over before the resolver gives up after its second.
    let stage = try Stage(clockRate: 10)
    let silent = try stage.network.inside {
      DescriptorBox(try Socket.bindDatagram(.loopback(port: 53)))
    }
    let settings = "\(stage.lull.sandbox.directory)/resolv.conf"
    try Files.replace(settings, with: Array("nameserver 127.0.0.1\noptions timeout:1 attempts:1\n".utf8))
    let mount = "mount --bind \(settings) /etc/resolv.conf && exec \"$@\""
    let phone = try ConnectedChild(
      stage.network.prefix + ["unshare", "--mount", "sh", "-c", mount, "sh"]
        + [Built.program("lull-phone"), "silent.example:10000", "--name", "phone"],
      environment: stage.lull.environment)
    for wait in [1, 2] {
      #expect(
        try phone.output.line() == "Had error: silent.example: Temporary failure in name resolution")
      #expect(try phone.output.line() == "Reconnecting in \(wait) s")
    }
    #expect(try phone.isAlive)
    withExtendedLifetime(silent) {}
  }
}
