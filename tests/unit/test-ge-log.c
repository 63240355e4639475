/* SPDX-License-Identifier: MIT */
/* Rules that GE's log itself breaks or keeps: each planted in a plan that is clean, found, and silent
 * without; two stages that must agree; dynamic pools as timelines; large dumps that can be stopped. */
#include "config.h"

#include "analysis/batches.h"
#include "analysis/findings-ge.h"
#include "ge-support.h"
#include "text-log-support.h"

#include <time.h>

/* x is the caller's, a and b share, z is set to 0 at the start, y goes to the caller. */
static const GeLine clean[] = {
    {"x", "Data", "output[0]", 8192, 0, 1024, 1024, 992, 0, 2, 0, 1, 0, 1, 1, 0, "", ""},
    {"a", "Relu", "output[0]", 0, 0, 4096, 4096, 4064, 1, 3, 0, 1, 0, 0, 1, 0, "", "data"},
    {"b", "HcomAllReduce", "output[0]", 0, 0, 1024, 1024, 992, 4, 6, 0, 1, 0, 0, 1, 0, "", ""},
    {"z", "Zeros", "output[0]", 4096, 0, 1024, 1024, 992, 1, GE_NEVER, 0, 1, 0, 0, 1, 0, "",
     "concentrate_atomic"},
    {"y", "Out", "output[0]", 9216, 0, 1024, 1024, 992, 5, GE_NEVER, 0, 1, 0, 1, 1, 0, "", ""},
};

typedef struct {
  const char *code, *words;
  const char *good, *bad; /* lines that stand beside the plan */
  TnStatementWeight weight;
} Rule;

static char *
plan_with(const char *lines)
{
  g_auto(GStrv) split = g_strsplit(lines, "\n", -1);
  g_autofree char *plan = ge_plog_text(clean, G_N_ELEMENTS(clean), (GePlogNoise){.form = GE_PLOG_NOW});
  GString *out = g_string_new(plan);
  for (int i = 0; split[i]; i++)
    if (split[i][0])
      ge_plog_say(out, "INFO", "Assign", split[i]);
  return g_string_free(out, FALSE);
}

static guint
count_of(const char *text, const char *code, const TnStatement **out_first, TnDocument **out_document)
{
  guint n = 0;
  *out_document = load(text);
  for (guint i = 0; i < (*out_document)->statements->len; i++) {
    const TnStatement *statement = &g_array_index((*out_document)->statements, TnStatement, i);
    if (strcmp(statement->code, code) != 0)
      continue;
    if (n++ == 0)
      *out_first = statement;
  }
  return n;
}

#define CLEANED "[AtomicClean][IMAS]AppendAttrsToMemSetOp : Set main_0 atomic_node memset optype[MemSet] "

