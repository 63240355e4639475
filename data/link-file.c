/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/link-file.h"

#include "data/error.h"

#include <cjson/cJSON.h>
#include <string.h>

enum { OUT = 1, IN = 2 };
static const tn_bytes nvbandwidth_bytes = 512ll << 20;

/* No copy was ever measured in less or in more; a fit squares these. */
#define MOST_BYTES (1ll << 60) /* of one copy: what is made of it (its double) stays a number */
#define LEAST_SECONDS 1e-12
#define MOST_SECONDS 1e9

static void
add_point(TnLinkFile *file, unsigned ways, double bytes, double seconds)
{
  if (!(bytes >= 1) || bytes > (double)MOST_BYTES || !(seconds >= LEAST_SECONDS && seconds <= MOST_SECONDS))
    return;
  TnLinkPoint point = {(tn_bytes)bytes, seconds};
  if (ways & OUT)
    g_array_append_val(file->out, point);
  if (ways & IN)
    g_array_append_val(file->in, point);
}

/* ---- JSON ------------------------------------------------------------------------------ */

static void
read_list(TnLinkFile *file, const cJSON *list, unsigned ways)
{
  const cJSON *pair;
  cJSON_ArrayForEach(pair, list)
  {
    const cJSON *bytes = cJSON_GetArrayItem(pair, 0), *seconds = cJSON_GetArrayItem(pair, 1);
    if (cJSON_IsNumber(bytes) && cJSON_IsNumber(seconds))
      add_point(file, ways, bytes->valuedouble, seconds->valuedouble);
  }
}

static bool
read_json(TnLinkFile *file, const char *text, gsize size)
{
  cJSON *root = cJSON_ParseWithLength(text, size);
  const cJSON *link = cJSON_GetObjectItemCaseSensitive(root, "link");
  const cJSON *object = cJSON_IsObject(link) ? link : root;
  if (!root)
    return false;
  file->format = "json";
  if (cJSON_IsArray(root))
    read_list(file, root, OUT | IN);
  read_list(file, cJSON_GetObjectItemCaseSensitive(object, "points"), OUT | IN);
  read_list(file, cJSON_GetObjectItemCaseSensitive(object, "out"), OUT);
  read_list(file, cJSON_GetObjectItemCaseSensitive(object, "in"), IN);
  cJSON_Delete(root);
  return true;
}

/* ---- bandwidthTest --------------------------------------------------------------------- */

static bool
has(const char *line, const char *part)
{
  g_autofree char *lower = g_ascii_strdown(line, -1);
  return strstr(lower, part) != NULL;
}

/* "bandwidthTest-H2D-Pinned, Bandwidth = 12.3 GB/s, Time = 0.003 s, Size = 33554432 bytes, …" */
static void
read_bandwidth_csv(TnLinkFile *file, const char *line)
{
  const char *rate = strstr(line, "Bandwidth = "), *size = strstr(line, "Size = ");
  if (!rate || !size)
    return;
  double per_second = g_ascii_strtod(rate + 12, NULL) * (strstr(line, "MB/s") ? 1e6 : 1e9);
  double bytes = g_ascii_strtod(size + 7, NULL);
  if (strstr(line, "-H2D-") || strstr(line, "-D2H-"))
    add_point(file, strstr(line, "-H2D-") ? IN : OUT, bytes, bytes / per_second);
}

static void
read_bandwidth_test(TnLinkFile *file, char **lines)
{
  unsigned ways = 0;
  double unit = 1e9;
  file->format = "bandwidthTest";
  for (; *lines; lines++) {
    char *end, *second;
    read_bandwidth_csv(file, *lines);
    if (has(*lines, "bandwidth, "))
      ways = has(*lines, "host to device") ? IN : has(*lines, "device to host") ? OUT : 0;
    if (has(*lines, "transfer size"))
      unit = has(*lines, "mb/s") ? 1e6 : 1e9;
    double bytes = g_ascii_strtod(*lines, &end);
    double rate = g_ascii_strtod(end, &second);
    if (ways && end != *lines && second != end && rate > 0)
      add_point(file, ways, bytes, bytes / (rate * unit));
  }
}

/* ---- nvbandwidth ----------------------------------------------------------------------- */

/* "SUM host_to_device_memcpy_ce 55.64": one copy's rate where there is one device; where there are
 * several, the rows after "Running …" say each one's, and their largest counts. */
