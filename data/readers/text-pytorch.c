/* SPDX-License-Identifier: MIT */
/* PyTorch's out-of-memory sentence, in all the wordings of 1.0 to 2.10 (also of NPU and XPU),
 * whole, wrapped over lines or cut off; MPS's; and the warning of a failed cudaMalloc. */
#include "config.h"

#include "data/readers/text-log.h"
#include "data/units.h"

#include <string.h>

#define MAX_LINES 48 /* a sentence wrapped over more is not ours */
#define MAX_TEXT 16384 /* nor one of more characters */

/* Nor one with lines that say nothing: more than so many, that are longer than any words between two figures. */
#define MAX_IDLE 3
#define MAX_IDLE_TEXT 120
#define MAX_IDLE_SHORT 8 /* of whatever length */

#define MAX_PROCESSES 64 /* that are kept apart */
#define MAX_NAMED 8      /* and are listed */
#define MAX_CONTEXT ((tn_bytes)4 << 30) /* what a process holds beside PyTorch: context, kernels, NCCL */

/* A wrapped sentence breaks in words and in numbers, with and without a blank there: it is read without its blanks. */
static const char start_label[] = "Triedtoallocate";
static const char endless[] = "morethan1EB"; /* of a negative or corrupt size */

typedef struct {
  GString *text; /* of the sentence so far, without blanks; NULL: none is open */
  uint32_t first_line, last_line, n_lines, n_idle;
  gsize idle_text; /* characters of the `n_idle` lines */
  int known; /* how many figures it has so far */
  bool is_whole;
  bool has_logger; /* its lines have a logger's prefix */
  gsize n_begun; /* characters of start_label at the end of the last line */
  uint32_t begun_line;
  enum { SILENT, BARE, ANNOUNCED } before; /* the last line of a tag: nothing but the tag, or a failure's name */
  char stream; /* that docker has the first line from */
  TnTextMoment when; /* of the first line */
} State;

typedef struct {
  const char *name; /* as the sentence says it, `n_name` bytes */
  gsize n_name;
  tn_bytes bytes;
} Process;

typedef struct {
  tn_bytes requested, total, free, allocated, reserved, unallocated, active, allowed, own, pools,
      other; /* TN_BYTES_UNKNOWN where it does not say */
  Process processes[MAX_PROCESSES]; /* others, or this one under another number; `other` is their sum */
  int32_t n_others, device;
  tn_bytes rounding;
  bool is_whole;
  bool has_own;      /* it says which process is this one, maybe with a size that is none */
  bool lacks_device; /* "GPU " without its number: taken for 0 */
  bool lacks_free;   /* the sentence has no "of which … is free", as XPU's of devices that can't say it */
} Figures;

/* ---- figures, in text without blanks ---------------------------------------------------- */

/* Blanks, and what boxes around pasted text are drawn with, are no part of a sentence. */
static bool
is_ink(char c)
{
  return c > ' ' && c < 0x7f && c != '|';
}

/* Reads "S label" at *at: without blanks only the label tells where the unit ends. */
static bool
measure_with(const char **at, const char *label, Figures *f, tn_bytes *out)
{
  static const char *const units[] = {"bytes", "byte", "Bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "KB",
                                      "MB",    "GB",   "TB",    "kB",  "K",   "M",   "G",   "T",   "B"};
  gsize n = strspn(*at, "0123456789.");
  for (gsize i = 0; n > 0 && n <= 32 && i < G_N_ELEMENTS(units); i++) {
    const char *unit = *at + n, *behind = unit + strlen(units[i]);
    if (!g_str_has_prefix(unit, units[i]) || !g_str_has_prefix(behind, label) ||
        (!*label && !units[i][1] && g_ascii_isalnum(*behind)))
      continue;
    char size[48];
    const char *go = size;
    tn_bytes bytes, step;
    g_snprintf(size, sizeof size, "%.*s %s", (int)n, *at, units[i]);
    if (!tn_text_measure(&go, &bytes, &step))
      return false;
    f->rounding = tn_add_saturated(f->rounding, step);
    *out = bytes;
    *at = behind + strlen(label);
    return true;
  }
  return false;
}