static const Rule rules[] = {
    {"ge-page-mapping", "pa_index[7] is using. using va info: {va 0x12c0, size 2097152}, new va info",
     "virtual and physical page mapping check success\n",
     "pa_index[7] is using. using va info: {va 0x12c0, size 2097152}, new va info: {va 0x13c0, size "
     "2097152}\n",
     TN_STATEMENT_ERROR},
    {"ge-page-mapping", "va intersection, pa_index[3]", "", "va intersection, pa_index[3]\n",
     TN_STATEMENT_ERROR},
    {"ge-atomic-clean", "“z output[0]” lies at offset 4096 and needs 992 bytes set to 0 at the start, but "
                        "only 512 of them are",
     CLEANED "workspace[0] offset to [4096 ] streamid[0] size[1024 ]\n",
     CLEANED "workspace[0] offset to [4096 ] streamid[0] size[512 ]\n", TN_STATEMENT_ERROR},
    {"ge-atomic-clean", "but only 480 of them are", /* of two ranges that touch, and two that do not */
     "[IMAS]SetAtomicCleanAttr : Set main_0 atomic_node name[memset] output[0] offset to [4608 4096 ] "
     "streamid[0] size[512 512 ]\n",
     "[IMAS]SetAtomicCleanAttr : Set main_0 atomic_node name[memset] output[0] offset to [4608 0 ] "
     "streamid[0] size[512 512 ]\n",
     TN_STATEMENT_ERROR},
    {"ge-atomic-clean", "graph main node z check atomic clean address failed, need to clean", "",
     "graph main node z check atomic clean address failed, need to clean [4096, 5120)\n",
     TN_STATEMENT_ERROR},
    {"ge-no-offset", "“late output[0]” (480 bytes) has no offset",
     "[IMAS]Set main_0 name[late] optype[A] output[0] offset to [-1] streamid[0] memtype[2] size[512] "
     "realsize[512] noalignsize[480] life time begin[2] life time end[3] child[0:1:1:0:1] isref[0] "
     "batch[]\n"
     "[IMAS]Continuous input : Set main_0 name[late] optype[A] output[0] offset to [5120] stream_id[0] "
     "memtype[2] size[0] realsize[512] nopadding[0]\n",
     "[IMAS]Set main_0 name[late] optype[A] output[0] offset to [-1] streamid[0] memtype[2] size[512] "
     "realsize[512] noalignsize[480] life time begin[2] life time end[3] child[0:1:1:0:1] isref[0] "
     "batch[]\n",
     TN_STATEMENT_ERROR},
    {"ge-no-offset", "Invalid output offset", "", "Invalid output offset -1 of node b, index 0\n",
     TN_STATEMENT_ERROR},
    {"ge-outside", "memory size check failed. valid offset[0, 10240), out_offset_end: 10752",
     "[IMAS]AfterAssignMemory : main_0 memoffset[10240], memtype[2], theory_min[8192]\n",
     "nopadding continuous output node memory size check failed. valid offset[0, 10240), out_offset_end: "
     "10752\n",
     TN_STATEMENT_ERROR},
    {"ge-too-large", "needs 34359738368 bytes and the variables 1073741824: 1073741824 more than the "
                     "34359738368",
     "Sum of total_mem_offset:10240 and var_mem_size:512 is below memory manager malloc max size 34359738368\n",
     "Sum of total_mem_offset:34359738368 and var_mem_size:1073741824 is greater than memory manager malloc "
     "max size 34359738368 , reduce your batchsize\n",
     TN_STATEMENT_ERROR},
    /* A block of 400 MB is a piece of its own; only where memory is extended are there pieces at all. */
    {"ge-batch-piece", "is 419430912 bytes: more than the 419430400",
     "[IMAS]Set main_0 name[w] optype[A] output[0] offset to [16384] streamid[0] memtype[2] "
     "size[419430400] realsize[419430400] noalignsize[419430400] life time begin[2] life time end[3] "
     "child[0:1:0:0:1] isref[0] batch[B1]\n"
     "[IMAS]AfterAssignMemory : main_0 memoffset[419446784], memtype[2], theory_min[8192], smp[2]\n",
     "[IMAS]Set main_0 name[w] optype[A] output[0] offset to [16384] streamid[0] memtype[2] "
     "size[419430912] realsize[419430912] noalignsize[419430912] life time begin[2] life time end[3] "
     "child[0:1:0:0:1] isref[0] batch[B1]\n"
     "[IMAS]AfterAssignMemory : main_0 memoffset[419447296], memtype[2], theory_min[8192], smp[2]\n",
     TN_STATEMENT_WARNING},
    {"ge-refresh-stages", "The reuse stage may move the feature map",
     "[MemConflict] Start to check memory of static graph main, is_root_graph_static: 1, "
     "is_feature_map_refreshable: 1, is_physical_memory_refreshable: 0\n"
     "feature map refreshable: 1, input_fusion_size: 131072\n",
     "[MemConflict] Start to check memory of static graph main, is_root_graph_static: 1, "
     "is_feature_map_refreshable: 0, is_physical_memory_refreshable: 0\n"
     "feature map refreshable: 1, input_fusion_size: 131072\n",
     TN_STATEMENT_WARNING},
    {"ge-refresh-lists", "The addresses of “b” can't be refreshed for the conflict stage, but the reuse",
     "[MemConflict][Conflict] type: [NORMAL_OUTPUT, UNSUPPORTED_ADDRESS_REFRESH_OPERATOR_INPUT], anchor: "
     "[a_out_0, b_in_0], will insert before b_in_0\n"
     "[MemConflict][INSERT][NODE] id between a->b\n"
     "Op[b] not support zero copy\n",
     "[MemConflict][Conflict] type: [NORMAL_OUTPUT, UNSUPPORTED_ADDRESS_REFRESH_OPERATOR_INPUT], anchor: "
     "[a_out_0, b_in_0], will insert before b_in_0\n"
     "[MemConflict][INSERT][NODE] id between a->b\n"
     "Op[switch] not support zero copy\n",
     TN_STATEMENT_WARNING},
    {"ge-refresh-zero-copy", "“y” is planned as zero copy, but its addresses can't be refreshed",
     "Op[b] not support zero copy\n", "hccl engine op[y] not support zero copy\n", TN_STATEMENT_ERROR},
    {"ge-zero-copy-inner", "“y” is planned as zero copy, but flows to no output of the root graph",
     "Node y output 0 flow to 1 root graph output\n", "Node b output 0 flow to 1 root graph output\n",
     TN_STATEMENT_WARNING},
    {"ge-zero-copy-shape", "“ascend_mbatch_shape_data” holds the shapes",
     "[IMAS]Set main_0 name[ascend_mbatch_shape_data] optype[Data] output[0] offset to [10240] streamid[0] "
     "memtype[2] size[512] realsize[512] noalignsize[8] life time begin[0] life time end[3] "
     "child[0:1:0:0:1] isref[0] batch[]\n",
     "[IMAS]Set main_0 name[ascend_mbatch_shape_data] optype[Data] output[0] offset to [10240] streamid[0] "
     "memtype[2] size[512] realsize[512] noalignsize[8] life time begin[0] life time end[3] "
     "child[0:1:0:1:1] isref[0] batch[]\n",
     TN_STATEMENT_WARNING},
    {"ge-layers", "make up 4194304 bytes, but the pool took only 2097152",
     "Device memory   : [alloc count:4 free count:3 total size:6.00M new_va_size:0 theory_min:5.00M]\n"
     "Using: [span count:2 page count:64 total size:4194304]\n"
     "    |-span: [size:2097152     count:2    ]\n",
     "Device memory   : [alloc count:4 free count:3 total size:2.00M new_va_size:0 theory_min:5.00M]\n"
     "Using: [span count:2 page count:64 total size:4194304]\n"
     "    |-span: [size:2097152     count:2    ]\n",
     TN_STATEMENT_WARNING},
    {"ge-layers", "listed as in use make up 2097152 bytes, their sum is said to be 4194304",
     "Device memory   : [alloc count:4 free count:3 total size:6.00M new_va_size:0 theory_min:5.00M]\n"
     "Using: [span count:2 page count:64 total size:4194304]\n"
     "    |-span: [size:2097152     count:2    ]\n",
     "Device memory   : [alloc count:4 free count:3 total size:6.00M new_va_size:0 theory_min:5.00M]\n"
     "Using: [span count:2 page count:64 total size:4194304]\n"
     "    |-span: [size:2097152     count:1    ]\n",
     TN_STATEMENT_WARNING},
    {"ge-session-allocator", "never removed, as others are (N2ge5AllocE, session 2)",
     "create session allocator, typeid: N2ge5AllocE, session_id: 1, device_id: 0, memory_type: 2, page_size: 1\n"
     "get session allocator, typeid: N2ge5AllocE, session_id: 1, device_id: 0, memory_type: 2, page_size: 1\n"
     "remove session allocator, typeid: N2ge5AllocE, session_id: 1, device_id: 0\n",
     "create session allocator, typeid: N2ge5AllocE, session_id: 1, device_id: 0, memory_type: 2, page_size: 1\n"
     "create session allocator, typeid: N2ge5AllocE, session_id: 2, device_id: 0, memory_type: 2, page_size: 1\n"
     "remove session allocator, class: N2ge5AllocE, session_id: 1\n",
     TN_STATEMENT_WARNING},
};

