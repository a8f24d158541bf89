import LullDaemon
import LullGuard
import LullSystem

StandardStreams.reserve()
let arguments = Array(CommandLine.arguments.dropFirst())
// Where it is installed lull-guard is a link to this program: one file, whose pages both processes share.
let isGuard = CommandLine.arguments.first?.split(separator: "/").last == "lull-guard"
Process.exit(isGuard ? Startup.guardian(arguments: arguments) : Startup.daemon(arguments: arguments))
