/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/oom-totals.h"

#include "data/units.h"

#include <string.h>

/* What the account says of the request. */
typedef struct {
  const TnAccount *account; /* NULL: there is none */
  bool is_host, is_of_device; /* whose memory; whether the total is the device's */
  tn_bytes requested, free, available, allowed; /* TN_BYTES_UNKNOWN where it does not say */
  tn_bytes allocated, cached;
  const TnAccountRow *most; /* of what is not free; may be NULL */
} Case;

typedef struct {
  char text[48];
} Size;

static Size
size_of(tn_bytes bytes)
{
  Size size = {"an unknown amount"};
  if (bytes >= 0)
    tn_print_bytes(size.text, sizeof size.text, bytes, TN_UNITS_IEC);
  return size;
}

/* ---- the account ------------------------------------------------------------------------------- */

static const TnAccountRow *
find_row(const GArray *rows, const char *prefix)
{
  for (guint i = 0; i < rows->len; i++)
    if (g_str_has_prefix(tn_account_row(rows, i)->what, prefix))
      return tn_account_row(rows, i);
  return NULL;
}

static tn_bytes
bytes_of(const GArray *rows, const char *prefix)
{
  const TnAccountRow *row = find_row(rows, prefix);
  return row ? row->bytes : TN_BYTES_UNKNOWN;
}

/* The account that the mark is of: it has its title, and the request among its details (or the first of them, where
 * it has another name). */
static const TnAccount *
account_of(const TnDocument *document, const TnMark *mark)
{
  const char *title = tn_strings_get(document->strings, mark->text);
  for (guint i = 0; i < document->accounts->len; i++) {
    const TnAccount *account = g_ptr_array_index(document->accounts, i);
    if (strcmp(account->title, title) != 0)
      continue;
    for (guint k = 0; k < account->details->len; k++) {
      const TnAccountRow *row = tn_account_row(account->details, k);
      if (row->bytes == mark->requested &&
          (g_str_has_prefix(row->what, "requested") || g_str_has_prefix(row->what, "needed")))
        return account;
    }
  }
  return NULL;
}

/* Neither what is free nor what the sizes' rounding leaves is held by anybody. */
static bool
is_held(const TnAccountRow *row)
{
  return row->bytes > 0 && !g_str_has_prefix(row->what, "free") && !g_str_has_prefix(row->what, "left") &&
         !g_str_has_prefix(row->what, "rounding");
}

static Case
case_of(const TnStudy *study, const TnMark *mark)
{
  const tn_bytes none = TN_BYTES_UNKNOWN;
  Case c = {account_of(study->document, mark), study->device->ordinal < 0, false, mark->requested, mark->device_free,
            none, none, none, none, NULL};
  if (!c.account)
    return c;
  c.is_of_device = c.account->total >= 0 && g_strcmp0(c.account->total_what, "memory of the device") == 0;
  c.available = bytes_of(c.account->details, "available");
  c.allowed = bytes_of(c.account->details, "allowed by the set memory fraction");
  c.allocated = bytes_of(c.account->rows, "allocated by PyTorch");
  c.cached = bytes_of(c.account->rows, "reserved by PyTorch, unallocated");
  for (guint i = 0; i < c.account->rows->len; i++) {
    const TnAccountRow *row = tn_account_row(c.account->rows, i);
    if (is_held(row) && (!c.most || row->bytes > c.most->bytes))
      c.most = row;
  }
  return c;
}

static tn_bytes
held_by_pytorch(const Case *c)
{
  return tn_add_saturated(MAX(c->allocated, 0), MAX(c->cached, 0));
}

/* The process may not take more of the device, though there is more. */
static bool
is_limited(const Case *c)
{
  return c->allowed >= 0 && c->free >= 0 && c->free >= c->requested &&
         tn_add_saturated(held_by_pytorch(c), c->requested) > c->allowed;
}

/* ---- words ------------------------------------------------------------------------------------- */

static bool
is_holder_known(const Case *c)
{
  return c->most && c->account->total >= 0;
}