static bool
measure_after(const char *text, const char *label, const char *after, Figures *f, tn_bytes *out)
{
  const char *at = strstr(text, label);
  if (!at)
    return false;
  at += strlen(label);
  return measure_with(&at, after, f, out);
}

/* "S label …": the size before `place`, which begins with `label`. */
static bool
measure_before(const char *text, const char *place, const char *label, Figures *f, tn_bytes *out)
{
  const char *at = strstr(text, place);
  while (at && at > text && g_ascii_isalpha(at[-1]))
    at--;
  while (at && at > text && (g_ascii_isdigit(at[-1]) || at[-1] == '.'))
    at--;
  while (at && *at == '.') /* of the sentence before it */
    at++;
  return at && measure_with(&at, label, f, out);
}

/* "(GPU 0; 11.17 GiB total capacity; 10.85 GiB already allocated; …)". */
static void
read_list(const char *text, Figures *f)
{
  const struct {
    const char *label;
    tn_bytes *out;
  } items[] = {{"totalcapacity", &f->total},
               {"totalcapacty", &f->total},
               {"alreadyallocated", &f->allocated},
               {"currentactive", &f->active},
               {"free", &f->free},
               {"allowed", &f->allowed},
               {"reservedintotalbyPyTorch", &f->reserved},
               {"cached", &f->unallocated}};
  for (const char *at = text; at; at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
    for (gsize i = 0; i < G_N_ELEMENTS(items); i++) {
      const char *go = at;
      if (measure_with(&go, items[i].label, f, items[i].out))
        break;
    }
  f->is_whole = f->total >= 0 && f->free >= 0 && f->allocated >= 0 &&
                (f->reserved >= 0 || f->unallocated >= 0);
}

/* "Process P has S memory in use.", each; P may be a word, and S none ("17179869184.00 GiB": the driver does not say). */
static void
read_processes(const char *text, Figures *f)
{
  for (const char *at = strstr(text, "Process"); at; at = strstr(at, "Process")) {
    at += strlen("Process");
    gsize n = 0;
    while (n < 20 && at[n] && !g_str_has_prefix(at + n, "has"))
      n++;
    const char *go = at + n;
    tn_bytes bytes;
    if (!n || !tn_text_word(&go, "has") || !measure_with(&go, "memoryinuse", f, &bytes) ||
        !tn_add(MAX(f->other, 0), bytes, &f->other))
      continue;
    if (f->n_others < MAX_PROCESSES)
      f->processes[f->n_others] = (Process){.name = at, .n_name = n, .bytes = bytes};
    f->n_others++;
  }
}

/* "GPU 0 has a total capacity of S of which S is free. …" or "… capacity of S. …". */
static void
read_sentence(const char *text, Figures *f)
{
  f->lacks_free = measure_after(text, "totalcapacityof", ".", f, &f->total);
  if (!f->lacks_free && !measure_after(text, "totalcapactyof", "ofwhich", f, &f->total))
    measure_after(text, "totalcapacityof", "ofwhich", f, &f->total);
  measure_after(text, "ofwhich", "isfree", f, &f->free);
  f->has_own = strstr(text, "thisprocesshas") != NULL;
  measure_after(text, "thisprocesshas", "memoryinuse", f, &f->own);
  read_processes(text, f);
  measure_before(text, "allowed;Oftheallocated", "allowed", f, &f->allowed);
  measure_after(text, "Oftheallocatedmemory", "isallocatedbyPyTorch", f, &f->allocated);
  measure_after(text, "allocatedbyPyTorch,with", "allocatedinprivatepools", f, &f->pools);
  measure_before(text, "isreservedbyPyTorchbut", "isreserved", f, &f->unallocated);
  f->is_whole = f->total >= 0 && (f->free >= 0 || f->lacks_free) && f->allocated >= 0 && f->unallocated >= 0;
}

static void
read_device(const char *at, Figures *f)
{
  int64_t number;
  bool is_unit = at[0] && at[1] == 'P' && at[2] == 'U'; /* GPU, NPU, XPU */
  while (g_ascii_isupper(*at))
    at++;
  if (tn_text_number(&at, &number) && number <= 4095)
    f->device = (int32_t)number;
  else
    f->lacks_device = is_unit;
}

/* The text behind "Tried to allocate", without blanks. */
static Figures
read_figures(const char *text)
{
  Figures f = {.requested = -1,
               .total = -1,
               .free = -1,
               .allocated = -1,
               .reserved = -1,
               .unallocated = -1,
               .active = -1,
               .allowed = -1,
               .own = -1,
               .pools = -1,
               .other = -1};
  const char *at = text;
  if (!measure_with(&at, "", &f, &f.requested))
    return f;
  f.rounding = 0; /* the request is no part of the sum */
  at += *at == '.';
  if (*at == '(') {
    read_device(at + 1, &f);
    const char *first = strchr(at, ';');
    if (first)
      read_list(first + 1, &f);
  } else if (*at) {
    read_device(at, &f);
    read_sentence(at, &f);
  }
  return f;
}

/* ---- which process is this one ----------------------------------------------------------- */

/* In a container the driver sees this process under another number: then a "Process P" is us, and counting them all
 * beside our own memory would pass the device's. */
static bool
is_among_others(const Figures *f, tn_bytes held)
{
  tn_bytes with = tn_add_saturated(tn_add_saturated(f->other, MAX(f->free, 0)), held);
  return !f->has_own && f->n_others > 0 && f->total >= 0 && with > tn_add_saturated(f->total, f->rounding);
}

/* The one that can be us: it has what PyTorch has of it.  Of several the next above, if no more than a context is between;
 * NULL: the sentence does not tell. */
static const Process *
find_ourselves(const Figures *f, tn_bytes held)
{
  const Process *best = NULL;
  int n = 0;
  if (!is_among_others(f, held) || f->n_others > MAX_PROCESSES)
    return NULL;
  for (int i = 0; i < f->n_others; i++) {
    const Process *process = &f->processes[i];
    if (tn_add_saturated(process->bytes, f->rounding) < held)
      continue;
    n++;
    if (!best || process->bytes < best->bytes)
      best = process;
  }
  return n == 1 || (best && best->bytes <= tn_add_saturated(held, MAX_CONTEXT)) ? best : NULL;
}

/* "Process 12345: 10.00 GiB, Process 54321: 13.67 GiB", without the one that is us; NULL where there is but one. */
static char *
list_others(const Figures *f, const Process *self, bool is_unsure)
{
  GString *out = g_string_new(is_unsure ? "the message does not tell which, if any, is this process: " : NULL);
  int n_kept = MIN(f->n_others, MAX_PROCESSES), n = 0;
  char size[32];
  for (int i = 0; i < n_kept && n < MAX_NAMED; i++) {
    const Process *process = &f->processes[i];
    if (process == self)
      continue;
    g_string_append_printf(out, "%sProcess %.*s: %s", n++ ? ", " : "", (int)process->n_name, process->name,
                           tn_print_bytes(size, sizeof size, process->bytes, TN_UNITS_IEC));
  }
  int left = f->n_others - (self ? 1 : 0) - n;
  if (left > 0)
    g_string_append_printf(out, " and %d more", left);
  return g_string_free(out, f->n_others < 2 && !is_unsure);
}

static int
count_known(const Figures *f)
{
  const tn_bytes all[] = {f->requested,   f->total,  f->free,    f->allocated, f->reserved,
                          f->unallocated, f->active, f->allowed, f->own,       f->pools};
  int n = f->n_others;
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
    n += all[i] >= 0;
  return n;
}

/* Programs log what they raise, and raise it again: one failure has one sentence, to its last digit. */
static bool
is_news(TnTextLog *log, const State *state, const Figures *f)
{
  const tn_bytes all[] = {f->requested,   f->total,  f->free,    f->allocated, f->reserved,
                          f->unallocated, f->active, f->allowed, f->own,       f->pools};
  g_autoptr(GString) what = g_string_new(NULL);
  g_string_append_printf(what, "on %d", f->device);
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
    g_string_append_printf(what, " %" G_GINT64_FORMAT, all[i]);
  for (int i = 0; i < MIN(f->n_others, MAX_PROCESSES); i++)
    g_string_append_printf(what, " %.*s %" G_GINT64_FORMAT, (int)f->processes[i].n_name, f->processes[i].name,
                           f->processes[i].bytes);
  return !f->is_whole || tn_text_is_news(log->said, what->str, state->when);
}

/* The processes, this one and others. */
static void
add_processes(TnAccount *account, const Figures *f, tn_bytes held, const Process *self, bool is_unsure)
{
  tn_bytes own = self ? self->bytes : f->own, other = self ? f->other - self->bytes : f->other;
  g_autofree char *others = list_others(f, self, is_unsure);
  g_autofree char *seen = !self ? NULL
                          : f->n_others == 1
                              ? g_strdup("of “Process …”, which is this one as seen from outside its container")
                              : g_strdup_printf("of “Process %.*s”, whose size fits: this one as seen from outside its "
                                                "container",
                                                (int)self->n_name, self->name);
  if (own >= 0 && f->allocated >= 0 && own > held)
    tn_account_add(account, "this process, outside PyTorch's allocator", own - held,
                   seen ? seen : "context, kernels, cuBLAS/cuDNN/NCCL");
  if (!self || f->n_others > 1)
    tn_account_add(account, "other processes", other, others);
}

static void
close_account(TnAccount *account, const Figures *f, bool is_twice)
{
  if (f->total >= 0 && f->is_whole)
    tn_account_close(account,
                     f->own >= 0 || f->n_others ? "not said by the report"
                     : f->lacks_free            ? "free, outside PyTorch's allocator, other processes"
                                                : "outside PyTorch's allocator, other processes",
                     is_twice ? "counted twice: this process is one of the others, too"
                              : "more than the device has (the system lends it the host's memory)",
                     f->rounding);
}

static void
fill_account(TnAccount *account, const Figures *f)
{
  tn_bytes unallocated = f->unallocated;
  if (unallocated < 0 && f->reserved >= 0 && f->allocated >= 0)
    unallocated = MAX(f->reserved - f->allocated, 0);
  tn_bytes held = tn_add_saturated(MAX(f->allocated, 0), MAX(unallocated, 0));
  const Process *self = find_ourselves(f, held);
  bool is_unsure = !self && is_among_others(f, held);
  if (f->total >= 0)
    tn_account_set_total(account, f->total, "memory of the device");
  tn_account_add(account, "allocated by PyTorch", f->allocated, "tensors, rounded to blocks");
  tn_account_add(account, "reserved by PyTorch, unallocated", unallocated,
                 "the allocator's cache: in pieces, and pools, that this request could not use");
  add_processes(account, f, held, self, is_unsure);
  tn_account_add(account, "free on the device", f->free, NULL);
  close_account(account, f, is_unsure && held <= f->total);
  tn_account_add_detail(account, "requested", f->requested, "the allocation that failed");
  tn_account_add_detail(account, "allowed by the set memory fraction", f->allowed, NULL);
  tn_account_add_detail(account, "in private pools (CUDA graphs)", f->pools,
                        "part of what is allocated");
}

static void
report_sentence(TnTextLog *log, State *state, const char *text)
{
  Figures f = read_figures(text);
  if (!is_news(log, state, &f))
    return;
  g_autofree char *title = g_strdup_printf("PyTorch out-of-memory message, device %d", f.device);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, state->first_line));
  account->last_line = state->last_line;
  account->statement = g_strdup(
      "These are totals: no map of addresses can be drawn from them. Call "
      "torch.cuda.memory._record_memory_history() first and "
      "torch.cuda.memory._dump_snapshot(\"oom.pickle\") where it fails, and open that file.");
  fill_account(account, &f);
  if (f.requested >= 0) {
    TnDevice *device = tn_text_log_oom(log, f.device, f.requested, f.free, account->title);
    if (f.total >= 0)
      device->total_bytes = f.total;
    if (f.lacks_device && device->n_unnamed++ == 0)
      device->first_unnamed = state->first_line;
  }
  if (f.requested < 0 && g_str_has_prefix(text, endless))
    tn_account_add_detail(account, "requested: more than 1 EB", 0,
                          "a negative or corrupt size, no lack of memory");
  else if (!f.is_whole)
    tn_text_log_cut_off(log, account,
                        f.requested < 0 ? "not even the size of the request is there"
                                        : "what it says of the device is missing or in part");
}