static void
test_rules(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(rules); i++) {
    const TnStatement *found = NULL;
    g_autofree char *good = plan_with(rules[i].good), *bad = plan_with(rules[i].bad);
    g_autoptr(TnDocument) clean_one = NULL;
    g_autoptr(TnDocument) planted = NULL;
    g_assert_cmpuint(count_of(good, rules[i].code, &found, &clean_one), ==, 0);
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(bad, noise);
      g_autoptr(TnDocument) document = NULL;
      g_assert_cmpuint(count_of(noisy, rules[i].code, &found, &document), >=, 1);
      if (!strstr(found->text, rules[i].words))
        g_error("%s: found “%s”, expected “%s”", rules[i].code, found->text, rules[i].words);
      g_assert_cmpint(found->weight, ==, rules[i].weight);
    }
    for (gsize n = strlen(bad); n > strlen(bad) - 200; n--) { /* cut off anywhere */
      g_autoptr(TnDocument) cut = load_bytes(bad, n);
      g_assert_true(!cut || cut->statements->len <= 3);
    }
  }
}

/* The plan alone has nothing to say, in all of its forms. */
static void
test_clean(void)
{
  for (int form = GE_PLOG_2021; form < N_GE_PLOGS; form++) {
    g_autofree char *text = ge_plog_text(clean, G_N_ELEMENTS(clean),
                                         (GePlogNoise){.form = (GePlog)form, .has_threads = TRUE});
    g_autoptr(TnDocument) document = load(text);
    g_assert_cmpuint(document->statements->len, ==, 0);
  }
}