static void
say_free(GString *out, const Case *c)
{
  const char *whose = c->is_host ? "host" : "device";
  if (c->available >= 0)
    g_string_append_printf(out, "%s was available", size_of(c->available).text);
  else if (c->free >= 0)
    g_string_append_printf(out, "the %s had %s free", whose, size_of(c->free).text);
  else if (is_holder_known(c))
    g_string_append_printf(out, "what the %s had free the report does not say", whose);
  else
    g_string_append_printf(out, "the report says neither what the %s had free nor who held the rest", whose);
}

static void
say_limit(GString *out, const Case *c)
{
  g_string_append_printf(out, "but the set memory fraction allows this process %s: PyTorch held %s, which with the "
                              "request is %s",
                         size_of(c->allowed).text, size_of(held_by_pytorch(c)).text,
                         size_of(tn_add_saturated(held_by_pytorch(c), c->requested)).text);
}

/* A total is called what it is: a program's is not the device's. */
static void
say_holder(GString *out, const Case *c)
{
  if (!is_holder_known(c))
    g_string_append(out, "who held the rest the report does not say");
  else if (c->most->bytes > c->account->total && c->is_of_device)
    g_string_append_printf(out, "“%s” alone, %s, is more than the device's %s", c->most->what,
                           size_of(c->most->bytes).text, size_of(c->account->total).text);
  else if (c->is_of_device)
    g_string_append_printf(out, "the largest holder of the device's %s was “%s”, %s", size_of(c->account->total).text,
                           c->most->what, size_of(c->most->bytes).text);
  else
    g_string_append_printf(out, "the largest part of %s, “%s”, was “%s”, %s", size_of(c->account->total).text,
                           c->account->total_what ? c->account->total_what : "total", c->most->what,
                           size_of(c->most->bytes).text);
}

static void
say_source(GString *out, const Case *c)
{
  g_string_append(out, " (totals of a report");
  if (c->account && c->account->source)
    g_string_append_printf(out, " by %s", c->account->source);
  if (c->account && c->account->first_line)
    g_string_append_printf(out, ", line %u", c->account->first_line);
  g_string_append_c(out, ')');
}

/* Where the account has no sum, what it says of itself is all there is to say. */
static char *
make_hint(const Case *c)
{
  bool has_total = c->account && c->account->total >= 0;
  if (is_limited(c))
    return g_strdup("The limit is this process's own, not the device's: raise it "
                    "(torch.cuda.set_per_process_memory_fraction), or hold less.");
  if (c->is_of_device && c->account->total < c->requested)
    return g_strdup("The request alone is larger than the device: no order of memory helps.");
  if (c->cached >= 0 && c->cached >= c->requested)
    return g_strdup("The allocator's cache alone was larger than the request, but in pieces, or in pools, that it "
                    "could not use: fragmentation. `tenure-cli info` shows the account, and which recording would "
                    "show the holes.");
  if (has_total && c->free >= 0 && c->free >= c->requested)
    return g_strdup("More was free than it asked for: why it failed the report does not say (another limit, or "
                    "memory that was free only afterwards). `tenure-cli info` shows the account.");
  if (has_total && c->account->statement)
    return g_strdup("`tenure-cli info` shows the account of the report, and which recording would allow a map.");
  return g_strdup(c->account && c->account->statement ? c->account->statement
                                                      : "`tenure-cli info` shows the account of the report.");
}

TnFinding *
tn_explain_totals(const TnStudy *study, const TnMark *mark, TnFindings *findings)
{
  Case c = case_of(study, mark);
  g_autoptr(GString) why = g_string_new(NULL);
  say_free(why, &c);
  if (is_limited(&c)) {
    g_string_append(why, ", ");
    say_limit(why, &c);
  } else if (c.available < 0 && (c.free >= 0 || is_holder_known(&c))) {
    g_string_append(why, "; ");
    say_holder(why, &c);
  }
  say_source(why, &c);
  TnFinding *finding = tn_findings_add(findings, "oom", TN_SEVERITY_ERROR, "A request for %s%s failed; %s",
                                       size_of(mark->requested).text, c.is_host ? " of the host's memory" : "",
                                       why->str);
  finding->hint = make_hint(&c);
  return finding;
}
