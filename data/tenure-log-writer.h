/* SPDX-License-Identifier: MIT */
/* Writes a log that Tenure opens.  Paste this file into the project of an allocator: it needs the
 * C library only.  One line an event, whole or not at all, so several threads may write, and a
 * crash costs at most the last line.  tenure_log_open() returns NULL where it can't write; every
 * other call takes NULL and does nothing.
 *
 *   FILE *log = tenure_log_open("run.tenure-log", 8ull << 30);    // the device's memory, 0: unknown
 *   tenure_log_segment(log, 'a', base, 2 << 20);                  // taken from the device; 'f': back
 *   tenure_log_alloc(log, p, 512, 500, "conv1.weight", stream);   // used bytes, requested bytes
 *   tenure_log_use(log, p);                                       // optional: last uses
 *   tenure_log_free(log, p);
 *   tenure_log_mark(log, "step 3");
 *   tenure_log_stream(log, 's', 3, 0);        // optional: the program has waited for stream 3;
 *                                             // 'w', 0, 3: stream 0 waits for 3; 'e': its allocator ends
 *   tenure_log_oom(log, 1 << 20, free_on_the_device);
 */
#pragma once
#include <stdio.h>
#include <time.h>
#define TENURE_U(x) ((unsigned long long)(x))
#define TENURE_EVENT(log, ...)                                                                     \
  do {                                                                                             \
    struct timespec now_;                                                                          \
    if ((log) && timespec_get(&now_, TIME_UTC)) {                                                  \
      char line_[768], when_[48];                                                                  \
      snprintf(when_, sizeof when_, "{\"t\": %lld.%09ld, ", (long long)now_.tv_sec, now_.tv_nsec); \
      snprintf(line_, sizeof line_, __VA_ARGS__);                                                  \
      fprintf((log), "%s%s}\n", when_, line_);                                                     \
    }                                                                                              \
  } while (0)
static inline const char *tenure_quote(char *out, const char *text)
{ /* at most 200 characters of text become at most 400, in quotes */
  char *to = out;
  for (*to++ = '"'; text && *text && to - out < 400; text++) {
    if (*text == '"' || *text == '\\')
      *to++ = '\\';
    *to++ = (unsigned char)*text < ' ' ? ' ' : *text;
  }
  return *to++ = '"', *to = 0, out;
}
static inline FILE *tenure_log_open(const char *path, unsigned long long device_bytes)
{
  FILE *log = fopen(path, "w");
  if (log && setvbuf(log, NULL, _IOLBF, 1024) == 0)
    fprintf(log, "{\"format\": \"tenure-log\", \"version\": 1, \"device_bytes\": %llu}\n", device_bytes);
  return log;
}
static inline void tenure_log_alloc(FILE *log, const void *address, size_t bytes, size_t requested, const char *name, unsigned stream)
{
  char quoted[404];
  TENURE_EVENT(log, "\"event\": \"alloc\", \"address\": \"0x%llx\", \"bytes\": %llu, \"requested_bytes\": %llu, \"name\": %s, \"stream\": %u",
               TENURE_U((size_t)address), TENURE_U(bytes), TENURE_U(requested), tenure_quote(quoted, name), stream);
}
static inline void tenure_log_free(FILE *log, const void *address)
{
  TENURE_EVENT(log, "\"event\": \"free\", \"address\": \"0x%llx\"", TENURE_U((size_t)address));
}
static inline void tenure_log_use(FILE *log, const void *address)
{
  TENURE_EVENT(log, "\"event\": \"use\", \"address\": \"0x%llx\"", TENURE_U((size_t)address));
}
static inline void tenure_log_segment(FILE *log, char what, const void *address, size_t bytes)
{
  TENURE_EVENT(log, "\"event\": \"segment_%s\", \"address\": \"0x%llx\", \"bytes\": %llu", what == 'a' ? "alloc" : "free", TENURE_U((size_t)address), TENURE_U(bytes));
}
static inline void tenure_log_stream(FILE *log, char what, unsigned stream, unsigned waited)
{
  TENURE_EVENT(log, "\"event\": \"%s\", \"stream\": %u, \"for\": %u", what == 's' ? "sync" : what == 'w' ? "wait" : "finalize", stream, waited);
}
static inline void tenure_log_mark(FILE *log, const char *text)
{
  char quoted[404];
  TENURE_EVENT(log, "\"event\": \"mark\", \"text\": %s", tenure_quote(quoted, text));
}
static inline void tenure_log_oom(FILE *log, size_t bytes, size_t device_free)
{
  TENURE_EVENT(log, "\"event\": \"oom\", \"bytes\": %llu, \"device_free_bytes\": %llu", TENURE_U(bytes), TENURE_U(device_free));
}
