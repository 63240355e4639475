/* SPDX-License-Identifier: MIT */
/* PyTorch's out-of-memory sentence, in all the wordings of 1.0 to 2.10 (also of NPU and XPU),
 * whole, wrapped over lines or cut off; MPS's; and the warning of a failed cudaMalloc. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

#define MAX_LINES 12 /* a sentence wrapped over more is not ours */

#define MAX_IDLE 3 /* nor one with more lines than this that say nothing */

typedef struct {
  GString *text; /* of the sentence so far; NULL: none is open */
  uint32_t first_line, last_line, n_lines, n_idle;
  int known; /* how many figures it has so far */
  TnTextMoment when; /* of the first line */
} State;

typedef struct {
  tn_bytes requested, total, free, allocated, reserved, unallocated, active, allowed, own, pools,
      other; /* TN_BYTES_UNKNOWN where it does not say */
  int32_t n_others, device;
  tn_bytes rounding;
  bool is_whole;
  bool lacks_device; /* "GPU " without its number: taken for 0 */
  bool lacks_free;   /* the sentence has no "of which … is free", as XPU's of devices that can't say it */
} Figures;

/* Reads "S label" at *at. */
static bool
measure_with(const char **at, const char *label, Figures *f, tn_bytes *out)
{
  const char *go = *at;
  tn_bytes bytes, step;
  if (!tn_text_measure(&go, &bytes, &step) || !tn_text_word(&go, label))
    return false;
  f->rounding = tn_add_saturated(f->rounding, step);
  *out = bytes;
  *at = go;
  return true;
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

/* "S label …": the two words before `place` and `label` itself. */
static bool
measure_before(const char *text, const char *place, const char *label, Figures *f, tn_bytes *out)
{
  const char *at = strstr(text, place);
  for (int blanks = 0; at && at > text; at--)
    if (at[-1] == ' ' && ++blanks == 3)
      break;
  return at && measure_with(&at, label, f, out);
}

/* "(GPU 0; 11.17 GiB total capacity; 10.85 GiB already allocated; …)". */
static void
read_list(const char *text, Figures *f)
{
  const struct {
    const char *label;
    tn_bytes *out;
  } items[] = {{"total capacity", &f->total},
               {"total capacty", &f->total},
               {"already allocated", &f->allocated},
               {"current active", &f->active},
               {"free", &f->free},
               {"allowed", &f->allowed},
               {"reserved in total by PyTorch", &f->reserved},
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

static void
read_processes(const char *text, Figures *f)
{
  for (const char *at = strstr(text, "Process "); at; at = strstr(at + 1, "Process ")) {
    const char *go = at + strlen("Process ");
    int64_t pid;
    tn_bytes bytes;
    if (!tn_text_number(&go, &pid) || !tn_text_word(&go, "has") ||
        !measure_with(&go, "memory in use", f, &bytes))
      continue;
    if (tn_add(MAX(f->other, 0), bytes, &f->other))
      f->n_others++;
  }
}

/* "GPU 0 has a total capacity of S of which S is free. …" or "… capacity of S. …". */
static void
read_sentence(const char *text, Figures *f)
{
  f->lacks_free = measure_after(text, "total capacity of", ".", f, &f->total);
  if (!f->lacks_free && !measure_after(text, "total capacty of", "of which", f, &f->total))
    measure_after(text, "total capacity of", "of which", f, &f->total);
  measure_after(text, "of which", "is free", f, &f->free);
  measure_after(text, "this process has", "memory in use", f, &f->own);
  read_processes(text, f);
  measure_before(text, "allowed; Of the allocated", "allowed", f, &f->allowed);
  measure_after(text, "Of the allocated memory", "is allocated by PyTorch", f, &f->allocated);
  measure_after(text, "allocated by PyTorch, with", "allocated in private pools", f, &f->pools);
  measure_before(text, "is reserved by PyTorch but", "is reserved", f, &f->unallocated);
  f->is_whole = f->total >= 0 && (f->free >= 0 || f->lacks_free) && f->allocated >= 0 && f->unallocated >= 0;
}

static void
read_device(const char *at, Figures *f)
{
  int64_t number;
  bool is_unit = at[0] && at[1] == 'P' && at[2] == 'U'; /* GPU, NPU, XPU */
  while (g_ascii_isalpha(*at))
    at++;
  if (tn_text_number(&at, &number) && number <= 4095)
    f->device = (int32_t)number;
  else
    f->lacks_device = is_unit;
}

/* The text from "Tried to allocate" on; blanks are single. */
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
  const char *at = text + strlen("Tried to allocate");
  tn_bytes step;
  if (tn_text_measure(&at, &f.requested, &step))
    f.rounding = 0;
  else
    return f;
  at += *at == '.';
  while (*at == ' ')
    at++;
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

/* In a container the driver sees this process under another number: then "Process P" is us, and
 * counting it beside our own memory would pass the device's. */
static bool
is_other_ourselves(const Figures *f, tn_bytes held)
{
  tn_bytes with = tn_add_saturated(tn_add_saturated(f->other, MAX(f->free, 0)), held);
  return f->own < 0 && f->n_others > 0 && tn_add_saturated(f->other, f->rounding) >= held &&
         with > tn_add_saturated(f->total, f->rounding);
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
is_news(TnTextLog *log, const State *state, const Figures *f, const char *text)
{
  const tn_bytes all[] = {f->requested,   f->total,  f->free,    f->allocated, f->reserved,
                          f->unallocated, f->active, f->allowed, f->own,       f->pools};
  g_autoptr(GString) what = g_string_new(NULL);
  g_string_append_printf(what, "on %d", f->device);
  for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
    g_string_append_printf(what, " %" G_GINT64_FORMAT, all[i]);
  for (const char *at = strstr(text, "Process "); at; at = strstr(at + 1, "Process "))
    g_string_append_printf(what, " %.40s", at);
  return !f->is_whole || tn_text_is_news(log->said, what->str, state->when);
}

static void
fill_account(TnAccount *account, const Figures *f)
{
  tn_bytes unallocated = f->unallocated;
  if (unallocated < 0 && f->reserved >= 0 && f->allocated >= 0)
    unallocated = MAX(f->reserved - f->allocated, 0);
  tn_bytes held = tn_add_saturated(MAX(f->allocated, 0), MAX(unallocated, 0));
  tn_bytes other = f->other, own = f->own;
  if (f->total >= 0) {
    tn_account_set_total(account, f->total, "memory of the device");
  }
  bool is_self = f->total >= 0 && is_other_ourselves(f, held);
  if (is_self) {
    own = other;
    other = TN_BYTES_UNKNOWN;
  }
  tn_account_add(account, "allocated by PyTorch", f->allocated, "tensors, rounded to blocks");
  tn_account_add(account, "reserved by PyTorch, unallocated", unallocated,
                 "the allocator's cache: in pieces, and pools, that this request could not use");
  if (own >= 0 && f->allocated >= 0 && own > held)
    tn_account_add(account, "this process, outside PyTorch's allocator", own - held,
                   is_self ? "of “Process …”, which is this one as seen from outside its container"
                           : "context, kernels, cuBLAS/cuDNN/NCCL");
  tn_account_add(account, "other processes", other, NULL);
  tn_account_add(account, "free on the device", f->free, NULL);
  if (f->total >= 0 && f->is_whole)
    tn_account_close(account,
                     f->own >= 0 || f->n_others ? "not said by the report"
                     : f->lacks_free            ? "free, outside PyTorch's allocator, other processes"
                                                : "outside PyTorch's allocator, other processes",
                     "more than the device has (the system lends it the host's memory)",
                     f->rounding);
  tn_account_add_detail(account, "requested", f->requested, "the allocation that failed");
  tn_account_add_detail(account, "allowed by the set memory fraction", f->allowed, NULL);
  tn_account_add_detail(account, "in private pools (CUDA graphs)", f->pools,
                        "part of what is allocated");
}

static void
report_sentence(TnTextLog *log, State *state, const char *text)
{
  Figures f = read_figures(text);
  if (!is_news(log, state, &f, text))
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
  if (f.requested < 0 && strstr(text, "more than 1EB"))
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
  report_sentence(log, state, state->text->str);
  g_string_free(state->text, TRUE);
  state->text = NULL;
}

/* Lines that add no figure are somebody else's, or hold only words: the report ends before them. */
static void
append_line(State *state, const char *text, uint32_t number)
{
  while (*text == ' ')
    text++;
  if (state->text->len)
    g_string_append_c(state->text, ' ');
  g_string_append(state->text, text);
  while (state->text->len && state->text->str[state->text->len - 1] == ' ')
    g_string_truncate(state->text, state->text->len - 1);
  Figures f = read_figures(state->text->str);
  int known = count_known(&f);
  state->n_idle = known > state->known ? 0 : state->n_idle + 1;
  if (known > state->known || state->n_lines == 0)
    state->last_line = number;
  state->known = known;
  state->n_lines++;
}

static void
open_sentence(TnTextLog *log, State *state, const TnTextLine *line, const char *start)
{
  const char *next = start + strlen("Tried to allocate");
  while (*next == ' ')
    next++;
  if (*next && !g_ascii_isdigit(*next) && !g_str_has_prefix(next, "more than 1EB"))
    return; /* a line of a program that prints it */
  state->text = g_string_new(NULL);
  state->first_line = line->number;
  state->when = log->now;
  state->n_lines = state->n_idle = 0;
  state->known = 0;
  append_line(state, start, line->number);
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  const char *start = strstr(line->text, "Tried to allocate");
  if (strstr(line->text, "memory allocation failed with OOM") && read_warning(log, line))
    return;
  if ((start && read_mps(log, line)) || read_cpu(log, line))
    return;
  if (start) {
    close_sentence(log, state);
    open_sentence(log, state, line, start);
  } else if (state->text && line->length && !strstr(line->text, "Traceback")) {
    append_line(state, line->text, line->number);
  } else {
    close_sentence(log, state);
  }
  if (state->text && (state->n_lines >= MAX_LINES || state->n_idle >= MAX_IDLE ||
                      read_figures(state->text->str).is_whole))
    close_sentence(log, state);
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
    .marks = marks,
};
