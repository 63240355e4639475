/* SPDX-License-Identifier: MIT */
/* vLLM's memory profile (as one sentence, and as a table of lines) and SGLang's cache line. */
#include "config.h"

#include "data/readers/text-log.h"

#include <string.h>

enum { USABLE, TOTAL, WEIGHTS, NON_TORCH, ACTIVATION, PEAK, CACHE, N_FIGURES }; /* peak: of PyTorch, with the weights */

typedef struct {
  tn_bytes value[N_FIGURES], weights_step;
  bool is_known[N_FIGURES];
  tn_bytes rounding;
  uint32_t first_line, last_line;
} State;

static tn_bytes
get(const State *state, int i)
{
  return state->is_known[i] ? state->value[i] : TN_BYTES_UNKNOWN;
}

/* Old versions say PyTorch's peak only; the weights are part of it. */
static void
add_peak(TnAccount *account, const State *state)
{
  tn_bytes peak = get(state, PEAK), weights = get(state, WEIGHTS);
  if (peak >= 0 && weights >= 0 && peak >= weights)
    tn_account_add(account, "peak of activations", peak - weights, "PyTorch's peak without the weights");
  else
    tn_account_add(account, "peak of PyTorch", peak, "weights and activations");
}

static void
report(TnTextLog *log, State *state)
{
  if (!state->first_line)
    return;
  TnAccount *account =
      tn_text_log_report(log, tn_account_new("vLLM memory profile", state->first_line));
  account->last_line = state->last_line;
  tn_account_set_total(account, get(state, USABLE), "may be used by this instance");
  tn_account_add(account, "model weights", get(state, WEIGHTS), NULL);
  tn_account_add(account, "outside PyTorch", get(state, NON_TORCH), "context, NCCL");
  tn_account_add(account, "peak of activations", get(state, ACTIVATION), NULL);
  add_peak(account, state);
  tn_account_add(account, "KV cache", get(state, CACHE), "what is left for it");
  if (account->total >= 0 && account->rows->len >= 4)
    tn_account_close(account, "not listed by the report", "above what it may use", state->rounding);
  tn_account_add_detail(account, "memory of the device", get(state, TOTAL), NULL);
  account->statement = g_strdup(
      "These are totals: for a map record with torch.cuda.memory._record_memory_history() in the "
      "worker and save with _dump_snapshot().");
  *state = (State){0};
}

/* Said when the model is loaded, and again, in other words, in the profile itself. */
static bool
is_same_weights(const State *state, int i, tn_bytes bytes, tn_bytes step)
{
  return i == WEIGHTS && state->is_known[i] && !state->is_known[ACTIVATION] && !state->is_known[CACHE] &&
         ABS(state->value[i] - bytes) <= MAX(step, state->weights_step);
}

static void
set(TnTextLog *log, State *state, int i, tn_bytes bytes, tn_bytes step, uint32_t line)
{
  if (is_same_weights(state, i, bytes, step))
    return;
  if (state->is_known[i])
    report(log, state); /* the same figure again: another profile */
  if (i == WEIGHTS)
    state->weights_step = step;
  state->value[i] = bytes;
  state->is_known[i] = true;
  state->rounding += step;
  if (!state->first_line)
    state->first_line = line;
  state->last_line = line;
}

static bool
find_measure(const char *text, const char *label, tn_bytes *out_bytes, tn_bytes *out_step)
{
  const char *at = strstr(text, label);
  if (!at)
    return false;
  at += strlen(label);
  return tn_text_measure(&at, out_bytes, out_step);
}

/* "… can use total_gpu_memory (23.58GiB) x gpu_memory_utilization (0.99) = 23.35GiB". */
static void
read_usable(TnTextLog *log, State *state, const TnTextLine *line)
{
  tn_bytes bytes, step;
  const char *at = strstr(line->text, "vLLM instance can use");
  if (!at)
    return;
  if (find_measure(at, "total_gpu_memory (", &bytes, &step))
    set(log, state, TOTAL, bytes, 0, line->number);
  if (find_measure(at, ") = ", &bytes, &step) || find_measure(at, "can use", &bytes, &step))
    set(log, state, USABLE, bytes, step, line->number);
}

/* "Memory profiling results: total_gpu_memory=23.65GiB … gpu_memory_utilization=0.90": what vLLM makes of them. */
static void
read_share(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const char label[] = "gpu_memory_utilization=";
  const char *at = strstr(line->text, "Memory profiling results:"), *share = at ? strstr(at, label) : NULL;
  tn_bytes total, step;
  if (!share || !find_measure(at, "total_gpu_memory=", &total, &step))
    return;
  double part = g_ascii_strtod(share + strlen(label), NULL);
  if (part > 0 && part <= 1)
    set(log, state, USABLE, part < 1 ? (tn_bytes)((double)total * part) : total, step, line->number);
}

