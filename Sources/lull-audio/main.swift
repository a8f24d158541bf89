import LullAudio
