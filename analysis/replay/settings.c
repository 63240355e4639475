/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/replay/settings.h"

#include "data/units.h"

#include <string.h>

#define MIB ((tn_bytes)1 << 20)

void
tn_replay_settings_init(TnReplaySettings *settings)
{
  *settings = (TnReplaySettings){.max_non_split_rounding = 20 * MIB,
                                 .alignment = 512,
                                 .allow_growth = true};
}

/* ---- values -------------------------------------------------------------------------------- */

static bool
parse_bool(const char *text, bool *out)
{
  static const char *const yes[] = {"true", "1", "on", "yes", NULL};
  static const char *const no[] = {"false", "0", "off", "no", NULL};
  g_autofree char *lower = g_ascii_strdown(text, -1);
  *out = g_strv_contains(yes, lower);
  return *out || g_strv_contains(no, lower);
}

static bool
parse_count(const char *text, uint32_t *out)
{
  guint64 value;
  if (!g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX, &value, NULL))
    return false;
  *out = (uint32_t)value;
  return true;
}

static bool
parse_mib(const char *text, tn_bytes *out)
{
  uint32_t n;
  if (g_ascii_isdigit(text[0]) && parse_count(text, &n)) {
    *out = (tn_bytes)n * MIB;
    return true;
  }
  return tn_parse_bytes(text, out);
}

/* A plain number is in GiB, as GE's own option has it. */
static bool
parse_gib(const char *text, tn_bytes *out)
{
  uint32_t n;
  if (parse_count(text, &n)) {
    *out = (tn_bytes)n << 30;
    return true;
  }
  return tn_parse_bytes(text, out);
}

static bool
parse_part(const char *text, double *out)
{
  char *end;
  double part = g_ascii_strtod(text, &end);
  if (end == text || *end || !(part >= 0.0 && part < 1.0))
    return false;
  *out = part;
  return true;
}

static bool
is_power_of_two(uint32_t n)
{
  return (n & (n - 1)) == 0;
}

/* The interval of "256" (MiB), or one past the last for ">". */
static bool
parse_interval(const char *text, uint32_t *out)
{
  uint32_t mib;
  *out = TN_ROUNDUP_INTERVALS;
  if (strcmp(text, ">") == 0)
    return true;
  if (!parse_count(text, &mib) || mib == 0 || !is_power_of_two(mib))
    return false;
  *out = MIN((uint32_t)__builtin_ctz(mib), TN_ROUNDUP_INTERVALS - 1u);
  return true;
}

/* "4", or "[256:1,512:2,>:4]", as PyTorch 2.9 to 2.11 read it (c10/core/AllocatorConfig.cpp): the first
 * holds below its interval too, each other one for its own only, ">" above the last named one.  What is
 * between them is not rounded. */
static bool
parse_divisions(const char *text, uint32_t *out)
{
  uint32_t n;
  if (parse_count(text, &n) && is_power_of_two(n)) {
    for (int i = 0; i < TN_ROUNDUP_INTERVALS; i++)
      out[i] = n;
    return true;
  }
  gsize length = strlen(text);
  if (length < 2 || text[0] != '[' || text[length - 1] != ']')
    return false;
  g_autofree char *inside = g_strndup(text + 1, length - 2);
  g_auto(GStrv) pairs = g_strsplit(inside, ",", -1);
  uint32_t last = 0, interval;
  memset(out, 0, TN_ROUNDUP_INTERVALS * sizeof *out);
  for (char **pair = pairs; *pair; pair++) {
    g_auto(GStrv) sides = g_strsplit(g_strstrip(*pair), ":", 2);
    if (g_strv_length(sides) != 2 || !parse_interval(g_strstrip(sides[0]), &interval) ||
        !parse_count(g_strstrip(sides[1]), &n) || !is_power_of_two(n))
      return false;
    bool is_above = interval == TN_ROUNDUP_INTERVALS;
    uint32_t from = is_above ? last + 1 : pair == pairs ? 0 : interval;
    for (uint32_t i = from; i < TN_ROUNDUP_INTERVALS && i <= interval; i++)
      out[i] = n;
    last = is_above ? last : interval;
  }
  return true;
}

/* ---- keys ---------------------------------------------------------------------------------- */

static bool
set_value(TnReplaySettings *s, const char *key, const char *value, const char **out_wanted)
{
  *out_wanted = NULL;
  if (strcmp(key, "expandable_segments") == 0) {
    *out_wanted = "True or False";
    return parse_bool(value, &s->expandable_segments);
  }
  if (strcmp(key, "max_split_size_mb") == 0) {
    *out_wanted = "a size above 20 MiB (0: unlimited)";
    return parse_mib(value, &s->max_split_size) &&
           (s->max_split_size == 0 || s->max_split_size > 20 * MIB);
  }
  if (strcmp(key, "max_non_split_rounding_mb") == 0) {
    *out_wanted = "a size in MiB";
    return parse_mib(value, &s->max_non_split_rounding);
  }
  if (strcmp(key, "garbage_collection_threshold") == 0) {
    *out_wanted = "a part between 0 and 1";
    return parse_part(value, &s->garbage_collection_threshold);
  }
  if (strcmp(key, "roundup_power2_divisions") == 0) {
    *out_wanted = "a power of two, or [256:1,512:2,>:4]";
    return parse_divisions(value, s->roundup_power2_divisions);
  }
  if (strcmp(key, "padding") == 0) {
    *out_wanted = "a size";
    return tn_parse_bytes(value, &s->padding);
  }
  if (strcmp(key, "alignment") == 0) {
    *out_wanted = "a power of two";
    return tn_parse_bytes(value, &s->alignment) && s->alignment > 0 &&
           (s->alignment & (s->alignment - 1)) == 0;
  }
  if (strcmp(key, "allow_growth") == 0) {
    *out_wanted = "True or False";
    return parse_bool(value, &s->allow_growth);
  }
  if (strcmp(key, "garbage_collection") == 0) {
    *out_wanted = "True or False";
    return parse_bool(value, &s->garbage_collection);
  }
  if (strcmp(key, "memory_pool_threshold") == 0) {
    *out_wanted = "GiB, or a size (0: 95 % of the device)";
    return parse_gib(value, &s->memory_pool_threshold);
  }
  return false;
}