/* ---- other one-line forms ------------------------------------------------------------- */

/* "memory allocation failed with OOM on device D while trying to allocate N bytes (free: F, total:
 * T)", of 2.13 and later. */
static bool
read_warning(TnTextLog *log, const TnTextLine *line)
{
  int64_t device = 0;
  tn_bytes requested, left, total;
  const char *at = strstr(line->text, "memory allocation failed with OOM on device");
  if (!at || !tn_text_number_after(at, "on device", &device) || device > 4095 ||
      !tn_text_size_after(at, "trying to allocate", &requested, NULL) ||
      !tn_text_size_after(at, "(free:", &left, NULL) ||
      !tn_text_size_after(at, "total:", &total, NULL) || !strstr(strstr(at, "total:"), ")"))
    return false;
  g_autofree char *title = g_strdup_printf("PyTorch: cudaMalloc failed on device %d", (int)device);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, line->number));
  tn_account_set_total(account, total, "memory of the device");
  tn_account_add(account, "free on the device", left, NULL);
  tn_account_close(account, "in use, by whom is not said", "more than the device has", 0);
  tn_account_add_detail(account, "requested", requested, "the segment that failed");
  tn_text_log_oom(log, (int32_t)device, requested, left, title)->total_bytes = total;
  return true;
}

