/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/fleet.h"

#include "app/cli/memory-limit.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
  const char *path;
  pid_t pid; /* of what runs: it may be another's afterwards */
  FILE *out, *error;
  char *line; /* what it printed, one line; NULL: not done */
  TnExit code;
} Job;

typedef struct {
  Job *jobs;
  guint n, n_started, n_printed, most;
  GPtrArray *running; /* Job *, borrowed */
  TnFleetOne one;
  const void *payload;
} Fleet;

bool
tn_cli_is_fleet(
    const TnCommand *command, char **files, int n_jobs, bool is_json, bool *out_is_wrong)
{
  bool is_fleet = n_jobs != 0 || g_strv_length(files) > 1;
  *out_is_wrong = n_jobs < 0 || (is_fleet && !is_json);
  if (n_jobs < 0)
    tn_cli_complain("--jobs %d: expected 1 or more", n_jobs);
  else if (*out_is_wrong)
    tn_cli_complain("%s: several files are answered in one line each: add --json", command->name);
  return is_fleet;
}

static char *
read_all(FILE *file)
{
  GString *text = g_string_new(NULL);
  char part[4096];
  size_t n;
  rewind(file);
  while ((n = fread(part, 1, sizeof part, file)) > 0)
    g_string_append_len(text, part, (gssize)n);
  fclose(file);
  return g_string_free(text, FALSE);
}

static void
close_files(Job *job)
{
  if (job->out)
    fclose(job->out);
  if (job->error)
    fclose(job->error);
}

/* In the new process: both outputs into files that the first one reads. */
static G_GNUC_NORETURN void
work(const Fleet *fleet, Job *job)
{
  dup2(fileno(job->out), STDOUT_FILENO);
  dup2(fileno(job->error), STDERR_FILENO);
  close_files(job);
  for (guint i = 0; i < fleet->running->len; i++)
    close_files(g_ptr_array_index(fleet->running, i));
  tn_cli_share_memory(fleet->most);
  TnExit code = fleet->one(job->path, fleet->payload);
  errno = 0;
  if (fflush(stdout) != 0 || ferror(stdout)) {
    tn_cli_complain("%s: the answer can't be kept in a temporary file: %s", job->path,
                    errno ? g_strerror(errno) : "an earlier write failed");
    code = TN_EXIT_INPUT;
  }
  fflush(stderr);
  _exit((int)code);
}

static bool
start(Fleet *fleet, Job *job)
{
  job->out = tmpfile();
  job->error = tmpfile();
  fflush(NULL);
  job->pid = job->out && job->error ? fork() : -1;
  if (job->pid == 0)
    work(fleet, job);
  if (job->pid > 0) {
    g_ptr_array_add(fleet->running, job);
    return true;
  }
  close_files(job);
  return false;
}

/* The object of a file that gave none. */
static char *
build_failure(const Job *job, const char *message)
{
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "file", job->path);
  cJSON_AddStringToObject(object, "error", message);
  cJSON_AddNumberToObject(object, "exit_status", job->code);
  char *text = tn_json_dup_text(object, true);
  cJSON_Delete(object);
  return text;
}

/* "tenure-cli: a message\n" less what stands around it. */
static char *
trim_message(const char *error)
{
  const char *said = strstr(error, "tenure-cli: ");
  char *text = g_strdup(said ? said + strlen("tenure-cli: ") : error);
  return g_strchomp(text);
}

static void
finish(Job *job, int status)
{
  g_autofree char *error = read_all(job->error), *message = trim_message(error);
  job->code = WIFEXITED(status) ? (TnExit)WEXITSTATUS(status) : TN_EXIT_INPUT;
  job->line = g_strchomp(read_all(job->out));
  /* Of an input that could not be read, or a disk that is full, what there is is not the whole
   * answer. */
  if (WIFEXITED(status) && *job->line && job->code != TN_EXIT_INPUT)
    return;
  g_free(job->line);
  if (job->code == TN_EXIT_DONE || !*message)
    job->code = TN_EXIT_INPUT;
  g_autofree char *crash =
      WIFEXITED(status) ? NULL : g_strdup_printf("ended by signal %d", WTERMSIG(status));
  job->line = build_failure(job, crash ? crash : *message ? message : "no answer");
}

static void
wait_for_one(Fleet *fleet)
{
  int status;
  pid_t pid = waitpid(-1, &status, 0);
  for (guint i = 0; i < fleet->running->len && pid > 0; i++) {
    Job *job = g_ptr_array_index(fleet->running, i);
    if (job->pid != pid)
      continue;
    finish(job, status);
    g_ptr_array_remove_index_fast(fleet->running, i);
    return;
  }
}

/* What there is no room for (processes, open files) can wait for what runs, if something does. */
static void
start_some(Fleet *fleet)
{
  while (fleet->n_started < fleet->n && fleet->running->len < fleet->most) {
    Job *job = &fleet->jobs[fleet->n_started];
    bool is_started = start(fleet, job);
    if (!is_started && fleet->running->len)
      return;
    fleet->n_started++;
    if (is_started)
      continue;
    job->code = TN_EXIT_INPUT;
    job->line = build_failure(job, "no process or no temporary file for it");
  }
}

static void
print_ready(Fleet *fleet)
{
  for (; fleet->n_printed < fleet->n_started; fleet->n_printed++) {
    Job *job = &fleet->jobs[fleet->n_printed];
    if (!job->line)
      break;
    puts(job->line);
    g_clear_pointer(&job->line, g_free);
  }
  fflush(stdout);
}

/* Two files for each that runs, less what a process needs for itself. */
static guint
count_at_once(guint n_files, int n_jobs)
{
  struct rlimit open_files;
  guint most = MIN(n_jobs > 0 ? (guint)n_jobs : g_get_num_processors(), n_files);
  if (getrlimit(RLIMIT_NOFILE, &open_files) == 0 && open_files.rlim_cur / 2 < (rlim_t)most + 8)
    most = open_files.rlim_cur / 2 > 8 ? (guint)(open_files.rlim_cur / 2 - 8) : 1;
  return MAX(most, 1u);
}

TnExit
tn_cli_fleet_run(char **files, int n_jobs, TnFleetOne one, const void *payload)
{
  Fleet fleet = {.n = g_strv_length(files), .one = one, .payload = payload};
  TnExit worst = TN_EXIT_DONE;
  fleet.most = count_at_once(fleet.n, n_jobs);
  fleet.running = g_ptr_array_new();
  fleet.jobs = g_new0(Job, MAX(fleet.n, 1u));
  for (guint i = 0; i < fleet.n; i++)
    fleet.jobs[i].path = files[i];
  tn_json_set_lines(true);
  signal(SIGCHLD, SIG_DFL); /* who starts this may ignore it: then no process could be waited for */
  while (fleet.n_started < fleet.n || fleet.running->len) {
    start_some(&fleet);
    if (fleet.running->len)
      wait_for_one(&fleet);
    print_ready(&fleet);
  }
  for (guint i = 0; i < fleet.n; i++)
    worst = MAX(worst, fleet.jobs[i].code);
  g_ptr_array_unref(fleet.running);
  g_free(fleet.jobs);
  return worst;
}
