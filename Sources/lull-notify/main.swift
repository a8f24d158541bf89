import LullNotify
import LullProgram
import LullSystem

func complain(_ text: String) {
  try? StandardStreams.write(Array("lull-notify: \(text)\n".utf8), to: StandardStreams.error)
}

/// Returns the exit status.
func write(_ text: String) -> Int32 {
  do {
    try StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.output)
    return 0
  } catch {
    complain("the output cannot be written: \(error.message)")
    return 1
  }
}

let usage = """
  usage: lull-notify --check
  Shows the notifications of Lull's programs on the desktop. Started by lulld,
  which speaks to it through descriptor 3.
    --check     say which notification server there is, and end
    --version   print the version
  """

StandardStreams.reserve()
try? Signal.ignore(Signal.pipe)
switch Array(CommandLine.arguments.dropFirst()) {
case []:
  do {
    try NotifyService(DescriptorBox(Descriptor.duplicating(3))).run()
  } catch {
    complain("\(error); it is started by lulld, with a socket at descriptor 3")
    Process.exit(1)
  }
case ["--check"]:
  let (text, works) = ServerCheck.run()
  Process.exit(max(write(text), works ? 0 : 1))
case ["--version"]: Process.exit(write(Version.text))
case ["--help"], ["-h"]: Process.exit(write(usage))
case let arguments:
  complain("unknown argument \"\(arguments[0])\"; --help lists the options")
  Process.exit(64)
}
