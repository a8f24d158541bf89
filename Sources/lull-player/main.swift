import Lull