/* Names that lost their ends are the same op. */
static void
test_cut_names(void)
{
  const TnStatement *found = NULL;
  g_autoptr(TnDocument) document = NULL;
  g_autofree char *text = plan_with(
      "[MemConflict][Conflict] type: [UNSUPPORTED_ADDRESS_REFRESH_OPERATOR_OUTPUT, USER_MEMORY_OUTPUT], "
      "anchor: [averylong...TopoId_9, out_in_0], will insert after x\n"
      "[MemConflict][INSERT][NODE] i after averylong...TopoId_9\n"
      "Op[averylongname] not support zero copy\n");
  g_assert_cmpuint(count_of(text, "ge-refresh-lists", &found, &document), ==, 0);
}

/* ---- dynamic pools ------------------------------------------------------------------------------- */

/* The sheet's dynamic pool: 215.04 MB asked for in 27 requests, never more than five units of 8 MB at
 * once; it grew to six, because what was freed a moment ago is not given again at once. */
#define UNIT (8 * 1048576)
#define N_UNITS 27
#define LAST (225485824 - (N_UNITS - 1) * (int64_t)UNIT) /* 7.04 MB */

static gsize
golden_steps(GeStep *steps)
{
  gsize n = 0;
  for (int i = 0; i < N_UNITS; i++) {
    if (i >= 5) /* the oldest goes: the first five steps ask, then every other */
      steps[n++] = (GeStep){0, i - 5 < 5 ? i - 5 : 2 * (i - 5) - 4};
    steps[n++] = (GeStep){i == N_UNITS - 1 ? LAST : UNIT, -1};
  }
  return n;
}

static TnStudy *
study_of(const TnDocument *document)
{
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  TnStudy *study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_nonnull(study);
  return study;
}

static const char *
note_of(const TnAccount *account, const char *what)
{
  for (guint i = 0; i < account->details->len; i++)
    if (strcmp(tn_account_row(account->details, i)->what, what) == 0)
      return tn_account_row(account->details, i)->note;
  return NULL;
}

