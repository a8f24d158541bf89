// Files that tell of changes.
#include "waits.h"

#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <sys/fanotify.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/stat.h>

static char text[8192];

static void make_file(void) {
  cause();
  close(creat("new", 0600));
}

// read(2) of inotify ends with EINTR at every freeze (signal(7)).
static void reads(int descriptor) {
  long count;
  waits();
  while ((count = read(descriptor, text, sizeof text)) < 0 && errno == EINTR) {
  }
  expect(count > 0);
  seen();
}

static void by_inotify(void) {
  if (outside) return make_file();
  int watch = inotify_init1(0);
  inotify_add_watch(watch, ".", IN_CREATE);
  watch_line();
  reads(watch);
}

static void by_inotify_poll(void) {
  if (outside) return make_file();
  int watch = inotify_init1(0);
  inotify_add_watch(watch, ".", IN_CREATE);
  waits();
  poll_for(watch, POLLIN);
  seen();
}

static void by_fanotify(void) {
  if (outside) return make_file();
  int watch = fanotify_init(FAN_CLASS_NOTIF, O_RDONLY);
  expect(!fanotify_mark(watch, FAN_MARK_ADD, FAN_OPEN | FAN_EVENT_ON_CHILD, AT_FDCWD, "."));
  watch_line();
  reads(watch);
}

static void polls_for(int descriptor, short events) {
  watch_line();
  waits();
  poll_for(descriptor, events);
  seen();
}

static void polls(int descriptor) { polls_for(descriptor, POLLPRI); }

static void by_mounts(void) {
  if (outside) {
    told();
    enter("mnt");
    cause();
    mount("none", "/mnt", "tmpfs", 0, NULL);
    return;
  }
  expect(!unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL));
  int mounts = open("/proc/self/mounts", O_RDONLY);
  tell(0);
  polls(mounts);
}

static void by_host_name(void) {
  if (outside) {
    told();
    enter("uts");
    cause();
    (void)!sethostname("waits", 5);
    return;
  }
  expect(!unshare(CLONE_NEWUTS));
  tell(0);
  polls(open("/proc/sys/kernel/hostname", O_RDONLY));
}

static long owner;

static void remove_cgroup(void);

// A cgroup of the process outside: its path with this name in it.
static const char *in_cgroup(const char *name) {
  static char path[512];
  if (outside && !owner) {
    owner = getpid();
    snprintf(path, sizeof path, "%s/waits-%ld", cgroups(), owner);
    mkdir(path, 0755);
    atexit(remove_cgroup);
    tell(owner);
  } else if (!owner) {
    owner = told();
  }
  snprintf(path, sizeof path, "%s/waits-%ld/%s", cgroups(), owner, name);
  return path;
}

static void remove_cgroup(void) { rmdir(in_cgroup("")); }

enum { seconds = 8 };

// A process in that cgroup that works for so long.
static pid_t join(void) {
  char number[16];
  pid_t child = split();
  if (!child) {
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (long end = now() + seconds * 1000000000L; now() < end;) {
    }
    _exit(0);
  }
  snprintf(number, sizeof number, "%d", child);
  put(in_cgroup("cgroup.procs"), number);
  return child;
}

static void end_child(pid_t child) {
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

static void by_cgroup_events(void) {
  int events = open(in_cgroup("cgroup.events"), O_RDONLY);
  if (outside) {
    cause();
    return end_child(join());
  }
  expect(read(events, text, sizeof text) > 0);
  polls(events);
}

// Two processes want one processor. The kernel looks every 2 s, and its windows have begun at any moment.
static void by_pressure(void) {
  int file = open(in_cgroup("cpu.pressure"), O_RDWR | O_NONBLOCK);
  if (outside) {
    cause();
    due_in(seconds);
    pid_t first = join(), second = join();
    await_end();
    end_child(first);
    return end_child(second);
  }
  expect(write(file, "some 100000 2000000", 20) > 0);
  polls(file);
}

// A process outside is scheduled. Its events are told once, to who polls first.
static void by_perf_event(void) {
  if (outside) {
    pid_t child = fork();
    if (!child)
      for (;;) pause();
    tell(child);
    cause();
    kill(child, SIGSTOP);
    await_end();
    return end_child(child);
  }
  struct perf_event_attr kind = {.type = PERF_TYPE_SOFTWARE, .size = sizeof kind,
    .config = PERF_COUNT_SW_CONTEXT_SWITCHES, .sample_period = 1, .wakeup_events = 1};
  int event = (int)syscall(SYS_perf_event_open, &kind, (int)told(), -1, -1, 0);
  expect(mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, event, 0) != MAP_FAILED);
  polls_for(event, POLLIN);
}

// A page of the process outside is missed.
static void by_userfault(void) {
  if (!outside) {
    int faults = take();
    waits();
    poll_for(faults, POLLIN);
    seen();
  }
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC | O_NONBLOCK);
  char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  struct uffdio_register region = {{(uintptr_t)page, 4096}, UFFDIO_REGISTER_MODE_MISSING, 0};
  ioctl(faults, UFFDIO_API, &(struct uffdio_api){.api = UFFD_API});
  ioctl(faults, UFFDIO_REGISTER, &region);
  give(faults);
  cause();
  *(volatile char *)page = 1;
}

const struct wait files[] = {
    {"inotify", by_inotify},
    {"inotify-poll", by_inotify_poll},
    {"fanotify", by_fanotify},
    {"mounts", by_mounts},
    {"hostname", by_host_name},
    {"cgroup-events", by_cgroup_events},
    {"pressure", by_pressure},
    {"perf-event", by_perf_event},
    {"userfaultfd", by_userfault},
    {0},
};
