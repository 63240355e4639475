/* SPDX-License-Identifier: MIT */
/* A memory snapshot written anew, as Python's pickler would, with hostile values here and there: members that
 * are missing, twice or of another type, sizes of any sign, lists shared by many and lists in themselves. */
#include "tests/fuzz/mutate.h"

#include <string.h>

typedef enum { SIZE, ADDRESS, SMALL, TEXT, STATE, FRAMES, FRAME, BLOCKS, BLOCK, SEGMENTS, SEGMENT, TRACES, TRACE,
               EVENT, HISTORY, ENTRY, PAIR, TOP, N_FORMS } Form;

typedef struct {
  const char *name;
  Form form;
} Member;

static const Member members[N_FORMS][12] = {
    [FRAME] = {{"filename", TEXT}, {"line", SMALL}, {"name", TEXT}},
    [BLOCK] = {{"size", SIZE}, {"requested_size", SIZE}, {"address", ADDRESS}, {"state", STATE}, {"frames", FRAMES},
               {"history", HISTORY}},
    [ENTRY] = {{"addr", ADDRESS}, {"real_size", SIZE}, {"frames", FRAMES}},
    [SEGMENT] = {{"device", SMALL}, {"address", ADDRESS}, {"total_size", SIZE}, {"allocated_size", SIZE},
                 {"active_size", SIZE}, {"stream", SMALL}, {"segment_type", STATE}, {"segment_pool_id", PAIR},
                 {"is_expandable", SMALL}, {"blocks", BLOCKS}},
    [EVENT] = {{"action", STATE}, {"addr", ADDRESS}, {"size", SIZE}, {"stream", SMALL}, {"time_us", SIZE},
               {"frames", FRAMES}, {"device_free", SIZE}},
    [TOP] = {{"segments", SEGMENTS}, {"device_traces", TRACES}},
};
/* Of a list: what is in it, and how many at most. */
static const struct {
  Form item;
  uint32_t most;
} lists[N_FORMS] = {[FRAMES] = {FRAME, 4}, [BLOCKS] = {BLOCK, 6}, [SEGMENTS] = {SEGMENT, 5}, [TRACES] = {TRACE, 3},
                    [TRACE] = {EVENT, 24}, [HISTORY] = {ENTRY, 3}};

typedef struct {
  GByteArray *out;
  TnChance *chance;
  uint8_t n_memo; /* slots that hold something */
} Writer;

static void
put(Writer *w, const char *bytes, gsize n)
{
  g_byte_array_append(w->out, (const guint8 *)bytes, (guint)n);
}

static void
put_text(Writer *w, const char *text)
{
  const char head[2] = {(char)0x8c, (char)strlen(text)};
  put(w, head, 2);
  put(w, text, strlen(text));
}

static void
put_integer(Writer *w, int64_t number)
{
  number = GINT64_TO_LE(number);
  put(w, "\x8a\x08", 2);
  put(w, (const char *)&number, 8);
}

static void
put_state(Writer *w)
{
  static const char *const states[] = {"alloc", "free_requested", "free_completed", "segment_alloc", "segment_free",
                                       "segment_map", "segment_unmap", "oom", "snapshot", "active_allocated",
                                       "active_pending_free", "inactive", "large", "small", "user_defined"};
  put_text(w, states[tn_chance_draw(w->chance, G_N_ELEMENTS(states))]);
}

static void put_value(Writer *w, Form form);

static void
put_dict(Writer *w, const Member *row)
{
  put(w, "}(", 2);
  for (; row->name; row++) {
    uint32_t lot = tn_chance_draw(w->chance, 24);
    for (uint32_t n = lot == 0 ? 0 : lot == 1 ? 2 : 1; n > 0; n--) { /* none, twice, once */
      put_text(w, row->name);
      put_value(w, row->form);
    }
  }
  put(w, "u", 1);
}

static void
put_list(Writer *w, Form form)
{
  put(w, "](", 2);
  for (uint32_t n = tn_chance_draw(w->chance, lists[form].most + 1); n > 0 && w->out->len < 3500; n--)
    put_value(w, lists[form].item);
  put(w, "e", 1);
}

static void
put_plain(Writer *w, Form form)
{
  TnChance *chance = w->chance;
  if (form == SIZE)
    put_integer(w, 512 * (int64_t)tn_chance_draw(chance, 1 << 14));
  else if (form == ADDRESS)
    put_integer(w, 0x7f0000000000 + 512 * (int64_t)tn_chance_draw(chance, 64));
  else if (form == SMALL)
    put_integer(w, tn_chance_draw(chance, 3));
  else if (form == TEXT)
    put_text(w, tn_chance_draw(chance, 2) ? "train.py" : "f");
  else if (form == STATE)
    put_state(w);
  else if (form == PAIR)
    put(w, "K\x00K\x01\x86", 5);
  else if (members[form][0].name)
    put_dict(w, members[form]);
  else
    put_list(w, form);
}

static void
put_value(Writer *w, Form form)
{
  uint32_t lot = tn_chance_draw(w->chance, 40);
  if (lot == 0) {
    tn_append_hostile(w->out, w->chance);
  } else if (lot == 1 && w->n_memo) { /* what stood somewhere else: shared, or around this */
    const char get[2] = {'h', (char)tn_chance_draw(w->chance, w->n_memo)};
    put(w, get, 2);
  } else if (lot == 2 && lists[form].most && w->n_memo < 250) { /* known before it is filled */
    const char list[3] = {']', 'q', (char)w->n_memo++};
    put(w, list, 3);
    put(w, "(", 1);
    put_value(w, lists[form].item);
    put(w, "e", 1);
  } else {
    put_plain(w, form);
    if (tn_chance_draw(w->chance, 4) == 0 && w->n_memo < 250) {
      const char keep[2] = {'q', (char)w->n_memo++};
      put(w, keep, 2);
    }
  }
}

void
tn_make_snapshot(GByteArray *bytes, TnChance *chance)
{
  Writer w = {bytes, chance, 0};
  g_byte_array_set_size(bytes, 0);
  put(&w, "\x80\x04", 2);
  put_dict(&w, members[TOP]);
  put(&w, ".", 1);
}