/* "(16.00 GiB KV cache is needed, which is larger than the available KV cache memory (10.25 GiB)". */
static void
read_short_cache(TnTextLog *log, const TnTextLine *line)
{
  tn_bytes needed, available;
  const char *at = strstr(line->text, " KV cache is needed"), *from = at;
  while (from && from > line->text && from[-1] != '(')
    from--;
  if (!at || !tn_text_measure(&from, &needed, NULL) || from != at ||
      !find_measure(at, "available KV cache memory (", &available, NULL))
    return;
  g_autofree char *what = g_strdup_printf("cache %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT, needed, available);
  if (!tn_text_is_news(log->said, what, log->now))
    return;
  TnAccount *account = tn_text_log_report(log, tn_account_new("vLLM: the KV cache is too small", line->number));
  tn_account_add_detail(account, "needed", needed, "for one request of the longest sequence");
  tn_account_add_detail(account, "available", available, "what the weights and activations leave");
  account->statement = g_strdup("A shorter max_model_len needs less, a higher gpu_memory_utilization leaves more.");
  tn_text_log_oom(log, 0, needed, TN_BYTES_UNKNOWN, account->title); /* room for the cache is none of the device's */
}

/* "device cuda:2 (…": 2; 0 where it is not named. */
static int32_t
ordinal_before(const char *open)
{
  const char *at = open;
  int64_t ordinal;
  while (at[-1] == ' ')
    at--;
  while (g_ascii_isdigit(at[-1]))
    at--;
  return at[-1] == ':' && tn_text_number(&at, &ordinal) && ordinal <= 4095 ? (int32_t)ordinal : 0;
}

/* "Free memory on device (5.10/23.64 GiB) on startup is less than desired GPU memory utilization (0.9, 21.28 GiB)":
 * newer versions name the device before the bracket.  The first figure has the second's unit. */
static void
read_busy_device(TnTextLog *log, const TnTextLine *line)
{
  tn_bytes left, total, wanted, step;
  const char *at = strstr(line->text, "Free memory on device "), *open = at ? strchr(at, '(') : NULL;
  const char *slash = open ? strchr(open, '/') : NULL, *end = slash ? slash + 1 : NULL;
  if (!end || slash - open > 20 || !tn_text_measure(&end, &total, NULL))
    return;
  const char *unit = slash + 1 + strspn(slash + 1, "0123456789. ");
  g_autofree char *first = g_strdup_printf("%.*s%.*s", (int)(slash - open - 1), open + 1, (int)(end - unit), unit);
  const char *begin = first, *want = strstr(end, "utilization (");
  want = want ? strstr(want, ", ") : NULL;
  if (!want || (want += 2, !tn_text_measure(&begin, &left, &step)) || !tn_text_measure(&want, &wanted, NULL))
    return;
  g_autofree char *what = g_strndup(at, (gsize)(want - at));
  if (!tn_text_is_news(log->said, what, log->now))
    return;
  TnAccount *account = tn_text_log_report(log, tn_account_new("vLLM: too little of the device is free", line->number));
  tn_account_set_total(account, total, "memory of the device");
  tn_account_add(account, "free on the device", left, NULL);
  tn_account_close(account, "in use already, by whom is not said", "more than the device has", step);
  tn_account_add_detail(account, "wanted", wanted, "gpu_memory_utilization of the device");
  tn_text_log_oom(log, ordinal_before(open), wanted, left, account->title)->total_bytes = total;
}

static void
read_sglang(TnTextLog *log, const TnTextLine *line)
{
  tn_bytes keys, values;
  if (!strstr(line->text, "KV Cache is allocated.") ||
      !find_measure(line->text, "K size:", &keys, NULL) ||
      !find_measure(line->text, "V size:", &values, NULL))
    return;
  TnAccount *account = tn_text_log_report(log, tn_account_new("SGLang KV cache", line->number));
  account->total_what = g_strdup("KV cache");
  tn_account_add(account, "keys", keys, NULL);
  tn_account_add(account, "values", values, NULL);
  tn_account_close(account, "", "", 0);
}

static void
add_line(TnTextLog *log, void *state, const TnTextLine *line)
{
  static const struct {
    const char *label;
    int figure;
  } rows[] = {{"model weights take", WEIGHTS},
              {"Model loading took", WEIGHTS},
              {"Loading model weights took", WEIGHTS},
              {"non_torch_memory takes", NON_TORCH},
              {"non_torch_memory ", NON_TORCH},
              {"non_torch_memory=", NON_TORCH},
              {"peak_torch_memory=", PEAK},
              {"kv_cache_size=", CACHE},
              {"total_gpu_memory=", TOTAL},
              {"PyTorch activation peak memory takes", ACTIVATION},
              {"PyTorch activation peak memory ", ACTIVATION},
              {"reserved for KV Cache is", CACHE},
              {"available_kv_cache_memory", CACHE},
              {"Available KV cache memory:", CACHE},
              {"total_gpu_memory  ", TOTAL}};
  tn_bytes bytes, step;
  int last = -1;
  if (!strstr(line->text, "emory") && !strstr(line->text, "Model loading") &&
      !strstr(line->text, "KV Cache") && !strstr(line->text, "can use") &&
      !strstr(line->text, "model weights"))
    return;
  read_usable(log, state, line);
  read_share(log, state, line);
  /* Command lines and settings have names with "=", too. */
  bool has_results = strstr(line->text, "Memory profiling results:") != NULL;
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    if (rows[i].figure != last && (has_results || !g_str_has_suffix(rows[i].label, "=")) &&
        find_measure(line->text, rows[i].label, &bytes, &step)) {
      set(log, state, rows[i].figure, bytes, step, line->number);
      last = rows[i].figure;
    }
  read_short_cache(log, line);
  read_busy_device(log, line);
  read_sglang(log, line);
}

static void
end_text(TnTextLog *log, void *state)
{
  report(log, state);
}

static const char *const marks[] = {
    "Memory profiling",      "KV cache memory:",   "available_kv_cache",
    "KV Cache is allocated", "Model loading took", "KV cache is needed", "is less than desired GPU memory",
    NULL};

const TnTextFinder tn_text_vllm = {
    .name = "vLLM's memory profile",
    .state_size = sizeof(State),
    .said_size = sizeof(TnTextSaid), /* of failures */
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