/* "MPS backend out of memory (MPS allocated: 9.00 GB, other allocations: 0 bytes, max allowed: 9.07
 * GB). Tried to allocate 256 bytes on private pool." */
static bool
read_mps(TnTextLog *log, const TnTextLine *line)
{
  tn_bytes allocated, other, allowed, requested, step = 0, sum = 0;
  const char *at = strstr(line->text, "MPS backend out of memory (MPS allocated:");
  if (!at || !tn_text_size_after(at, "MPS allocated:", &allocated, &step) ||
      !tn_text_size_after(at, "other allocations:", &other, &sum) ||
      !tn_text_size_after(at, "max allowed:", &allowed, NULL) ||
      !tn_text_size_after(at, "Tried to allocate", &requested, NULL))
    return false;
  TnAccount *account =
      tn_text_log_report(log, tn_account_new("PyTorch out-of-memory message, MPS", line->number));
  tn_account_set_total(account, allowed, "allowed (high watermark)");
  tn_account_add(account, "allocated by PyTorch", allocated, NULL);
  tn_account_add(account, "other allocations", other, NULL);
  tn_account_close(account, "left below the watermark", "above the watermark", step + sum);
  tn_account_add_detail(account, "requested", requested, "the allocation that failed");
  tn_text_log_oom(log, 0, requested, TN_BYTES_UNKNOWN, account->title);
  return true;
}

