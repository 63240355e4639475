/* SPDX-License-Identifier: MIT */
/* llama.cpp and all that is built on ggml: the size of each device's buffers as it loads, and the
 * buffer that did not fit. */
#include "config.h"

#include "data/readers/text-log.h"

#include "data/readers/text-names.h"

#include <string.h>

typedef struct {
  char *name;
  TnAccount *account; /* owned until reported */
  uint32_t last_line;
} Device;

#define METAL_STEP 32768 /* a page of 16 KiB, and 0.01 MiB */
#define NEAR 3 /* lines between a failure in the backend's words and in ggml's own */

typedef struct {
  TnTextNames devices; /* Device * */
  char *waiting;       /* the backend whose buffer failed, until its device is said; NULL: none */
  tn_bytes waiting_bytes;
  uint32_t waiting_line;
  TnDevice *oom; /* the device of the failure in hand; NULL: none */
  guint oom_mark; /* its mark there */
  int32_t oom_device; /* as it says */
  uint32_t oom_line;
  tn_bytes oom_step; /* of its size */
  TnAccount *oom_account; /* borrowed */
} State;

static void
close_devices(TnTextLog *log, State *state)
{
  for (guint i = 0; i < tn_text_names_count(&state->devices); i++) {
    Device *device = tn_text_names_get(&state->devices, i);
    device->account->last_line = device->last_line;
    tn_account_close(device->account, "", "", 0);
    device->account->total_what = g_strdup("buffers of this device");
    device->account->statement =
        g_strdup("Sizes without addresses: no map can be drawn. Fewer layers on the device (-ngl), "
                 "a smaller context (-c) or batch (-ub) make its buffers smaller.");
    tn_text_log_report(log, device->account);
    g_free(device->name);
    g_free(device);
  }
  tn_text_names_clear(&state->devices);
}

static Device *
find_device(State *state, const char *name, gsize length, uint32_t line)
{
  char *own_name;
  Device *device = tn_text_names_find(&state->devices, name, length, &own_name);
  if (device)
    return device;
  device = g_new0(Device, 1);
  device->name = own_name;
  g_autofree char *title = g_strdup_printf("llama.cpp buffers on %s", device->name);
  device->account = tn_account_new(title, line);
  tn_text_names_add(&state->devices, device->name, device);
  return device;
}

static const char *
word_before(const char *start, const char *end, const char **out_end)
{
  while (end > start && end[-1] == ' ')
    end--;
  *out_end = end;
  while (end > start && end[-1] != ' ')
    end--;
  return end;
}

/* "llama_kv_cache_init:      CUDA0 KV buffer size =   379.23 MiB". */
static bool
read_buffer(State *state, const TnTextLine *line)
{
  const char *place = strstr(line->text, " buffer size"), *kind_end, *name_end;
  if (!place)
    return false;
  const char *at = place + strlen(" buffer size");
  tn_bytes bytes, step;
  if (!tn_text_word(&at, "=") || !tn_text_measure(&at, &bytes, &step))
    return false;
  const char *kind = word_before(line->text, place, &kind_end);
  const char *name = word_before(line->text, kind, &name_end);
  if (name == name_end || name_end[-1] == ':')
    return false;
  g_autofree char *what = g_strndup(kind, (gsize)(kind_end - kind));
  g_autofree char *row = g_strdup_printf("%s buffer", what);
  Device *device = find_device(state, name, (gsize)(name_end - name), line->number);
  device->last_line = line->number;
  tn_account_add(device->account, row, bytes, NULL);
  return true;
}

static bool
add_mebibytes(const char **at, const char *sign, int64_t *out)
{
  return tn_text_word(at, sign) && tn_text_number(at, out) && tn_mul(*out, 1 << 20, out);
}

/* What it prints as it ends, in MiB:
 *   "| - CUDA0 (RTX 4090) | 24080 = 4000 + (19000 = 18000 + 500 + 500) + 1080 |"
 *   "| - Host             |                   700 =   600 + 100 +   0         |" */
