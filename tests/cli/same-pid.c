/* SPDX-License-Identifier: MIT */
/* Preloaded: every process that is started is told to be the same one, as when numbers come round. */
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#define SAME 4242

pid_t fork(void);
pid_t waitpid(pid_t pid, int *status, int options);

pid_t
fork(void)
{
  pid_t (*real)(void) = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
  pid_t pid = real();
  return pid > 0 ? SAME : pid;
}

pid_t
waitpid(pid_t pid, int *status, int options)
{
  pid_t (*real)(pid_t, int *, int) = (pid_t(*)(pid_t, int *, int))dlsym(RTLD_NEXT, "waitpid");
  pid_t ended = real(pid, status, options);
  return ended > 0 ? SAME : ended;
}
