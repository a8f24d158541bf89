import LullSystem
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// What is said of a name that no program has, or none that runs.
@Suite(.bounded) struct HintTests {
  private let lull: Lull

  init() throws { lull = try Lull() }

  private static let naming = [
    ["wake"], ["suspend"], ["foreground"], ["background"], ["quit"], ["stop"], ["purge"], ["why"], ["status"],
    ["lines"], ["log"], ["wakes"],
  ]

  /// What a command says of a name; it must fail.
  private func errors(_ words: [String], _ name: String) throws -> String {
    let child = try lull.start(words + [name])
    let result = CommandResult(
      output: try child.output.untilEnd(), errors: try child.errors.untilEnd(), status: try child.end())
    #expect(result.status == .exited(1) && result.output == "", "\(words): \(result)")
    return result.errors
  }

  @Test func `a typo is told with the nearest name of what runs, is installed or was detached`() throws {
    _ = try lull.run("run", "--detach", "--name", "jukebox", "--", "sleep", "1000")
    _ = try lull.run("install", "phone", "--no-start", "--", "sleep", "1000")
    for words in Self.naming {
      #expect(try errors(words, "phoen") == "lull: no program \"phoen\"; did you mean \"phone\"?\n")
      #expect(try errors(words, "jukbox") == "lull: no program \"jukbox\"; did you mean \"jukebox\"?\n")
    }
    for words in [["start"], ["restart"], ["attach"], ["logs"]] {
      #expect(try errors(words, "phoen") == "lull: no program \"phoen\"; did you mean \"phone\"?\n")
      #expect(try errors(words, "jukbox") == "lull: no program \"jukbox\"; did you mean \"jukebox\"?\n")
    }
    #expect(try errors(["remove"], "phoen") == "lull: phoen is not installed; did you mean \"phone\"?\n")
    let open = try lull.run("open", "--name", "phoen", "sip:alice")
    #expect(open.errors == "lull: no program \"phoen\"; did you mean \"phone\"?\n")
  }

  @Test func `a name that is near to none leads to what is installed`() throws {
    _ = try lull.run("run", "--detach", "--name", "jukebox", "--", "sleep", "1000")
    for words in Self.naming {
      #expect(
        try errors(words, "x")
          == "lull: no program \"x\"; see \"lull status\", and \"lull list\" for what is installed\n")
    }
  }

  @Test(arguments: ["wake", "suspend", "foreground", "background", "purge"])
  func `an installed program that does not run leads to start`(command: String) throws {
    // A daemon that begins starts what is installed.
    _ = try lull.run("run", "--detach", "--name", "other", "--", "sleep", "1000")
    _ = try lull.run("install", "phone", "--no-start", "--", "sleep", "1000")
    #expect(try errors([command], "phone") == "lull: phone does not run; \"lull start phone\" starts it\n")
  }

  @Test func `a program that waits is told with what may start it`() throws {
    _ = try lull.run("install", "nap", "--no-start", "--", "sleep", "1000")
    let usual = "it is started by the next start of lulld and \"lull start nap\""
    #expect(try lull.run("why", "nap").output.replacing("\n", with: " ").contains(usual))
    _ = try lull.run("install", "tel", "--no-start", "--scheme", "sip", "--", "sleep", "1000")
    let told = "it is started for a link (sip), and by the next start of lulld and \"lull start tel\""
    #expect(try lull.run("why", "tel").output.replacing("\n", with: " ").contains(told))
    let list = try lull.run("list").output
    #expect(list.contains("when lulld starts") && list.contains("for a link (sip)"), "\(list)")
  }

  @Test func `what runs and is not installed is neither started nor removed`() throws {
    let child = try lull.start(["run", "--name", "here", "--", "sleep", "1000"])
    try eventually("it does not run") { try lull.run("status", "here").status == .exited(0) }
    #expect(
      try errors(["remove"], "here")
        == "lull: here runs and is not installed; \"lull quit here\" ends it\n")
    #expect(
      try errors(["restart"], "here")
        == "lull: here runs and is not installed; start it again where it was started\n")
    #expect(try errors(["logs"], "here").hasPrefix("lull: here is not a program of \"lull run --detach\": "))
    _ = try lull.run("quit", "--now", "here")
    _ = try child.end()
  }

  @Test func `what is installed where lulld does not look is told with the folder that it reads`() throws {
    let (folder, other) = ("\(lull.sandbox.directory)/config/lull", "\(lull.sandbox.directory)/other")
    let install = try lull.start(
      ["install", "p", "--", "sleep", "1000"], prefix: ["env", "XDG_CONFIG_HOME=\(other)"])
    #expect(try install.output.untilEnd().hasPrefix("p is installed: \(other)/lull/programs/p\n"))
    #expect(
      try install.errors.untilEnd()
        == "lull: lulld looks in another folder (XDG_CONFIG_HOME or LULL_CONFIG_DIR): p is not installed in "
        + "\(folder)/programs; \"lull install\" does it\n")
    #expect(try install.end() == .exited(1))
  }

  @Test func `a program that takes no link is told how it can, and an error in its file`() throws {
    _ = try lull.run("install", "phone", "--no-start", "--", "sleep", "1000")
    #expect(
      try errors(["open", "sip:alice", "--name"], "phone")
        == "lull: phone takes no sip: links; give it \"--scheme sip\"\n")
    let path = "\(lull.sandbox.directory)/config/lull/programs/phone"
    try Kernel.write("--scheme sip\n--keepalive 600\n-- /bin/true\n", to: path)
    #expect(
      try errors(["open", "sip:alice", "--name"], "phone")
        == "lull: phone takes no links: \(path):2: --keepalive: no such option; did you mean "
        + "\"--keep-alive\"?\n")
  }
}