static const TnAccount *
account_with(const TnDocument *document, const char *words)
{
  for (guint i = 0; i < document->accounts->len; i++)
    if (strstr(account_of(document, i)->title, words))
      return account_of(document, i);
  g_error("no account of “%s”", words);
}

static void
test_scalable(void)
{
  GeStep steps[80];
  gsize n = golden_steps(steps);
  g_autofree char *text = ge_pool_text(steps, n, UNIT);
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    g_autoptr(TnStudy) study = study_of(document);
    const TnAccount *account = account_with(document, "scalable pool");
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_LOG);
    g_assert_cmpuint(study->buffers->n, ==, 27);
    g_assert_cmpint(study->live->peak, ==, 40 * 1048576);
    g_assert_cmpint(study->reserved->peak, ==, 48 * 1048576);
    g_assert_cmpint(bytes_of(account, "all allocations together"), ==, 225485824);
    g_assert_cmpint(bytes_of(account, "the pool, at most"), ==, 48 * 1048576);
    g_assert_cmpint(bytes_of(account, "least possible (theory_min)"), ==, 40 * 1048576);
    g_assert_cmpstr(note_of(account, "the pool, at most"), ==, "reuse rate 77.68 %, reach 83.33 %");
    for (tn_tick t = 0; t < study->axis_end; t++) /* a pool is never below what is in use */
      g_assert_cmpint(tn_curve_at(study->reserved, t), >=, tn_curve_at(study->live, t));
  }
}

/* The same of the kernel trace: six pieces of 8 MB, five in use at once. */
static void
test_kernel_trace(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  GeStep steps[80];
  gsize n = golden_steps(steps), unit_of[80] = {0};
  for (int i = 0; i < 6; i++)
    g_string_append_printf(text,
                           "[INFO] GE(1,x):2024 [MEM]Expand memory pool at stream 0x12, address 0x%x, size %d, "
                           "block 0x5, allocator addr 0x7\n",
                           0x10000000 + i * UNIT, UNIT);
  for (gsize i = 0, next = 0; i < n; i++) {
    gsize k = steps[i].bytes ? next++ % 6 : (gsize)unit_of[steps[i].freed];
    unit_of[i] = k;
    if (steps[i].bytes)
      g_string_append_printf(text, "[KernelTrace][Op%u][MEM]Alloc memory at stream 0, block 0x%x, address 0x%x, "
                                   "size %" G_GINT64_FORMAT "\n",
                             (unsigned)i, (unsigned)i, (unsigned)(0x10000000 + k * UNIT), steps[i].bytes);
    else
      g_string_append_printf(text, "[KernelTrace][Op%u][MEM]Recycle memory at stream 0, address 0x%x\n", (unsigned)i,
                             (unsigned)(0x10000000 + k * UNIT));
  }
  g_string_append_printf(text, "[INFO] GE(1,x):2024 [MEM]Shrink memory pool at stream 0x12, address 0x%x, size %d\n",
                         0x10000000 + 2 * UNIT, UNIT);
  g_autoptr(TnDocument) document = load(text->str);
  g_autoptr(TnStudy) study = study_of(document);
  const GArray *marks = study->device->marks;
  g_assert_cmpint(study->live->peak, ==, 40 * 1048576);
  g_assert_cmpint(study->reserved->peak, ==, 48 * 1048576);
  g_assert_cmpint(tn_curve_at(study->reserved, study->axis_end - 1), ==, 40 * 1048576);
  g_assert_cmpuint(marks->len, ==, 1);
  g_assert_cmpint(g_array_index(marks, TnMark, 0).kind, ==, TN_MARK_RECYCLE);
  g_assert_cmpint(g_array_index(marks, TnMark, 0).tick, ==, study->device->events.n - 1);
}

