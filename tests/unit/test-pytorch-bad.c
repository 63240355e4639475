/* SPDX-License-Identifier: MIT */
/* PyTorch snapshots that are none, are damaged, or are cut off. */
#include "config.h"

#include "tests/unit/pytorch-support.h"

/* ---- what is refused ----------------------------------------------------------------------------
 */

static void
test_refused_opcodes(void)
{
  static const struct {
    const char *token, *name;
  } rows[] = {
      {"x636f730a73797374656d0a", "GLOBAL"},
      {"'os' 'system' x93", "STACK_GLOBAL"},
      {"} ) R", "REDUCE"},
      {"} } b", "BUILD"},
      {"} ) x81", "NEWOBJ"},
      {"} ) } x92", "NEWOBJ_EX"},
      {"( x696f730a73797374656d0a", "INST"},
      {"( 'a' o", "OBJ"},
      {"x50616263 x0a", "PERSID"},
      {"1 Q", "BINPERSID"},
      {"x8201", "EXT1"},
      {"x830100", "EXT2"},
      {"x8401000000", "EXT4"},
      {"x97", "NEXT_BUFFER"},
      {"'a' x98", "READONLY_BUFFER"},
      {"x96010000000000000061", "BYTEARRAY8"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf("} ( 'segments' ] 'x' %s u", rows[i].token);
    g_autofree char *message = failure_of(text, TN_DATA_ERROR_REFUSED);
    g_autofree char *part = g_strdup_printf("found opcode %s, which", rows[i].name);
    g_assert_nonnull(strstr(message, part));
    g_assert_nonnull(strstr(message, "byte "));
    g_assert_nonnull(strstr(message, "nothing in it was run"));
  }
  /* Of protocol 0 only: I S L F V g p. */
  static const char *const old[] = {"x49", "x53", "x4c", "x46", "x56", "x67", "x70"};
  for (gsize i = 0; i < G_N_ELEMENTS(old); i++)
    g_free(failure_of(old[i], TN_DATA_ERROR_UNSUPPORTED));
}

static void
test_malformed(void)
{
  static const struct {
    const char *text, *says;
  } rows[] = {
      {"u", "without a MARK"},
      {"e", "without a MARK"},
      {"t", "without a MARK"},
      {"( u", "what is no dict"},
      {"] ( 1 2 u", "what is no dict"},
      {"} ( 1 2 e", "what is no list"},
      {"} ( 1 u", "a key without a value"},
      {"1 2 s", "SETITEM without"},
      {"1 a", "APPEND without"},
      {"1 2 a", "what is no list"},
      {"m", "empty stack"},
      {"dup", "empty stack"},
      {"pop", "without a MARK"},
      {"t1", "more values than there are"},
      {"1 t2", "more values than there are"},
      {"1 ( 2 3 t3", "more values than there are"},
      {"h0", "never filled"},
      {"j7", "never filled"},
      {"1 2 3 4 q6 h5", "never filled"},
      {"1 q9", "expected about 0"},
      {"1 r70000", "expected about 0"},
      {"1 r4000000000", "expected about 0"},
      {"x00", "no pickle opcode"},
      {"xff", "no pickle opcode"},
      {"x8dffffffffffffffff", "a length of 18446744073709551615 bytes"},
      {"x8dffffffffffffff7f", "a length of 9223372036854775807 bytes"},
      {"x8e0000000000010000", "a length of 1099511627776 bytes"},
      {"} ( 'segments' 1 u", "neither 'segments' nor 'device_traces'"},
      {"}", "neither 'segments' nor 'device_traces'"},
      {"N", "neither 'segments' nor 'device_traces'"},
      {"] ( 1 2 3 e", "a list without a segment"},
      {"] ( } ( 'a' 1 u e", "a list without a segment"},
      {"] 'x' a", "a list without a segment"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_test_message("%s", rows[i].text);
    bool is_long = strstr(rows[i].text, "x8e0000000000010000") != NULL;
    g_autofree char *message =
        failure_of(rows[i].text, is_long ? TN_DATA_ERROR_TRUNCATED : TN_DATA_ERROR_MALFORMED);
    if (!is_long && !strstr(message, rows[i].says))
      g_error("%s: %s", rows[i].text, message);
  }
  /* A list of segments may be empty. */
  g_autoptr(TnDocument) empty = load_text(4, "]");
  g_assert_cmpuint(empty->devices->len, ==, 1);
}

/* Memo slots grow with the file: a small file can't ask for a large memo. */
static void
test_memo_leaps(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "N");
  for (guint i = 1; i < 2000; i++) {
    g_autofree char *leap = g_strdup_printf("r%u", i * 65536);
    pickle_add(bytes, 4, leap);
  }
  g_autoptr(GError) error = NULL;
  g_assert_null(load_bytes(bytes->data, bytes->len, false, "pytorch", &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(error->message, "byte 3: found memo slot 65536; expected about 0"));
}

/* Two lists of frames filled in turns: the work stays bounded. */
static void
test_frames_in_turns(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4,
             "} ( 'device_traces' ] ( ] ( } ( 'frames' ] m ( } m ( 'name' 'f' u e u "
             "} ( 'frames' ] m ( h1 e 'x' (");
  for (int i = 0; i < 30000; i++)
    pickle_add(bytes, 4, "h0 h1 a h2 h1 a");
  pickle_add(bytes, 4, "t u e e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(events_of(document, 0)->n, ==, 2);
}

static void
test_too_many_traces(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(4, "");
  g_byte_array_set_size(bytes, 2);
  pickle_add(bytes, 4, "} ( 'device_traces' ] (");
  for (int i = 0; i < 100000; i++)
    pickle_byte(bytes, ']');
  pickle_add(bytes, 4, "e u .");
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = load_bytes(bytes->data, bytes->len, false, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(document->devices->len, ==, 4096);
  g_assert_cmpstr(tn_diagnostics_get(document->diagnostics, 0)->code, ==, "too-many-devices");
  g_assert_cmpint(tn_diagnostics_get(document->diagnostics, 0)->count, ==, 100000 - 4096);
}

/* ---- cut and mutated ----------------------------------------------------------------------------
 */

/* Every prefix fails with the place named; with partial reading wanted it gives a document as soon
 * as anything of use was read, and its lives can be computed. */
static void
check_cuts(const guint8 *data, gsize size, gsize step, gsize useful_from)
{
  for (gsize n = 2; n < size; n += step) {
    g_autoptr(GError) error = NULL;
    g_assert_null(load_bytes(data, n, false, "pytorch", &error));
    g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
    g_assert_nonnull(strstr(error->message, "memory: byte "));
    gsize byte = (gsize)g_ascii_strtoull(strstr(error->message, "byte ") + 5, NULL, 10);
    g_assert_cmpuint(byte, <, n);
    g_autoptr(GError) nothing = NULL;
    g_autoptr(TnDocument) part = load_bytes(data, n, true, "pytorch", &nothing);
    if (n >= useful_from)
      g_assert_no_error(nothing);
    if (!part) {
      g_assert_error(nothing, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
      continue;
    }
    g_assert_cmpuint(tn_diagnostics_length(part->diagnostics), >=, 1);
    g_assert_cmpstr(tn_diagnostics_get(part->diagnostics, 0)->code, ==, "truncated");
    tn_study_unref(study_of(part, 0));
  }
}

static void
test_truncated(void)
{
  g_autoptr(GByteArray) bytes = pickle_new(
      4, "} m ( 'device_traces' m ] m ( ] m ( " ALLOC FREE " e e 'segments' ] ( } ( 'total_size' "
         "2097152 'segment_pool_id' 0 0 t2 'blocks' ] ( } ( 'size' 512 'state' 'active_allocated' "
         "'requested_size' L5:400 u e u e 'x' x8d010000000000000061 'y' f1.5 u");
  check_cuts(bytes->data, bytes->len, 1, 24);
}

static void
test_truncated_sample(void)
{
  g_autofree char *path = own_sample();
  g_autofree char *text = NULL;
  gsize size = 0;
  g_assert_true(g_file_get_contents(path, &text, &size, NULL));
  /* A prime step: cuts fall into every kind of place. */
  check_cuts((const guint8 *)text, size, g_test_slow() ? 1 : 251, size);
}

static const char *const seeds[] = {
    "} ( 'segments' ] 'device_traces' ] ( ] ( " ALLOC FREE " e e u",
    "} m ( 'device_traces' m ] m ( ] m ( } m ( 'action' m 'alloc' m 'addr' m 4096 'size' m 1000 "
    "'frames' m ] m ( } m ( 'filename' m 'a' m 'line' m 12 'name' m 'f' m u e u } m ( h4 h5 h6 "
    "8192 h7 512 h8 h9 u } ( h4 'oom' 'device_free' 7 h7 9 u h3 h10 e e 'segments' ] ( } ( "
    "'device' 0 'address' 4096 'total_size' 8192 'segment_pool_id' 0 1 t2 m 'blocks' ] ( } ( "
    "'size' 512 'state' 'active_allocated' 'requested_size' 100 u } ( 'size' 512 'state' "
    "'inactive' u e u e 'external_annotations' ] ( } ( 'stage' 'START' 'name' 'step 1' 'time_us' "
    "1 u } ( 'stage' 'END' 'name' 'step 1' 'time_us' 3 u e 'allocator_settings' } 'a' 1 s u",
    "] ( } ( 'device' 1 'address' 1048576 'total_size' 2097152 'blocks' ] ( } ( 'size' 1024 "
    "'state' 'active_allocated' 'history' ] ( } ( 'addr' 1 'real_size' 9 'frames' ] } 'name' 'x' s "
    "a u } ( 'real_size' 77 u e u e u e",
};

static void
mutate(GByteArray *bytes)
{
  static const guint8 juicy[] = {'}',  ']',  '(',  ')',  'u',  's',  'e', 'a', 't',
                                 '.',  'h',  'q',  'j',  'r',  '0',  '1', '2', 'N',
                                 0x85, 0x86, 0x87, 0x94, 0x8a, 0x8c, 0xff};
  int n = g_test_rand_int_range(1, 5);
  for (int i = 0; i < n; i++) {
    guint at = (guint)g_test_rand_int_range(2, (gint32)bytes->len);
    switch (g_test_rand_int_range(0, 5)) {
    case 0:
      bytes->data[at] = (guint8)g_test_rand_int_range(0, 256);
      break;
    case 1:
      bytes->data[at] = juicy[g_test_rand_int_range(0, G_N_ELEMENTS(juicy))];
      break;
    case 2:
      bytes->data[at] ^= (guint8)(1 << g_test_rand_int_range(0, 8));
      break;
    case 3: {
      guint from = (guint)g_test_rand_int_range(2, (gint32)bytes->len);
      guint m = (guint)g_test_rand_int_range(1, 24);
      m = MIN(m, bytes->len - MAX(at, from));
      memmove(bytes->data + at, bytes->data + from, m);
      break;
    }
    default:
      if (bytes->len > 8)
        g_byte_array_remove_range(bytes, at, MIN(bytes->len - at, 3));
    }
    if (bytes->len < 4)
      g_byte_array_append(bytes, juicy, 8);
  }
}

/* Whatever the bytes: a document whose lives and pictures can be computed, or an error. */
static void
test_mutations(void)
{
  uint32_t good = 0;
  for (int round = 0; round < 6000; round++) {
    g_autoptr(GByteArray) bytes = pickle_new(round % 2 ? 4 : 2, seeds[round % 3]);
    mutate(bytes);
    g_autoptr(GError) error = NULL;
    g_autoptr(TnDocument) document =
        load_bytes(bytes->data, bytes->len, round % 4 == 0, "pytorch", &error);
    g_assert_true((document != NULL) != (error != NULL));
    if (!document)
      continue;
    for (guint i = 0; i < document->devices->len; i++) {
      TnStudyParams params = TN_STUDY_PARAMS_INIT;
      g_autoptr(TnStudy) study = tn_study_new(document, i, &params, NULL, NULL);
      if (study)
        tn_study_prepare(study, TN_GROUP_AUTO, NULL);
    }
    good++;
  }
  g_test_message("%u of 6000 mutations were still snapshots", good);
  g_assert_cmpuint(good, >, 100);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/pytorch/refused-opcodes", test_refused_opcodes);
  g_test_add_func("/pytorch/malformed", test_malformed);
  g_test_add_func("/pytorch/memo-leaps", test_memo_leaps);
  g_test_add_func("/pytorch/frames-in-turns", test_frames_in_turns);
  g_test_add_func("/pytorch/too-many-traces", test_too_many_traces);
  g_test_add_func("/pytorch/truncated", test_truncated);
  g_test_add_func("/pytorch/truncated-sample", test_truncated_sample);
  g_test_add_func("/pytorch/mutations", test_mutations);
  return g_test_run();
}
