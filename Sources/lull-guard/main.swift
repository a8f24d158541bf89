import LullDaemon
import LullSystem

StandardStreams.reserve()
Process.exit(Startup.guardian(arguments: Array(CommandLine.arguments.dropFirst())))
