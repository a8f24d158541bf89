// The declarations of LullAudio use the types of LullModel: who imports LullAudio has them.
@_exported public import LullModel