bool
tn_replay_settings_set(TnReplaySettings *settings, const char *pair, char **out_message)
{
  const char *equals = strchr(pair, '='), *wanted;
  if (!equals || equals == pair) {
    *out_message = g_strdup_printf("%s: expected KEY=VALUE", pair);
    return false;
  }
  g_autofree char *key = g_strndup(pair, (gsize)(equals - pair));
  if (set_value(settings, key, equals + 1, &wanted))
    return true;
  *out_message =
      wanted ? g_strdup_printf("%s: expected %s", pair, wanted)
             : g_strdup_printf("%s: no such setting; there are expandable_segments, "
                               "max_split_size_mb, max_non_split_rounding_mb, "
                               "garbage_collection_threshold, roundup_power2_divisions, padding, "
                               "alignment, allow_growth, garbage_collection, "
                               "memory_pool_threshold",
                               key);
  return false;
}

static void
append_divisions(GString *text, const uint32_t *divisions)
{
  bool is_one = true;
  for (int i = 1; i < TN_ROUNDUP_INTERVALS; i++)
    is_one &= divisions[i] == divisions[0];
  if (is_one) {
    if (divisions[0])
      g_string_append_printf(text, ",roundup_power2_divisions=%u", divisions[0]);
    return;
  }
  g_string_append(text, ",roundup_power2_divisions=[");
  for (int i = 0; i < TN_ROUNDUP_INTERVALS; i++)
    g_string_append_printf(text, "%s%u:%u", i ? "," : "", 1u << i, divisions[i]);
  g_string_append_c(text, ']');
}

char *
tn_replay_settings_format(const TnReplaySettings *s)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  GString *text = g_string_new(NULL);
  if (s->expandable_segments)
    g_string_append(text, ",expandable_segments=True");
  if (s->max_split_size)
    g_string_append_printf(text, ",max_split_size_mb=%" G_GINT64_FORMAT, s->max_split_size / MIB);
  if (s->max_non_split_rounding != 20 * MIB)
    g_string_append_printf(text, ",max_non_split_rounding_mb=%" G_GINT64_FORMAT,
                           s->max_non_split_rounding / MIB);
  if (s->garbage_collection_threshold > 0)
    g_string_append_printf(text, ",garbage_collection_threshold=%s",
                           g_ascii_formatd(number, sizeof number, "%.4g",
                                           s->garbage_collection_threshold));
  append_divisions(text, s->roundup_power2_divisions);
  if (s->padding)
    g_string_append_printf(text, ",padding=%" G_GINT64_FORMAT, s->padding);
  if (s->alignment != 512)
    g_string_append_printf(text, ",alignment=%" G_GINT64_FORMAT, s->alignment);
  if (!s->allow_growth)
    g_string_append(text, ",allow_growth=False");
  if (s->garbage_collection)
    g_string_append(text, ",garbage_collection=True");
  if (s->memory_pool_threshold)
    g_string_append_printf(text, ",memory_pool_threshold=%" G_GINT64_FORMAT "B",
                           s->memory_pool_threshold);
  if (text->len == 0)
    g_string_append(text, ",defaults");
  g_string_erase(text, 0, 1);
  return g_string_free(text, FALSE);
}

/* ---- as recorded --------------------------------------------------------------------------- */

/* "expandable_segments:True,roundup_power2_divisions:[256:1,512:2]": commas inside brackets do not
 * part. */
static void
read_configuration(TnReplaySettings *settings, const char *text)
{
  g_autoptr(GString) item = g_string_new(NULL);
  int depth = 0;
  for (const char *at = text;; at++) {
    depth += (*at == '[') - (*at == ']');
    if (*at && (*at != ',' || depth > 0)) {
      g_string_append_c(item, *at == ':' && !strchr(item->str, '=') ? '=' : *at);
      continue;
    }
    g_autofree char *message = NULL;
    if (item->len)
      tn_replay_settings_set(settings, g_strstrip(item->str), &message);
    g_string_truncate(item, 0);
    if (!*at)
      return;
  }
}

void
tn_replay_settings_read(TnReplaySettings *settings, GHashTable *stated)
{
  if (!stated)
    return;
  const char *text = g_hash_table_lookup(stated, "PYTORCH_CUDA_ALLOC_CONF");
  if (text)
    read_configuration(settings, text);
  if ((text = g_hash_table_lookup(stated, "expandable_segments")))
    parse_bool(text, &settings->expandable_segments);
  if ((text = g_hash_table_lookup(stated, "max_split_size")) && g_ascii_strtoll(text, NULL, 10) > 0)
    settings->max_split_size = g_ascii_strtoll(text, NULL, 10);
  if ((text = g_hash_table_lookup(stated, "garbage_collection_threshold")))
    parse_part(text, &settings->garbage_collection_threshold);
}
