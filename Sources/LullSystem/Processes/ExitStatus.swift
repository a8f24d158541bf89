// The end of a process is the only word that the kernel's calls share with the rest.
@_exported public import enum LullModel.ExitStatus
