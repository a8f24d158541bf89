import TestSupport
import Testing

@testable import LullGuard

@Suite(.bounded) struct DaemonOptionsTests {
  private func parse(_ arguments: String...) throws(DaemonOptions.UsageError) -> DaemonOptions {
    try DaemonOptions.parse(arguments, usage: "the usage")
  }

  private func error(_ arguments: String...) -> String? {
    do {
      _ = try DaemonOptions.parse(arguments, usage: "")
      return nil
    } catch {
      return error.description
    }
  }

  @Test func `without arguments the clock is real and the daemon is not guarded`() throws {
    let options = try parse()
    #expect(options.clockRate == 1)
    #expect(options.clockBase > 0)
    #expect(options.cgroupRoot == nil)
    #expect(options.restarts == 0)
    #expect(!options.isGuarded && !options.daemonizes && !options.adopts)
    #expect(options.information == nil && options.readyNumber == nil)
  }

  @Test func `values stand behind a space or an equals sign`() throws {
    for arguments in [["--clock-rate", "60"], ["--clock-rate=60"]] {
      #expect(try DaemonOptions.parse(arguments, usage: "").clockRate == 60)
    }
    #expect(try parse("--cgroup-root=/a=b").cgroupRoot == "/a=b")
    let options = try parse("--guarded", "--clock-base", "5", "--restarts=2", "--adopt", "--ready", "7")
    #expect(options.isGuarded && options.adopts)
    #expect(options.clockBase == 5)
    #expect(options.restarts == 2)
    #expect(options.readyNumber == 7)
    #expect(try parse("--daemonize").daemonizes)
  }

  @Test func `what the pair tells each other is read back`() throws {
    var options = try parse("--clock-rate=10", "--clock-base=99", "--cgroup-root=/x", "--restarts=3")
    options = try DaemonOptions.parse(options.shared, usage: "")
    #expect(options.clockRate == 10)
    #expect(options.clockBase == 99)
    #expect(options.cgroupRoot == "/x")
    #expect(options.restarts == 3)
  }

  @Test func `what counts for the first lulld alone is not told to the next one, nor to another guard`()
    throws
  {
    let options = try parse("--no-boot", "--wanted", "phone", "--crashed")
    #expect(!options.boots && options.wanted == "phone" && options.crashed)
    let next = try DaemonOptions.parse(options.shared, usage: "")
    #expect(next.boots && next.wanted == nil && !next.crashed)
    let first = try DaemonOptions.parse(options.first, usage: "")
    #expect(!first.boots && first.wanted == "phone" && !first.crashed)
  }

  @Test func `help and version`() throws {
    #expect(try parse("--help").information == "the usage")
    #expect(try parse("-h").information == "the usage")
    #expect(try parse("--version").information == "lull \(DaemonOptions.version)")
  }

  @Test func `what is wrong is said in one line`() {
    #expect(error("--clock-rate", "0") == "--clock-rate needs a whole number, 1 to 1000, not \"0\"")
    #expect(error("--clock-rate", "1001") == "--clock-rate needs a whole number, 1 to 1000, not \"1001\"")
    #expect(error("--clock-rate", "1.5") == "--clock-rate needs a whole number, 1 to 1000, not \"1.5\"")
    #expect(error("--clock-base", "-1") == "--clock-base needs a whole number, 0 or more, not \"-1\"")
    #expect(error("--clock-rate") == "--clock-rate needs a value")
    #expect(error("--cgroup-root") == "--cgroup-root needs a value")
    #expect(error("--fast") == "unknown option \"--fast\"; --help lists the options")
    #expect(error("serve") == "unexpected argument \"serve\"; --help lists the options")
    #expect(error("") == "unexpected argument \"\"; --help lists the options")
  }

  @Test func `an empty value is not the next argument, and an option without a value takes none`() {
    #expect(error("--clock-rate=", "5") == "--clock-rate needs a whole number, 1 to 1000, not \"\"")
    #expect(error("--guarded=no") == "--guarded takes no value")
    #expect(error("--daemonize=") == "--daemonize takes no value")
  }
}