static bool
read_breakdown(TnTextLog *log, const TnTextLine *line)
{
  const char *at = strstr(line->text, "|   - "), *bar = at ? strchr(at + 1, '|') : NULL;
  int64_t total = -1, left = -1, self, model, context, compute;
  if (!bar || !strstr(line->text, "memory_breakdown"))
    return false;
  g_autofree char *name = g_strstrip(g_strndup(at + 6, (gsize)(bar - at) - 6));
  const char *go = bar + 1;
  bool has_total = strchr(go, '(') != NULL;
  if (has_total && (!add_mebibytes(&go, "", &total) || !add_mebibytes(&go, "=", &left)))
    return false;
  if (!add_mebibytes(&go, has_total ? "+ (" : "", &self) || !add_mebibytes(&go, "=", &model) ||
      !add_mebibytes(&go, "+", &context) || !add_mebibytes(&go, "+", &compute) ||
      (has_total && !tn_text_word(&go, ")")))
    return false;
  g_autofree char *title = g_strdup_printf("llama.cpp memory breakdown, %s", name);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, line->number));
  tn_account_set_total(account, total, has_total ? "memory of the device" : "used by llama.cpp");
  tn_account_add(account, "model", model, NULL);
  tn_account_add(account, "context", context, "KV cache");
  tn_account_add(account, "compute", compute, NULL);
  tn_account_add(account, "free on the device", left, NULL);
  tn_account_close(account, "unaccounted: other processes, the driver", "counted twice",
                   has_total ? 4 << 20 : 0);
  return true;
}

static TnDevice *
report_failure(TnTextLog *log, const char *on, int32_t device, tn_bytes bytes, uint32_t first, uint32_t last)
{
  g_autofree char *title = g_strdup_printf("llama.cpp: a buffer failed on %s", on);
  TnAccount *account = tn_text_log_report(log, tn_account_new(title, first));
  account->last_line = last;
  tn_account_add_detail(account, "requested", bytes, "the buffer that failed");
  return tn_text_log_oom(log, device, bytes, TN_BYTES_UNKNOWN, title);
}

/* Nobody says which of its devices it was: taken for the first.  Metal has one. */
static void
close_waiting(TnTextLog *log, State *state)
{
  if (!state->waiting)
    return;
  TnDevice *device =
      report_failure(log, state->waiting, 0, state->waiting_bytes, state->waiting_line, state->waiting_line);
  if (strcmp(state->waiting, "Metal") != 0 && device->n_unnamed++ == 0)
    device->first_unnamed = state->waiting_line;
  g_clear_pointer(&state->waiting, g_free);
}

/* "…: allocating 279356.51 MiB on device 0: cudaMalloc failed: out of memory". */
static bool
read_failure(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->text, "allocating ");
  tn_bytes bytes, step;
  int64_t device;
  if (!at || !strstr(at, "failed") || !tn_text_number_after(at, "on device", &device) ||
      device > 4095)
    return false;
  at += strlen("allocating ");
  if (!tn_text_measure(&at, &bytes, &step))
    return false;
  close_waiting(log, state);
  g_autofree char *on = g_strdup_printf("device %d", (int)device);
  state->oom = report_failure(log, on, (int32_t)device, bytes, line->number, line->number);
  state->oom_device = (int32_t)device;
  state->oom_mark = state->oom->marks->len - 1;
  state->oom_line = line->number;
  state->oom_step = step;
  state->oom_account = g_ptr_array_index(log->document->accounts, log->document->accounts->len - 1);
  return true;
}

/* Backends that name no device; a line that does mostly follows (read_exact):
 *   "ggml_metal_buffer_init: error: failed to allocate buffer, size = 12288.00 MiB" (also of
 *   ggml_backend_metal_buffer_type_alloc_buffer; in 2023 "… failed to allocate 'data            ' buffer, size = …")
 *   "ggml_vulkan: Device memory allocation of size 1073741824 failed." */