/* "DefaultCPUAllocator: can't allocate memory: you tried to allocate 17179869184 bytes. Error code 12 (…)". */
static bool
read_cpu(TnTextLog *log, const TnTextLine *line)
{
  tn_bytes requested;
  const char *at = strstr(line->text, "DefaultCPUAllocator:");
  if (!at || !tn_text_size_after(at, "you tried to allocate", &requested, NULL))
    return false;
  TnAccount *account = tn_text_log_report(log, tn_account_new("PyTorch: no memory on the host (CPU)", line->number));
  account->statement = g_strdup("The machine's own memory was short, not the device's.");
  tn_account_add_detail(account, "requested", requested, "the allocation that failed");
  TnDevice *host = tn_text_log_oom(log, -1, requested, TN_BYTES_UNKNOWN, account->title);
  host->name = tn_strings_intern(log->document->strings, "cpu", -1);
  return true;
}

/* ---- lines ----------------------------------------------------------------------------- */

static void
close_sentence(TnTextLog *log, State *state)
{
  if (!state->text)
    return;
  const char *text = state->text->str;
  if (*text != endless[0] || g_str_has_prefix(text, endless))
    report_sentence(log, state, text);
  g_string_free(state->text, TRUE);
  state->text = NULL;
}

static gsize
append_ink(GString *out, const char *text)
{
  gsize before = out->len;
  for (; *text && out->len < MAX_TEXT; text++)
    if (is_ink(*text))
      g_string_append_c(out, *text);
  return out->len - before;
}

