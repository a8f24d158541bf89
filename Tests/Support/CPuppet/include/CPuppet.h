// The calls that the puppet and the tests need and Swift's Glibc module leaves out.
#pragma once

/// prctl(PR_SET_DUMPABLE, 0): takes the ptrace rights over this process away from others of its uid.
int cpuppet_set_undumpable(void);

/// setns(CLONE_NEWNET): the thread's new sockets are in that network from now on.
int cpuppet_enter_network(int descriptor);

/// unshare(CLONE_FILES): no other thread opens a file in the table of the calling thread from now on, so that
/// a number stays free which that thread has closed.
int cpuppet_own_descriptors(void);

/// epoll_wait for ever, once, beside an idle socket; returns the error that ended it: EINTR after a freeze.
int cpuppet_wait_for_nothing(void);

/// openpty: returns the master's end of a new terminal, -1 with errno when there is none.
int cpuppet_open_terminal(int *slave);

/// tgkill: a signal for one thread of a process; -1 with errno when there is no such thread.
int cpuppet_signal_thread(int process, int thread, int signal);
