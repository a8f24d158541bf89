import LullSystem