/* Lines that add no figure are somebody else's, or hold only words: the report ends before them. */
static void
append_line(State *state, const char *text, uint32_t number)
{
  gsize added = append_ink(state->text, text);
  Figures f = read_figures(state->text->str);
  int known = count_known(&f);
  bool is_idle = known <= state->known;
  state->n_idle = is_idle ? state->n_idle + 1 : 0;
  state->idle_text = is_idle ? state->idle_text + added : 0;
  if (!is_idle || state->n_lines == 0)
    state->last_line = number;
  state->known = known;
  state->is_whole = f.is_whole;
  state->n_lines++;
}

/* `start`: what the line has behind "Tried to allocate". */
static void
open_sentence(TnTextLog *log, State *state, const TnTextLine *line, const char *start, uint32_t first_line)
{
  char next[sizeof endless];
  gsize n = 0;
  for (const char *at = start; *at && n + 1 < sizeof next; at++)
    if (is_ink(*at))
      next[n++] = *at;
  next[n] = 0;
  if (n && !g_ascii_isdigit(next[0]) && !g_str_has_prefix(endless, next))
    return; /* a line of a program that prints it */
  state->text = g_string_new(NULL);
  state->first_line = first_line;
  state->when = log->now;
  state->has_logger = line->text != line->whole;
  state->stream = line->stream;
  state->n_lines = state->n_idle = 0;
  state->idle_text = 0;
  state->known = 0;
  append_line(state, start, line->number);
}

/* Goes on with start_label, of which *n characters were there: behind it, or NULL, and then *n are there at the end of
 * the text. */
static const char *
match_start(const char *text, gsize *n)
{
  for (const char *at = text; *at; at++) {
    if (!is_ink(*at))
      continue;
    if (*at != start_label[*n]) {
      *n = 0;
      return NULL;
    }
    if (++*n == sizeof start_label - 1)
      return at + 1;
  }
  return NULL;
}