static bool
read_backend(TnTextLog *log, State *state, const TnTextLine *line)
{
  static const struct {
    const char *backend, *start, *label, *end;
  } kinds[] = {{"Vulkan", "ggml_vulkan: ", "Device memory allocation of size", "failed"},
               {"Metal", "metal_", "buffer, size =", ""}};
  tn_bytes bytes;
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    const char *start = strstr(line->text, kinds[i].start), *label = start ? strstr(start, kinds[i].label) : NULL;
    const char *at = label ? label + strlen(kinds[i].label) : NULL;
    if (!at || (!kinds[i].end[0] && !strstr(start, "failed to allocate")) || line->is_cut ||
        !tn_text_size(&at, &bytes, NULL) || !strstr(at, kinds[i].end))
      continue;
    close_waiting(log, state);
    state->waiting = g_strdup(kinds[i].backend);
    state->waiting_bytes = bytes;
    state->waiting_line = line->number;
    return true;
  }
  return false;
}

/* Whether it is the failure that waits for its device: of the same backend, and as many bytes.  Metal (its buffers are
 * "Metal", newer ones "MTL0") rounds up to pages and prints MiB. */
static bool
is_of_waiting(const State *state, const char *name, tn_bytes bytes)
{
  bool is_metal = state->waiting && strcmp(state->waiting, "Metal") == 0;
  return state->waiting && (g_str_has_prefix(name, state->waiting) || (is_metal && g_str_has_prefix(name, "MTL"))) &&
         ABS(state->waiting_bytes - bytes) <= (is_metal ? METAL_STEP : 0);
}

/* Whether it is the failure that was said in words of CUDA's, which name a device and a size in MiB.  `ordinal`: -1 where
 * the buffer's name has none ("CUDA_Split"). */
static bool
is_of_oom(const State *state, uint32_t line, int64_t ordinal, tn_bytes bytes)
{
  return state->oom && line - state->oom_line <= NEAR && (ordinal < 0 || ordinal == state->oom_device) &&
         ABS(g_array_index(state->oom->marks, TnMark, state->oom_mark).requested - bytes) <= state->oom_step;
}

/* "ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 292926534144": the same request
 * to the byte, where it follows one in words. */
static bool
read_exact(TnTextLog *log, State *state, const TnTextLine *line)
{
  const char *at = strstr(line->text, "failed to allocate ");
  int64_t bytes, ordinal = -1;
  if (!at || !tn_text_number_after(at, " buffer of size ", &bytes) || line->is_cut)
    return false;
  at += strlen("failed to allocate ");
  const char *digits = at + strcspn(at, " 0123456789");
  tn_text_number(&digits, &ordinal);
  g_autofree char *name = g_strndup(at, strcspn(at, " "));
  bool is_waiting = is_of_waiting(state, name, bytes);
  if (!is_waiting && is_of_oom(state, line->number, ordinal, bytes)) {
    g_array_index(state->oom->marks, TnMark, state->oom_mark).requested = bytes;
    g_array_index(state->oom_account->details, TnAccountRow, 0).bytes = bytes;
    state->oom_account->last_line = line->number;
    state->oom = NULL;
    return true;
  }
  if (!is_waiting)
    close_waiting(log, state);
  report_failure(log, name, (int32_t)CLAMP(ordinal, 0, 4095), bytes,
                 state->waiting ? state->waiting_line : line->number, line->number);
  g_clear_pointer(&state->waiting, g_free);
  return true;
}

static void
add_line(TnTextLog *log, void *data, const TnTextLine *line)
{
  State *state = data;
  /* Another model (a draft model, a server that starts again) has an account of its own. */
  if (strstr(line->text, "llama_model_loader: loaded meta data"))
    close_devices(log, state);
  if (state->waiting && line->number - state->waiting_line > NEAR)
    close_waiting(log, state);
  if (!read_buffer(state, line) && !read_breakdown(log, line) && !read_failure(log, state, line) &&
      !read_backend(log, state, line))
    read_exact(log, state, line);
}

static void
end_text(TnTextLog *log, void *state)
{
  close_waiting(log, state);
  close_devices(log, state);
}

static const char *const marks[] = {"KV buffer size =",      "model buffer size =",
                                    "compute buffer size =", "ggml_gallocr_reserve_n",
                                    "ggml_backend_",         "ggml_vulkan: ",
                                    "ggml_metal_",           NULL};

const TnTextFinder tn_text_ggml = {
    .name = "llama.cpp's buffers",
    .state_size = sizeof(State),
    .line = add_line,
    .end = end_text,
    .marks = marks,
};
