import LullChannel
import LullEngine
import LullSystem
import LullWire

struct ProgramSeed {
  let name: String
  let kind: Program.Kind
  let suspender: Suspender
  let pid: Int32
  let pidfd: DescriptorBox
  let speaker: Slot?
  /// The first process, where that has ended and `pid` is another one of the program.
  var process: ProcessIdentity?
}

extension Program {
  /// pidfd_getfd checks the ptrace rights before it looks for the number, and no process has this number
  /// open.
  static func mayTakeDescriptors(of pidfd: DescriptorBox) -> Bool {
    do {
      _ = try Process.getDescriptor(pidfd.raw, number: .max)
      return true
    } catch {
      return !error.isNotPermitted
    }
  }
}

extension Registration {
  init(_ register: Request.Register) {
    self.init(name: register.name, register.settings)
    launch = register.launch ?? .foreground
    profile = register.profile ?? .ios4
    resumes = register.resume
  }
}