/* The pool that is recycled holds less from there on; spans that were tried are no frees. */
static void
test_recycled(void)
{
  static const GeStep steps[] = {{UNIT, -1}, {UNIT, -1}, {0, 0}, {0, -1}, {0, 1}, {UNIT, -1}};
  g_autofree char *spans = ge_pool_text(steps, G_N_ELEMENTS(steps), UNIT);
  g_autofree char *text = g_strconcat(
      spans, "[INFO] GE(77,python): [f.cc:1]77 Alloc: Free using block device_id:0 size:1 allocate_size:65536 "
             "mem_addr:0x12c000000000.\n", NULL);
  g_autoptr(TnDocument) document = load(text);
  g_autoptr(TnStudy) study = study_of(document);
  const GArray *marks = study->device->marks;
  g_assert_cmpuint(study->device->events.n, ==, 6);
  g_assert_cmpuint(marks->len, ==, 1);
  tn_tick at = g_array_index(marks, TnMark, 0).tick;
  g_assert_cmpint(at, ==, 3);
  g_assert_cmpint(tn_curve_at(study->reserved, at - 1), ==, 2 * UNIT);
  g_assert_cmpint(tn_curve_at(study->reserved, at + 1), ==, UNIT);
  g_assert_cmpint(tn_curve_at(study->live, study->axis_end - 1), ==, UNIT);
  g_assert_nonnull(strstr(account_with(document, "scalable pool")->title, "3 spans taken, 1 time recycled"));
}

/* imas_mem_pool.csv of the same. */
static void
test_imas_pool(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 27; i++)
    g_string_append_printf(text,
                           "77,allocator_id,ge_1,name,Op%d,size,%d,realsize,%" G_GINT64_FORMAT
                           ",address,0x%llx,life time begin,%d,life time end,%d,cached_size,50331648,"
                           "theory_size,41943040,kernel_free,0,pool_free,0\n",
                           i, UNIT, i == 26 ? LAST : (int64_t)UNIT, 0x12c000000000ull + (unsigned)(i % 5) * UNIT, i,
                           i + 4);
  g_autoptr(TnDocument) document = load(text->str);
  g_autoptr(TnStudy) study = study_of(document);
  const TnAccount *account = account_with(document, "GE's pool ge_1");
  g_assert_cmpint(study->live->peak, ==, 40 * 1048576);
  g_assert_cmpint(bytes_of(account, "the pool, at most"), ==, 48 * 1048576);
  g_assert_cmpint(bytes_of(account, "all allocations together"), ==, 225485824);
  g_assert_cmpstr(note_of(account, "the pool, at most"), ==, "reuse rate 77.68 %, reach 83.33 %");
}

/* Statistics are printed again and again: the last are kept, and those of the largest pool before. */
static void
test_statistics(void)
{
  static const double grown[] = {8, 24, 16}, growing[] = {8, 16, 24};
  for (int k = 0; k < 2; k++) {
    g_autoptr(GString) text = g_string_new(NULL);
    for (gsize i = 0; i < 3; i++)
      ge_pool_sizes(text, (k ? growing : grown)[i] * 1048576.0, 8 * 1048576.0, 0);
    g_autoptr(TnDocument) document = load(text->str);
    const TnAccount *end = account_with(document, k ? "at the end, and at its largest (3" : "at the end (3");
    g_assert_cmpuint(document->accounts->len, ==, k ? 1 : 2);
    g_assert_cmpint(end->total, ==, (k ? 24 : 16) * 1048576);
    if (!k)
      g_assert_cmpint(account_with(document, "at its largest (3")->total, ==, 24 * 1048576);
  }
}

/* ---- batches ------------------------------------------------------------------------------------- */

