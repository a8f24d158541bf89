#include "lull_ring.h"
