/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/cli/cli.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const TnCommand *const commands[] = {
    &tn_command_info,
    &tn_command_plan,
    &tn_command_check,
    &tn_command_bisect,
    &tn_command_diff,
    &tn_command_draw,
    &tn_command_schedule,
    &tn_command_spill,
    &tn_command_calibrate,
    &tn_command_replay,
    &tn_command_convert,
    &tn_command_formats,
    &tn_command_strategies,
};

static void
print_help(FILE *to)
{
  fputs("Usage: tenure-cli COMMAND [OPTION…] FILE…\n\n"
        "Shows where every byte of a neural network's memory goes, and plans its reuse.\n\n"
        "Commands:\n",
        to);
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
    fprintf(to, "  %-11s %s\n", commands[i]->name, commands[i]->summary);
  fputs("\n`tenure-cli COMMAND --help` lists a command's options.  FILE is a path, or - for\n"
        "standard input; its format is found by its content.\n"
        "Exit status: 0 done, 1 the answer is \"no\", 2 wrong usage, 3 input could not be read.\n",
        to);
}

/* An answer that could not be written (a full disk, a closed pipe) is no answer. */
static int
end_output(int code)
{
  static bool is_said;
  errno = 0;
  if (is_said || (fflush(stdout) == 0 && !ferror(stdout)))
    return code;
  is_said = true;
  tn_cli_complain("standard output: can't be written: %s",
                  errno ? g_strerror(errno) : "an earlier write failed");
  return TN_EXIT_INPUT;
}

/* GOption prints a command's help and ends the program by itself. */
static void
check_output(void)
{
  if (end_output(TN_EXIT_DONE) != TN_EXIT_DONE)
    _exit(TN_EXIT_INPUT);
}

int
main(int argc, char **argv)
{
  setlocale(LC_CTYPE, "");
  /* A file that grows too large for the user's limit is an error, not a signal. */
  signal(SIGXFSZ, SIG_IGN);
  atexit(check_output);
  if (argc < 2) {
    print_help(stderr);
    return TN_EXIT_USAGE;
  }
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
      strcmp(argv[1], "help") == 0) {
    print_help(stdout);
    return end_output(TN_EXIT_DONE);
  }
  if (strcmp(argv[1], "--version") == 0) {
    puts("tenure-cli " TN_VERSION);
    return end_output(TN_EXIT_DONE);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(commands); i++)
    if (strcmp(argv[1], commands[i]->name) == 0)
      return end_output((int)commands[i]->run(argc - 1, argv + 1));
  tn_cli_complain("'%s' is no command; `tenure-cli --help` lists them", argv[1]);
  return TN_EXIT_USAGE;
}