/* Two batches that never run together, and what is of none: each against a sum made by hand. */
static void
test_batches(void)
{
  static const GeLine lines[] = {
      {"x", "Data", "output[0]", 0, 0, 512, 512, 480, 0, 9, 0, 1, 0, 0, 1, 0, "", ""},
      {"a1", "Relu", "output[0]", 512, 0, 4096, 4096, 4064, 1, 3, 0, 1, 0, 0, 1, 0, "B1", ""},
      {"a2", "Relu", "output[0]", 4608, 0, 1024, 1024, 992, 2, 4, 0, 1, 0, 0, 1, 0, "B1", ""},
      {"a3", "Relu", "output[0]", 512, 0, 2048, 2048, 992, 4, 5, 0, 1, 0, 0, 1, 0, "B1", ""},
      {"b1", "Relu", "output[0]", 512, 0, 8192, 8192, 992, 6, 8, 0, 1, 0, 0, 1, 0, "B2", ""},
  };
  static const struct {
    const char *label;
    TnBatch batch;
  } expected[] = {{"B2", {.n = 1, .total = 8192, .peak = 8192, .low = 512, .high = 8704}},
                  {"B1", {.n = 3, .total = 7168, .peak = 5120, .low = 512, .high = 5632}},
                  {"", {.n = 1, .total = 512, .peak = 512, .low = 0, .high = 512}}};
  g_autofree char *text = ge_plog_text(lines, G_N_ELEMENTS(lines), (GePlogNoise){.form = GE_PLOG_NOW});
  g_autofree char *none = ge_plog_text(lines, 1, (GePlogNoise){.form = GE_PLOG_NOW});
  g_autoptr(TnDocument) document = load(text), plain = load(none);
  g_autoptr(TnStudy) study = study_of(document), other = study_of(plain);
  g_autoptr(GArray) batches = tn_batches_new(study), empty = tn_batches_new(other);
  g_assert_cmpuint(empty->len, ==, 0);
  g_assert_cmpuint(batches->len, ==, G_N_ELEMENTS(expected));
  for (guint i = 0; i < batches->len; i++) {
    const TnBatch *batch = &g_array_index(batches, TnBatch, i), *wanted = &expected[i].batch;
    g_assert_cmpstr(tn_strings_get(document->strings, batch->label), ==, expected[i].label);
    g_assert_cmpuint(batch->n, ==, wanted->n);
    g_assert_cmpint(batch->total, ==, wanted->total);
    g_assert_cmpint(batch->peak, ==, wanted->peak);
    g_assert_cmpint(batch->low, ==, wanted->low);
    g_assert_cmpint(batch->high, ==, wanted->high);
  }
}

/* ---- large dumps --------------------------------------------------------------------------------- */

#define MANY 120000 /* ops */
#ifdef __SANITIZE_ADDRESS__
#define MOST_MS 4000
#else
#define MOST_MS 200 /* of CPU: the machine may be busy */
#endif

typedef struct {
  TnProgress progress;
  double stop_at, last, longest; /* a fraction; CPU milliseconds */
  bool is_told;
  double told_at, fraction;
} Watch;

