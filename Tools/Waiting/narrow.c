// A program of 32 bits, without a C library: it waits at the first descriptor and says so to the second one.
enum { sys_write = 4, sys_exit = 1, sys_poll = 168, sys_clock_gettime = 265, monotonic = 1 };

static int call(int number, int first, const void *second, int third) {
  int result;
  __asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
  return result;
}

static int length;
static char text[64];

static void add(unsigned value, int digits) {
  for (int i = digits - 1; i >= 0; i--, value /= 10) text[length + i] = (char)('0' + value % 10);
  length += digits;
}

__attribute__((used)) void begin(const int *stack) {
  const char *const *words = (const char *const *)(stack + 1);
  struct {
    int descriptor;
    short events, ready;
  } entry = {words[1][0], 1, 0};
  int time[2];
  int count = call(sys_poll, (int)&entry, (const void *)1, -1);
  call(sys_clock_gettime, monotonic, time, 0);
  for (const char *word = count == 1 ? "seen " : "cut poll is not 1: "; *word; word++) text[length++] = *word;
  add((unsigned)time[0], 9);
  add((unsigned)time[1], 9);
  text[length++] = '\n';
  call(sys_write, words[2][0], text, length);
  call(sys_exit, 0, 0, 0);
}

__asm__(".globl _start\n_start: mov %esp, %eax\n push %eax\n call begin\n");
