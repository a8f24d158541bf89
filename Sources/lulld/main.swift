import LullDaemon
import LullSystem

Process.exit(Startup.daemon(arguments: Array(CommandLine.arguments.dropFirst())))
