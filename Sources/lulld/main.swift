import LullDaemon
import LullGuard
import LullSystem

StandardStreams.reserve()
Process.exit(Startup.daemon(arguments: Array(CommandLine.arguments.dropFirst())))