static void
read_nvbandwidth(TnLinkFile *file, char **lines)
{
  unsigned ways = 0;
  double most = 0;
  file->format = "nvbandwidth";
  for (; *lines; lines++) {
    if (g_str_has_prefix(*lines, "Running ")) {
      ways = has(*lines, "bidirectional")    ? 0
             : has(*lines, "host_to_device") ? IN
             : has(*lines, "device_to_host") ? OUT
                                             : 0;
      most = 0;
    } else if (g_str_has_prefix(*lines, "SUM ")) {
      add_point(file, ways, (double)nvbandwidth_bytes, (double)nvbandwidth_bytes / (most * 1e9));
      ways = 0;
    } else if (ways && g_ascii_isspace((*lines)[0])) {
      g_auto(GStrv) words = g_strsplit_set(g_strstrip(*lines), " \t", -1);
      bool is_first = true;
      for (char **word = words; *word; word++) {
        if (**word && !is_first && strchr(*word, '.'))
          most = MAX(most, g_ascii_strtod(*word, NULL));
        is_first &= !**word;
      }
    }
  }
}

/* ---- pairs ----------------------------------------------------------------------------- */

typedef struct {
  double scale; /* seconds per unit; < 0: the column is a rate in bytes per second × scale */
  unsigned ways;
} Columns;

static Columns
read_header(const char *line, Columns columns)
{
  if (has(line, "gb/s") || has(line, "gbps"))
    columns.scale = -1e9;
  else if (has(line, "mb/s"))
    columns.scale = -1e6;
  else if (has(line, "us") || strstr(line, "µs"))
    columns.scale = 1e-6;
  else if (has(line, "ms"))
    columns.scale = 1e-3;
  else if (has(line, "ns"))
    columns.scale = 1e-9;
  return columns;
}

static bool
read_pairs(const char *name, TnLinkFile *file, char **lines, GError **error)
{
  Columns columns = {1, OUT | IN};
  file->format = "pairs";
  for (uint32_t n = 1; *lines; lines++, n++) {
    char *line = g_strstrip(*lines), *end, *second;
    if (!*line || *line == '#')
      continue;
    double bytes = g_ascii_strtod(line, &end);
    while (*end == ',' || *end == ';' || g_ascii_isspace(*end))
      end++;
    double value = g_ascii_strtod(end, &second);
    if (end == line && (file->out->len + file->in->len == 0)) {
      columns = read_header(line, columns);
      continue;
    }
    if (end == line || second == end || !(bytes > 0) || !(value > 0)) {
      g_set_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
                  "%s:%u: found '%.40s'; expected two numbers above 0: bytes and seconds", name, n,
                  line);
      return false;
    }
    unsigned ways = has(second, "d2h") || has(second, "out")  ? OUT
                    : has(second, "h2d") || has(second, "in") ? IN
                                                              : OUT | IN;
    add_point(file, ways, bytes,
              columns.scale < 0 ? bytes / (value * -columns.scale) : value * columns.scale);
  }
  return true;
}

/* ---- the whole ------------------------------------------------------------------------- */

bool
tn_link_file_read(
    const char *name, const char *text, gsize size, TnLinkFile *out_file, GError **error)
{
  g_autofree char *copy = g_strndup(text, size);
  g_auto(GStrv) lines = g_strsplit(copy, "\n", -1);
  const char *start = copy;
  bool is_good = true;
  *out_file = (TnLinkFile){"", g_array_new(FALSE, FALSE, sizeof(TnLinkPoint)),
                           g_array_new(FALSE, FALSE, sizeof(TnLinkPoint))};
  while (g_ascii_isspace(*start))
    start++;
  /* It begins with "[CUDA Bandwidth Test]": no JSON. */
  if (strstr(copy, "CUDA Bandwidth Test") || g_str_has_prefix(start, "bandwidthTest") ||
      strstr(copy, "Transfer Size (Bytes)"))
    read_bandwidth_test(out_file, lines);
  else if (*start == '{' || *start == '[')
    is_good = read_json(out_file, text, size);
  else if (strstr(copy, "nvbandwidth") || strstr(copy, "_memcpy_"))
    read_nvbandwidth(out_file, lines);
  else if (!read_pairs(name, out_file, lines, error)) {
    tn_link_file_clear(out_file);
    return false;
  }
  if (is_good && out_file->out->len + out_file->in->len > 0)
    return true;
  g_set_error(
      error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED,
      "%s: found no measurement; expected pairs of bytes and seconds, a JSON with \"out\" and "
      "\"in\", or what bandwidthTest or nvbandwidth prints",
      name);
  tn_link_file_clear(out_file);
  return false;
}

void
tn_link_file_clear(TnLinkFile *file)
{
  g_array_unref(file->out);
  g_array_unref(file->in);
}
