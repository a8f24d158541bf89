import LullGuard
import LullSystem

StandardStreams.reserve()
Process.exit(Startup.guardian(arguments: Array(CommandLine.arguments.dropFirst())))