/* Behind "Tried to allocate", which may have begun on a line before; NULL: the line has none, or its beginning. */
static const char *
find_start(State *state, const TnTextLine *line, uint32_t *first_line)
{
  gsize n = line->length ? state->n_begun : 0;
  const char *behind = n ? match_start(line->text, &n) : NULL;
  *first_line = behind ? state->begun_line : line->number;
  if (!behind && n) { /* a narrow line of nothing else */
    state->n_begun = n;
    return NULL;
  }
  const char *last = behind ? NULL : strrchr(line->text, start_label[0]); /* it has this letter once */
  const char *whole = last ? strstr(line->text, "Tried to allocate") : NULL;
  if (whole)
    behind = whole + strlen("Tried to allocate");
  if (last && !whole)
    behind = match_start(last, &n);
  state->n_begun = behind ? 0 : n;
  state->begun_line = line->number;
  return behind;
}

/* Not so an empty line, a frame of a traceback, another report, and a logger's line behind one without. */
static bool
is_continuation(const State *state, const TnTextLine *line)
{
  const char *text = line->text + strspn(line->text, " ");
  return state->text && line->length && !strstr(text, "Traceback") && !g_str_has_prefix(text, "File \"") &&
         !strstr(text, "out of memory") && (state->has_logger || line->text == line->whole);
}

static bool
is_done(const State *state)
{
  return state->is_whole || state->n_lines >= MAX_LINES || state->text->len >= MAX_TEXT ||
         state->n_idle >= MAX_IDLE_SHORT || (state->n_idle >= MAX_IDLE && state->idle_text >= MAX_IDLE_TEXT);
}

/* Whether it may stand before "Tried to allocate", with which a wrapped line goes on. */
static bool
is_announcement(const TnTextLine *line)
{
  return strstr(line->text, "OutOf") || strstr(line->text, "Error:") || strstr(line->text, "out of mem");
}

static void
keep_announcement(State *state, const TnTextLine *line)
{
  bool is_ours = (line->tag[0] || state->before != SILENT) && !state->text;
  if (is_ours && line->tag[0] && !line->text[strspn(line->text, " ")])
    state->before = BARE;
  else
    state->before = is_ours && is_announcement(line) ? ANNOUNCED : SILENT;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  uint32_t first_line;
  const char *start = find_start(state, line, &first_line);
  if (strstr(line->text, "memory allocation failed with OOM") && read_warning(log, line))
    return;
  if ((start && read_mps(log, line)) || read_cpu(log, line))
    return;
  if (start) {
    close_sentence(log, state);
    open_sentence(log, state, line, start, first_line);
  } else if (state->text && line->stream != state->stream) {
    return; /* between the lines of another stream */
  } else if (is_continuation(state, line)) {
    append_line(state, line->text, line->number);
  } else {
    close_sentence(log, state);
  }
  if (state->text && is_done(state))
    close_sentence(log, state);
  keep_announcement(state, line);
}

/* Without words that make it a failure of its own. */
static bool
is_announced(const State *state, const TnTextLine *line)
{
  const char *own = state->before == BARE ? "Tried to allocate" : "Error:";
  return state->before != SILENT && !state->text && !strstr(line->text, own) &&
         (is_announcement(line) || strstr(line->text, "Tried"));
}

/* A terminal wraps a tagged line without its tag. */
static bool
goes_on(gconstpointer data, const TnTextLine *line)
{
  const State *state = data;
  gsize n = line->length ? state->n_begun : 0;
  return (n && (match_start(line->text, &n) || n)) || is_announced(state, line) ||
         (is_continuation(state, line) && !strstr(line->text, "Tried to allocate"));
}

static void
end_text(TnTextLog *log, void *state)
{
  close_sentence(log, state);
}

static const char *const marks[] = {"CUDA out of memory", "Tried to allocate", "OutOfMemoryError",
                                    "memory allocation failed with OOM", "DefaultCPUAllocator:", NULL};

const TnTextFinder tn_text_pytorch = {
    .name = "PyTorch's out-of-memory message",
    .state_size = sizeof(State),
    .said_size = sizeof(TnTextSaid), /* whole sentences */
    .line = add_line,
    .end = end_text,
    .goes_on = goes_on,
    .marks = marks,
};