static double
cpu_ms(void)
{
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void
watch(double fraction, const char *stage, void *payload)
{
  Watch *w = payload;
  double now = cpu_ms();
  if (now - w->last > 40 && w->stop_at > 1.5) g_test_message("%.0f ms before %s %.2f", now - w->last, stage, fraction);
  w->longest = MAX(w->longest, now - w->last);
  w->last = now;
  g_assert_nonnull(stage);
  g_assert_cmpfloat(fraction, >=, w->fraction);
  g_assert_cmpfloat(fraction, <=, 1.0);
  w->fraction = fraction;
  if (fraction < w->stop_at || w->is_told)
    return;
  w->is_told = true;
  w->told_at = now;
  g_atomic_int_set(&w->progress.cancelled, 1);
}

static char *
many_ops(int form)
{
  GString *out = g_string_new(form == 0   ? "name: \"model\"\ngraph {\n  name: \"main\"\n"
                              : form == 1 ? "ir_version: 6\nproducer_name: \"GE\"\ngraph {\n"
                                          : "");
  for (int i = 0; i < MANY; i++) {
    char name[32], input[40];
    g_snprintf(name, sizeof name, "op%d", i);
    g_snprintf(input, sizeof input, i ? "op%d:0" : "", i - 1);
    GeOp op = {name, "Relu", input, 0, (i % 9) * 1024, 1024, 248, 0, 0, NULL, NULL, -1};
    GeLine line = {name, "Relu", "output[0]", (i % 9) * 1024, 0, 1024, 1024, 992, i, i + 1, 0, 1, 0, 0, 1, 0, "", ""};
    if (form == 0)
      ge_proto_op(out, &op, i);
    else if (form == 1)
      ge_onnx_node(out, &op, i, false);
    else
      ge_plog_line(out, &line, GE_PLOG_NOW);
  }
  if (form < 2)
    g_string_append(out, "}\n");
  return g_string_free(out, FALSE);
}

/* Each reader says how far it is, in steps that are never long, and ends soon after it was told to. */
static void
test_stopped(void)
{
  static const double fractions[] = {0.3, 0.9, 2.0};
  for (int form = 0; form < 3; form++) {
    g_autofree char *text = many_ops(form);
    g_autoptr(TnSource) source = tn_source_new_for_bytes("t", text, strlen(text));
    for (gsize k = 0; k < G_N_ELEMENTS(fractions); k++) {
      g_autoptr(GError) error = NULL;
      Watch w = {.progress = {.report = watch, .payload = NULL}, .stop_at = fractions[k], .last = cpu_ms()};
      w.progress.payload = &w;
      TnReadOptions options = TN_READ_OPTIONS_INIT;
      options.progress = &w.progress;
      g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
      double now = cpu_ms(), took = now - w.told_at;
      w.longest = MAX(w.longest, now - w.last); /* and what comes behind the last word */
      if (w.is_told) {
        g_assert_null(document);
        g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_CANCELLED);
        g_assert_cmpfloat(took, <, MOST_MS);
      } else {
        g_assert_no_error(error);
        g_assert_cmpfloat(fractions[k], >=, form < 2 ? 2.0 : 0.9);
        g_test_message("form %d: %.1f MB, longest step %.0f ms", form, (double)strlen(text) / 1e6, w.longest);
        g_assert_cmpfloat(w.longest, <, MOST_MS);
      }
    }
  }
}

/* A long chain of ops that alternate between two streams, each of which waits for the one before: all may
 * share, and that is soon told, whatever the number of places that change hands. */
static void
test_many_streams(void)
{
  g_autoptr(GString) text = g_string_new("name: \"model\"\ngraph {\n  name: \"main\"\n");
  for (int i = 0; i < MANY / 3; i++) {
    g_autofree char *name = g_strdup_printf("op%d", i);
    g_autofree char *input = g_strdup_printf(i ? "op%d:0" : "", i - 1);
    GeOp op = {name, "Relu", input, i % 2, (i % 9) * 1024, 1024, 248, 0, 0, NULL, NULL, -1};
    ge_proto_op(text, &op, i);
  }
  g_string_append(text, "}\n");
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t", text->str, text->len);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, NULL);
  g_autoptr(TnStudy) study = study_of(document);
  g_autoptr(TnFindings) findings = tn_findings_new();
  double before = cpu_ms();
  tn_find_ge(study, findings);
  double took = cpu_ms() - before;
  g_test_message("%u buffers: %.0f ms", study->buffers->n, took);
  g_assert_cmpfloat(took, <, 5 * MOST_MS);
  for (guint i = 0; i < findings->rows->len; i++)
    g_assert_cmpstr(tn_findings_get(findings, i)->code, !=, "ge-cross-stream");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/ge-log/rules", test_rules);
  g_test_add_func("/ge-log/clean", test_clean);
  g_test_add_func("/ge-log/cut-names", test_cut_names);
  g_test_add_func("/ge-log/scalable", test_scalable);
  g_test_add_func("/ge-log/kernel-trace", test_kernel_trace);
  g_test_add_func("/ge-log/recycled", test_recycled);
  g_test_add_func("/ge-log/imas-pool", test_imas_pool);
  g_test_add_func("/ge-log/statistics", test_statistics);
  g_test_add_func("/ge-log/batches", test_batches);
  g_test_add_func("/ge-log/many-streams", test_many_streams);
  g_test_add_func("/ge-log/stopped", test_stopped);
  return g_test_run();
}
