// What a program that only imports RemoteControl speaks of.
@_exported public import struct LullBus.BusError
