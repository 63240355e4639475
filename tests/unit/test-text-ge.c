/* SPDX-License-Identifier: MIT */
/* GE's and Ascend's logs: plans, checks, sizes, the driver's counts, imas rows, kernel traces. */
#include "config.h"

#include "data/readers/text-prefix.h"
#include "text-log-support.h"

/* GE's lines of each generation, a place given anew, a reference, a graph of its own. */
static void
test_ge(void)
{
  static const char text[] =
      "[INFO] GE(1,x):2020-01-01-00:00:00.1 [block_mem_assigner.cc:1]1 SetOffsetSize: [IMAS]Set "
      "main_0 "
      "name[conv1] optype[Conv2D] output[0] offset to [1024] streamid[0] memtype[2] size[3211776] "
      "realsize[3211296] noalignsize[3211264] life time begin[3] life time end[7] child[0:1:0:0:1] "
      "isref[0] batch[], block_type[]\n"
      "[IMAS]Set main_0 name[old] output[1] offset to [0] streamid[0] size[512] realsize[96] "
      "noalignsize[64] life time begin[1] life time end[2] child[0:1:0:0] isref[0].\n"
      "[IMAS]Set main_0 name[cat] optype[Concat] output[0] offset to [4096000] streamid[1] "
      "memtype[2] "
      "size[1024] realsize[544] noalignsize[512] life time begin[4--5] life time end[9--6] "
      "child[0:1:0:0:1] isref[0] batch[b1] scope[0]\n"
      "[IMAS]Set main_0 name[ref] optype[Assign] output[0] offset to [0] streamid[0] memtype[2] "
      "size[512] realsize[96] noalignsize[64] life time begin[2] life time end[5] "
      "child[0:1:0:0:1] isref[1] batch[]\n"
      "[IMAS]Set main_0 name[last] optype[X] workspace[0] offset to [3212800] streamid[0] "
      "memtype[2] "
      "size[512] realsize[512] noalignsize[512] life time begin[8] life time end[4294967295] "
      "child[0:1:0:0:1] isref[0] batch[]\n"
      "[IMAS]Continuous input : Set main_0 name[cat] optype[Concat] output[0] offset to [3213344] "
      "stream_id[1] memtype[2] size[0] realsize[544] nopadding[1]\n"
      "[IMAS]AfterAssignMemory : main_0 memoffset[3213888], memtype[2], theory_min[3212800], "
      "zero_copy[0], total_size[3300000], no_reuse[0], streams[2], topo_mode[BFS], mop[], "
      "io_reuse[0:0], smp[0]\n"
      "[IMAS]Set sub_1 name[a] optype[A] output[0] offset to [0] streamid[0] memtype[17] size[512] "
      "realsize[512] noalignsize[512] life time begin[0] life time end[1] child[0:1:0:0:1] "
      "isref[0] "
      "batch[]\n";
  static const struct {
    const char *name;
    tn_tick start, end;
    tn_bytes offset, bytes, requested;
  } rows[] = {{"old output[1]", 1, 6, 0, 512, 64},
              {"conv1 output[0]", 3, 8, 1024, 3211776, 3211264},
              {"last workspace[0]", 8, 9, 3212800, 512, 512},
              {"cat output[0]", 4, 7, 3213344, 512, 512}};
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnBuffers *b = device->buffers;
    g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
    g_assert_cmpuint(document->devices->len, ==, 2);
    g_assert_cmpuint(b->n, ==, G_N_ELEMENTS(rows));
    for (uint32_t i = 0; i < b->n; i++) {
      g_assert_cmpstr(tn_strings_get(document->strings, b->name[i]), ==, rows[i].name);
      g_assert_cmpint(b->start[i], ==, rows[i].start);
      g_assert_cmpint(b->end[i], ==, rows[i].end);
      g_assert_cmpint(b->offset[i], ==, rows[i].offset);
      g_assert_cmpint(b->bytes[i], ==, rows[i].bytes);
      g_assert_cmpint(b->requested[i], ==, rows[i].requested);
    }
    g_assert_cmpstr(tn_strings_get(document->strings, b->batch[3]), ==, "b1");
    g_assert_cmpuint(b->stream[3], ==, 1);
    g_assert_cmpuint(b->traits[3], ==,
                     TN_TRAIT_CONTINUOUS | TN_TRAIT_NO_PADDING | TN_TRAIT_PLACED_LATER);
    g_assert_cmpuint(b->traits[1], ==, 0);
    g_assert_cmpint(b->block[1], ==, 3211776);
    g_assert_cmpint(device->arena_bytes, ==, 3213888);
    g_assert_cmpint(bytes_of(account_of(document, 1), "least possible (theory_min)"), ==, 3212800);
  }
  for (gsize n = 150; n < sizeof text; n++) { /* cut off anywhere */
    g_autoptr(TnDocument) document = load_bytes(text, n);
    const TnBuffers *b =
        document && document->devices->len ? tn_document_get_device(document, 0)->buffers : NULL;
    for (uint32_t i = 0; b && i < b->n; i++)
      g_assert_true(b->bytes[i] == 512 || b->bytes[i] == 3211776 || b->bytes[i] == 1024 ||
                    b->bytes[i] == 544);
  }
}

static const TnStatement *
statement_of(const TnDocument *document, guint i)
{
  g_assert_cmpuint(i, <, document->statements->len);
  return &g_array_index(document->statements, TnStatement, i);
}

/* What GE's checks say: each planted, with a line beside it that says nothing of the kind. */
static void
test_ge_says(void)
{
  static const char text[] =
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.001 [reuse_checker.cc:1]7 Check: Cannot reuse memory "
      "between node: a(Relu), stream: 0, topo_id: 3, out_index: 0, offset: 512, size: 1024, "
      "symbol_id: 4 and node: b(Add), stream: 1, topo_id: 5, out_index: 0\n"
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.002 [reuse_checker.cc:2]7 Check: reason: a cannot "
      "reach b\n"
      "[INFO] GE(1,x):2025-01-01-00:00:00.000.003 [mem.cc:3]7 Check: [MemConflict] Start to check "
      "memory of static graph main, is_root_graph_static: 1\n"
      "[MemConflict][Conflict] type: [USER_MEMORY_INPUT, CONTINUOUS_INPUT], anchor: [x_out_0, "
      "all_in_1], will insert after x_out_0\n"
      "[MemConflict][Conflict] type: [CONTINUOUS_OUTPUT, NOPADDING_CONTINUOUS_INPUT], anchor: "
      "[split_out_1, cat_in_0], will insert before cat_in_0\n"
      "[MemConflict][Conflict] type: [REFERENCE_OUTPUT, USER_MEMORY_OUTPUT], anchor: [ref_out_0, "
      "out_in_0], will insert after ref_out_0\n"
      "[MemConflict][INSERT][NODE] x_Node_Output_MemLayoutConflict_0 after x, index: 0\n"
      "[MemConflict][INSERT][NODE] id_1 between ref->out\n"
      "[ERROR] GE(1,x):2025-01-01-00:00:00.000.004 [graph_mem.cc:4]7 Check: continuous input node "
      "memory check failed. node: all, input_index: 1, input node a, out_index: 0, offset: 2048, "
      "expect_offset: 1536\n"
      "[IMAS]InitFeatureMapAndP2PMem graph_1 MallocMemory type[F] memaddr[0x12c000000000] "
      "mem_size[4096]Bytes\n"
      "[IMAS]graph_1 type[F] name[a] output[0] offset[512] size[512] memaddr[0x12c000000200]\n"
      "[IMAS]graph_1 type[F] name[b] output[0] offset[1024] size[512] memaddr[0x12c000000200]\n"
      "[IMAS]graph_1 type[V] name[v] input[0] offset[0] size[512] memaddr[0x12c0000f0000]\n"
      "[ERROR] GE(1,x): [mem.cc:5]7 Malloc: Failed to apply for memory. We will try to free memory "
      "from memory pool, the above or this error log can be ignored.\n"
      "[WARNING] GE(1,x): [mem.cc:6]7 Reserve: Maybe not support rtReserveMemAddress.\n"
      "[ERROR] GE(1,x): [mem.cc:7]7 Finalize: 3 [ScalableAllocator]: memory leaks, occupied spans = "
      "2|0x12c000000000\n";
  static const struct {
    const char *code, *words;
    TnStatementWeight weight;
  } rows[] = {
      {"ge-reuse", "offset: 512, size: 1024, symbol_id: 4 and node: b(Add)", TN_STATEMENT_ERROR},
      {"ge-conflict-open", "split_out_1 and cat_in_0 want different places (CONTINUOUS_OUTPUT and "
                           "NOPADDING_CONTINUOUS_INPUT), and no Identity",
       TN_STATEMENT_WARNING},
      {"ge-continuous", "“all” must be neighbours, but one lies at offset 2048 where 1536",
       TN_STATEMENT_ERROR},
      {"ge-address", "“b” has offset 1024 in the plan, but lies 512 bytes", TN_STATEMENT_ERROR},
      {"not-an-oom", "Failed to apply for memory.", TN_STATEMENT_NOTE},
      {"va-fallback", "Maybe not support rtReserveMemAddress.", TN_STATEMENT_NOTE},
      {"ge-leak", "memory leaks, occupied spans = 2", TN_STATEMENT_WARNING},
  };
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    g_assert_cmpuint(document->statements->len, ==, G_N_ELEMENTS(rows));
    for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
      g_assert_cmpstr(statement_of(document, i)->code, ==, rows[i].code);
      g_assert_nonnull(strstr(statement_of(document, i)->text, rows[i].words));
      g_assert_cmpint(statement_of(document, i)->weight, ==, rows[i].weight);
    }
    g_assert_nonnull(strstr(statement_of(document, 0)->text, "; reason: a cannot reach b"));
    g_assert_cmpstr(account_of(document, 0)->title, ==,
                    "GE's own checks: 3 layout conflicts, 2 Identity nodes, 2 addresses, "
                    "6 statements");
  }
  for (gsize n = 1; n < sizeof text; n++) { /* cut off anywhere: never more than is there */
    g_autoptr(TnDocument) document = load_bytes(text, n);
    g_assert_true(!document || document->statements->len <= G_N_ELEMENTS(rows) + 2);
  }
}

static const char *
note_of(const TnAccount *account, const char *what)
{
  for (guint i = 0; i < account->details->len; i++)
    if (strcmp(tn_account_row(account->details, i)->what, what) == 0)
      return tn_account_row(account->details, i)->note;
  return NULL;
}

static void
test_ge_sizes(void)
{
  static const char text[] =
      "[EVENT] GE(7,x):2025-01-01-00:00:00.1 [hybrid_mem_assigner.cc:1]7 Assign: binary-block memory "
      "assigner memory size:6704640\n"
      "[EVENT] GE(7,x):2025-01-01-00:00:00.1 [hybrid_mem_assigner.cc:1]7 Assign: max-block memory "
      "assigner memory size:8388608\n"
      "Batch[Batch_0] total memory size[1024], others\n"
      "Max batch[Batch_1] total memory size[4096], others\n"
      "SubMemOffsets[1]: mem_type[2] mem_offset_base[209715200] mem_size[4096] "
      "is_fixed_addr_prior[1]\n"
      "Device memory   : [alloc count:4 free count:3 total size:6.00M new_va_size:0 "
      "real_theory_min:1 theory_min:5.00M reach theory rate:83.33%]\n"
      "Allocator memory: [alloc count:9 free count:9 recycle count:1]\n"
      "Using: [span count:2 page count:32 total size:4.00M]\n"
      "    |-span: [size:2.00M count:2]\n"
      "Freed span layers: [level:1, count:1]\n"
      "Freed: [span count:1 page count:16 total size:1.50M]\n"
      "    |-layer: [id:3 capacity:4 size:1.50M count:1]\n";
  for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
    g_autofree char *noisy = make_noisy(text, noise);
    g_autoptr(TnDocument) document = load(noisy);
    const TnAccount *plan = account_of(document, 0), *pool = account_of(document, 1);
    g_assert_cmpint(bytes_of(plan, "binary-block"), ==, 6704640);
    g_assert_cmpstr(note_of(plan, "binary-block"), ==, "the smallest: taken");
    g_assert_cmpint(bytes_of(plan, "max-block"), ==, 8388608);
    g_assert_cmpint(bytes_of(plan, "batch Batch_0"), ==, 1024);
    g_assert_cmpstr(note_of(plan, "batch Batch_1"), ==, "the largest");
    g_assert_cmpint(bytes_of(plan, "segment at offset 209715200"), ==, 4096);
    g_assert_cmpint(pool->total, ==, MIB(6));
    g_assert_cmpint(bytes_of(pool, "in use"), ==, MIB(4));
    g_assert_cmpint(bytes_of(pool, "free, kept by the pool"), ==, MIB(1.5));
    g_assert_cmpint(bytes_of(pool, "not listed"), ==, MIB(0.5));
    g_assert_cmpint(bytes_of(pool, "spans in use"), ==, MIB(4));
    g_assert_cmpint(bytes_of(pool, "least possible (theory_min)"), ==, MIB(5));
    assert_adds_up(document);
  }
}

/* A pool beside a graph is a plan from its lowest address on; what was never placed stays so. */
static void
test_imas_pool_unplaced(void)
{
  static const char graph[] =
      "77,5,optype,X,name_y_output_0_offset to ,0,streamid,0,memory_type,2,size,512,realsize,512,life "
      "time begin,0,life time end,1,\n";
  static const char pool[] =
      "77,allocator_id,ge_1,name,a,size,512,realsize,512,address,4096,life time begin,0,life time end,1,\n"
      "77,allocator_id,ge_1,name,b,size,512,realsize,512,address,8192,life time begin,0,life time end,1,\n"
      "[IMAS]Set ge_1 name[x] optype[X] output[0] offset to [-1] streamid[0] memtype[2] size[512] "
      "realsize[512] life time begin[0] life time end[1]\n";
  g_autofree char *both = g_strconcat(pool, graph, NULL);
  g_autoptr(TnDocument) document = load(both), alone = load(pool);
  const TnBuffers *buffers = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpuint(buffers->n, ==, 3);
  g_assert_cmpint(buffers->offset[0], ==, TN_NOT_PLACED);
  g_assert_cmpint(buffers->offset[1], ==, 0);
  g_assert_cmpint(buffers->offset[2], ==, 4096);
  g_assert_cmpint(alone->kind, ==, TN_DOCUMENT_LOG); /* whose events have addresses */
  g_assert_cmpuint(tn_document_get_device(alone, 0)->events.n, ==, 4);
  g_assert_true(account_of(alone, 0)->is_cut_off);
}

/* What was cut to its contents and then given a place alone has its whole size again: it must fit there. */
static void
test_moved_twice(void)
{
  g_autoptr(TnDocument) document = load(
      "[IMAS]Set main_0 name[a] optype[A] output[0] offset to [0] streamid[0] memtype[2] size[512] "
      "realsize[512] noalignsize[1] life time begin[0] life time end[1]\n"
      "[IMAS]Continuous input : Set main_0 name[a] optype[A] output[0] offset to [1024] nopadding[1]\n"
      "[IMAS]Reset : Set main_0 name[a] optype[A] output[0] offset to [9223372036854775805]\n");
  const TnBuffers *buffers = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpint(buffers->bytes[0], ==, 1);
  g_assert_cmpint(buffers->offset[0], ==, 1024);
}

/* The driver's counts against its sizes: each contradiction planted, and a clean line. */
static void
test_driver_counts(void)
{
  static const struct {
    int64_t now, peak, n_alloc, n_free;
    const char *words;
  } rows[] = {{100, 200, 3, 2, NULL},
              {0, 200, 3, 3, NULL},
              {300, 200, 3, 2, "more than its peak"},
              {100, 200, 3, 4, "with more frees"},
              {100, 200, 3, 3, "though as much was freed"},
              {0, 200, 3, 2, "never freed"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *text = g_strdup_printf(
        "[drv][devmm][_svm_mem_stats_show]MEM_DEV_HUGE_HBM dev0 Mem stats (Bytes). (module_name=GE; "
        "module_id=45; current_alloced_size=%d; allocated_peak_size=%d; alloc_cnt=%d; free_cnt=%d)\n",
        (int)rows[i].now, (int)rows[i].peak, (int)rows[i].n_alloc, (int)rows[i].n_free);
    g_autoptr(TnDocument) document = load(text);
    g_assert_cmpuint(document->statements->len, ==, rows[i].words != NULL);
    if (rows[i].words)
      g_assert_nonnull(strstr(statement_of(document, 0)->text, rows[i].words));
  }
}

/* Names that GE cut, and the other side of an edge. */
static void
test_ge_conflict_names(void)
{
  static const char *const solved[] = {
      "[MemConflict][INSERT][NODE] i before all, index: 1\n",
      "[MemConflict][INSERT][NODE] i after averylong...TopoId_7\n",
      "[MemConflict][INSERT][NODE] i between averylongname->all\n"};
  static const char *const open[] = {"[MemConflict][INSERT][NODE] i before al, index: 1\n",
                                     "[MemConflict][INSERT][NODE] i between all->averylongname\n",
                                     "[MemConflict] a and b not conflict, skip\n"};
  static const char conflict[] = "[MemConflict][Conflict] type: [A, B], anchor: "
                                 "[averylongname_out_0, all_in_1], will insert after x\n";
  for (gsize i = 0; i < G_N_ELEMENTS(solved); i++) {
    g_autofree char *good = g_strconcat(conflict, solved[i], NULL);
    g_autofree char *bad = g_strconcat(conflict, open[i], NULL);
    g_autoptr(TnDocument) clean = load(good);
    g_autoptr(TnDocument) planted = load(bad);
    g_assert_cmpuint(clean->statements->len, ==, 0);
    g_assert_cmpuint(planted->statements->len, ==, 1);
  }
}

/* The golden values of the format sheet: the rates that GE's users speak of. */
static void
test_ge_summaries(void)
{
  static const struct {
    int64_t planned, theory, total, streams;
    const char *rates;
  } rows[] = {
      {6704640, 5359616, 27869696, 1, "reuse rate 75.94 %, reach 79.94 %, 1 stream"},
      {6743040, 5359616, 27869696, 4, "reuse rate 75.81 %, reach 79.48 %, 4 streams"},
      {268470272, 268470272, 268470272, 3, "reuse rate 0.00 %, reach 100.00 %, 3 streams"},
      {50331648, 41943040, 225485783, 0, "reuse rate 77.68 %, reach 83.33 %"}, /* 6 of 8 MiB */
      {1024, 2048, 0, 0, "reach 100.00 %"}, /* capped */
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *line = g_strdup_printf(
        "[IMAS]AfterAssignMemory : main_0 memoffset[%" G_GINT64_FORMAT "], memtype[2], "
        "theory_min[%" G_GINT64_FORMAT "], zero_copy[0], total_size[%" G_GINT64_FORMAT
        "], no_reuse[0], streams[%" G_GINT64_FORMAT "], topo_mode[DFS], mop[MemoryPriority]\n",
        rows[i].planned, rows[i].theory, rows[i].total, rows[i].streams);
    g_autofree char *row = g_strdup_printf(
        "77,main_0,optype,memory_type,2,memory_size,%" G_GINT64_FORMAT ",reuse rate:0%% "
        "detail[reach_theory_rate:1 total:%" G_GINT64_FORMAT " after_reuse:%" G_GINT64_FORMAT
        " theory_min:%" G_GINT64_FORMAT " io:134218752 no_reuse:134218752 atomic:0 continuous:512 "
        "streams:%" G_GINT64_FORMAT " topo:DFS mop: smp:0]\n",
        rows[i].planned, rows[i].total, rows[i].planned, rows[i].theory, rows[i].streams);
    g_autoptr(TnDocument) log = load(line), tool = load(row);
    g_assert_cmpstr(note_of(account_of(log, 0), "planned (memoffset)"), ==, rows[i].rates);
    g_assert_cmpstr(note_of(account_of(tool, 0), "planned (memoffset)"), ==, rows[i].rates);
    g_assert_cmpint(bytes_of(account_of(tool, 0), "zero copy"), ==, 134218752);
    g_assert_cmpint(bytes_of(account_of(tool, 0), "continuous"), ==, 512);
  }
}

/* The imas tool's rows of the same. */
static void
test_imas_rows(void)
{
  g_autoptr(TnDocument) document = load(
      "77,5,optype,Conv2D,name_conv1_output_0_offset to ,1024,streamid,0,memory_type,2,size,1024,"
      "realsize,544,noalignsize,512,life time begin,3,life time "
      "end,7,child:r:c:z:s,0:1:0:0:1,isref,0,"
      "batch,,\n"
      "77,5,optype,Conv2D,name_conv1_output_0_offset to ,2048,streamid,0,memory_type,2,size,0,"
      "realsize,544,reassign output,nopadding,1\n"
      "77,allocator_id,ge_1,name,MatMul,size,1024,realsize,600,address,0x12c000000400,life time "
      "begin,"
      "1,life time end,4,cached_size,0\n"
      "77,allocator_id,ge_1,name,Add,size,512,realsize,512,address,0x12c000000000,life time begin,"
      "2,life time end,3,cached_size,0\n");
  const TnBuffers *graph = tn_document_get_device(document, 0)->buffers;
  const TnBuffers *pool = tn_document_get_device(document, 1)->buffers;
  g_assert_cmpuint(graph->n, ==, 1);
  g_assert_cmpint(graph->offset[0], ==, 2048);
  g_assert_cmpint(graph->bytes[0], ==, 512); /* close: its contents only */
  g_assert_cmpint(graph->start[0], ==, 3);
  g_assert_cmpint(graph->end[0], ==, 8);
  g_assert_cmpuint(pool->n, ==, 2);
  g_assert_cmpint(pool->offset[1], ==, 1024);
  g_assert_cmpint(pool->bytes[1], ==, 1024);
  g_assert_cmpint(pool->end[0], ==, 4);
}

/* The label of a name and that of a place share their '_' where there is no name. */
static void
test_imas_no_name(void)
{
  g_autoptr(TnDocument) document = load(
      "77,5,optype,X,name_offset to ,0,streamid,0,memory_type,2,size,512,realsize,512,life time begin,0,"
      "life time end,1,\n"
      "77,5,optype,X,name__offset to ,512,streamid,0,memory_type,2,size,512,realsize,512,life time begin,0,"
      "life time end,1,\n");
  const TnBuffers *buffers = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpuint(buffers->n, ==, 1);
  g_assert_cmpint(buffers->offset[0], ==, 512);
}

/* A pool alone is a log: it can be replayed. */
static void
test_imas_pool(void)
{
  g_autoptr(TnDocument) document =
      load("77,allocator_id,ge_1,name,MatMul,size,1024,realsize,600,address,0x12c000000400,life time "
           "begin,1,life time end,4,cached_size,0\n"
           "77,allocator_id,ge_1,name,Add,size,512,realsize,512,address,0x12c000000000,life time begin,"
           "2,life time end,3,cached_size,0\n"
           "77,allocator_id,ge_1,name,Mul,size,512,realsize,300,address,0x12c000000000,life time begin,"
           "4,life time end,6,cached_size,0\n"
           "77,allocator_id,ge_1,name,Out,size,512,realsize,512,address,0x12c000000200,life time begin,"
           "5,life time end,4294967295,cached_size,0\n");
  const TnDevice *device = tn_document_get_device(document, 0);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_LOG);
  g_assert_cmpuint(device->events.n, ==, 7);
  g_assert_cmpint(study->live->peak, ==, 1536);
  g_assert_cmpuint(study->buffers->n, ==, 4);
  g_assert_cmpint(study->buffers->bytes[0], ==, 1024);
  g_assert_cmpint(study->buffers->requested[0], ==, 600);
  g_assert_cmphex((uint64_t)study->buffers->offset[0], ==, 0x12c000000400);
  g_assert_cmpint(study->buffers->end[0], ==, 4); /* Mul begins while MatMul still is there */
  g_assert_true(study->buffers->flags[3] & TN_BUFFER_TO_END);
}

static void
test_kernel_trace(void)
{
  static const char text[] =
      "[INFO] GE(1,x):2024 [MEM]Expand memory pool at stream 0x12, address 0x10000, size 65536, "
      "block "
      "0x5, allocator addr 0x7\n"
      "[KernelTrace][AllocMemHbm_1][MEM]Alloc memory at stream 0, block 0x1, address 0x10000, size "
      "512, tensor size 500, index 0\n"
      "[KernelTrace][AllocMemHbm_2][MEM]Alloc memory at stream 0, block 0x2, address 0x10200, size "
      "1024\n"
      "[KernelTrace][FreeMemHbm_1][MEM]Free memory at stream -1, block 0x1, address 0x10000\n"
      "[KernelTrace][FreeMemHbm_1][MEM]Recycle memory at stream 0, block 0x1, address 0x10000\n"
      "[KernelTrace][AllocMemHbm_3][MEM]Alloc memory at stream 0, block 0x3, addr\n"
      "[KernelTrace][X][MEM]Memory wandering from stream 0 to 1, address 0x10200\n";
  g_autoptr(TnDocument) document = load(text);
  const TnDevice *device = tn_document_get_device(document, 0);
  TnStudyParams params = TN_STUDY_PARAMS_INIT;
  g_autoptr(TnStudy) study = tn_study_new(document, 0, &params, NULL, NULL);
  g_assert_cmpuint(device->events.n, ==, 6);
  g_assert_cmpuint(device->events.action[5], ==, TN_EVENT_SHARE);
  g_assert_cmpuint(device->events.stream[5], ==, 1);
  g_assert_cmpuint(device->events.line[5], ==, 7);
  g_assert_cmpint(study->live->peak, ==, 1536);
  g_assert_cmpint(study->reserved->peak, ==, 65536);
  g_assert_cmpuint(study->buffers->n, ==, 2);
  g_assert_cmpint(study->buffers->end[0], ==, 4);
  g_assert_cmpstr(tn_strings_get(document->strings, study->buffers->name[0]), ==, "AllocMemHbm_1");
  g_assert_true(account_of(document, 0)->is_cut_off);
}

/* A device without a name is what its software runs on. */
static void
test_device_label(void)
{
  static const struct {
    const char *text, *label;
  } rows[] = {
      {"[IMAS]AfterAssignMemory : main_0 memoffset[3213888], memtype[2], theory_min[3212800], "
       "zero_copy[0], total_size[3300000], no_reuse[0], streams[2]\n", "NPU 0"},
      {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total "
       "capacity of 40.00 GiB of which 1.00 GiB is free.\n", "GPU 0"}};
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    g_autofree char *label =
        tn_document_dup_device_label(document, tn_document_get_device(document, 0));
    g_assert_cmpstr(label, ==, rows[i].label);
  }
}

/* Of a tensor the last line counts, wherever it is set again; names that GE cut may be of several. */
static void
test_set_again(void)
{
  static const char format[] = "[IMAS]Set main_0 name[%s] optype[A] output[0] offset to [%d] streamid[0] memtype[2] "
                               "size[1024] realsize[1024] noalignsize[1000] life time begin[%d] life time end[%d]\n";
  g_autofree char *cut = g_strnfill(512, 'n');
  g_autoptr(GString) text = g_string_new(NULL);
  g_string_append_printf(text, format, "a", 0, 1, 3);
  g_string_append_printf(text, format, "b", 1024, 2, 4);
  g_string_append(text, "[IMAS]Continuous input : Set main_0 name[a] optype[A] output[0] offset to [512] nopadding[1]\n");
  g_string_append_printf(text, format, "a", 2048, 1, 5);
  g_string_append_printf(text, format, cut, 4096, 1, 2);
  g_string_append_printf(text, format, cut, 5120, 1, 2);
  g_autoptr(TnDocument) document = load(text->str);
  const TnBuffers *buffers = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpuint(buffers->n, ==, 4);
  g_assert_cmpint(buffers->offset[0], ==, 1024);
  g_assert_cmpint(buffers->offset[1], ==, 2048);
  g_assert_cmpint(buffers->bytes[1], ==, 1024);
  g_assert_cmpint(buffers->end[1], ==, 6);
  g_assert_cmpuint(buffers->traits[1] & TN_TRAIT_PLACED_LATER, ==, 0);
  g_autoptr(TnDocument) pool =
      load("77,allocator_id,ge_1,name,a,size,512,realsize,512,address,4096,life time begin,0,life time end,1,\n"
           "77,allocator_id,ge_1,name,a,size,512,realsize,512,address,8192,life time begin,0,life time end,1,\n");
  g_assert_cmpuint(tn_document_get_device(pool, 0)->events.n, ==, 4);
}

/* Two processes of a job wrote the same graph, line by line in turns: each has its own, and alone nothing is named. */
static void
test_processes(void)
{
  static const char set[] = "[IMAS]Set main_0 name[%s] optype[A] output[0] offset to [%d] streamid[0] memtype[2] "
                            "size[512] realsize[512] noalignsize[512] life time begin[%d] life time end[%d]\n";
  static const struct {
    int process, offset, start;
    const char *name;
    bool is_row;
  } rows[] = {{100, 0, 1, "a", false}, {200, 0, 1, "a", false}, {100, 512, 2, "b", false},
              {200, 512, 2, "b", false}, {200, 0, 5, "c", false}, {100, 0, 5, "c", true}};
  for (int n_processes = 1; n_processes <= 2; n_processes++) {
    g_autoptr(GString) text = g_string_new("[INFO] a line of no process\n");
    for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
      if (n_processes == 1 && rows[i].process == 200)
        continue;
      if (rows[i].is_row)
        g_string_append_printf(text, "%d,main_0,optype,A,name_%s_output_0_offset to ,%d,streamid,0,memory_type,2,size,512,"
                                     "realsize,512,noalignsize,512,life time begin,%d,life time end,%d,\n",
                               rows[i].process, rows[i].name, rows[i].offset, rows[i].start, rows[i].start + 2);
      else
        g_string_append_printf(text, "[INFO] GE(%d,python3):2024-05-01-10:00:00.000.001 [f.cc:1]%d F: ", rows[i].process,
                               rows[i].process);
      if (!rows[i].is_row)
        g_string_append_printf(text, set, rows[i].name, rows[i].offset, rows[i].start, rows[i].start + 2);
    }
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(text->str, noise);
      g_autoptr(TnDocument) document = load(noisy);
      bool is_tagged = noise == TAGGED || noise == COMPOSE;
      g_assert_cmpuint(document->devices->len, ==, (guint)n_processes);
      for (int d = 0; d < n_processes; d++) {
        const TnDevice *device = tn_document_get_device(document, (guint)d);
        g_autofree char *process = g_strdup_printf("process %d", (d + 1) * 100);
        g_assert_cmpuint(device->buffers->n, ==, 3);
        if (n_processes == 1 && !is_tagged) {
          g_assert_cmpstr(tn_strings_get(document->strings, device->name), ==, "main_0");
          g_assert_null(account_of(document, 0)->source);
        } else if (n_processes == 2) {
          g_assert_nonnull(strstr(tn_strings_get(document->strings, device->name), process));
          g_assert_true(g_str_has_suffix(account_of(document, (guint)d)->source, process));
        }
      }
    }
  }
}

/* A report that was made while a process was alone names it, too; two traces with the same addresses stay apart. */
static void
test_traces_of_processes(void)
{
  g_autoptr(TnDocument) document = load(
      "[ERROR] GE(100,x):2024-05-01-10:00:00.000.000 [f.cc:1]1 F: DefaultCPUAllocator: can't allocate memory: you tried "
      "to allocate 1024 bytes.\n"
      "[INFO] GE(100,x):2024-05-01-10:00:01.000.000 [f.cc:1]100 F:[KernelTrace][A_a][MEM]Alloc memory at stream 0, block "
      "0x10, address 0x12c0000000, size 1048576\n"
      "[INFO] GE(200,x):2024-05-01-10:00:02.000.000 [f.cc:1]200 F:[KernelTrace][A_a][MEM]Alloc memory at stream 0, block "
      "0x10, address 0x12c0000000, size 1048576\n"
      "[INFO] GE(100,x):2024-05-01-10:00:03.000.000 [f.cc:1]100 F:[KernelTrace][F_b][MEM]Free memory at stream 0, address "
      "0x12c0000000\n"
      "DefaultCPUAllocator: can't allocate memory: you tried to allocate 2048 bytes.\n");
  g_assert_cmpstr(account_of(document, 0)->source, ==, "process 100");
  g_assert_null(account_of(document, document->accounts->len - 1)->source); /* nobody says who printed it */
  g_assert_cmpuint(document->devices->len, ==, 3);
  g_assert_cmpuint(tn_document_get_device(document, 0)->events.n, ==, 2);
  g_assert_cmpuint(tn_document_get_device(document, 1)->events.n, ==, 1);
}

/* A print of many lines that names no process is one report, whoever writes between its lines; what it says and what
 * processes say are not mixed up, and only what is said of a process names it. */
static void
test_print_between_processes(void)
{
  static const char *const lines[] = {
      "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1024 bytes.\n",
      "|                  PyTorch NPU memory summary, device ID 0                 |\n",
      "| Allocated memory      |   1024 MiB |   2048 MiB |   4096 MiB |   3072 MiB |\n",
      "| Active memory         |   1024 MiB |   2048 MiB |   4096 MiB |   3072 MiB |\n",
      "| GPU reserved memory   |   3072 MiB |   3072 MiB |   3072 MiB |      0 B   |\n",
      "|===========================================================================|\n",
      "[06/23/2021-13:25:38] [I] [TRT] [MemUsageSnapshot] Builder begin: CPU 245 MiB, GPU 215 MiB\n",
  };
  g_autoptr(GString) text = g_string_new(NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++)
    g_string_append_printf(text, "%s[INFO] %s(%d,x):2024-05-01-10:00:01.000.000 [f.cc:1]7 F: hello\n", lines[i],
                           i % 2 ? "TBE" : "GE", i % 2 ? 101 : 100);
  g_autoptr(TnDocument) document = load(text->str);
  g_assert_cmpuint(document->accounts->len, ==, 3);
  for (guint i = 0; i < 3; i++)
    g_assert_null(account_of(document, i)->source);
  g_assert_cmpint(account_of(document, 1)->total, ==, MIB(3072));
  g_assert_false(account_of(document, 1)->is_cut_off);
  g_autoptr(TnDocument) two = load(
      "[INFO] GE(100,x):2024-05-01-10:00:01.000.000 [f.cc:1]7 F: DefaultCPUAllocator: can't allocate memory: you tried to "
      "allocate 1024 bytes.\n"
      "DefaultCPUAllocator: can't allocate memory: you tried to allocate 1024 bytes.\n"
      "[INFO] GE(200,x):2024-05-01-10:00:01.000.000 [f.cc:1]7 F: hello\n");
  g_assert_cmpstr(account_of(two, 0)->source, ==, "process 100");
  g_assert_null(account_of(two, 1)->source);
}

/* What a program prints of itself is no process: the same failure, said twice, is one. */
static void
test_no_processes(void)
{
#define SENTENCE                                                                                                       \
  "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 23.69 GiB "  \
  "of which 17.94 MiB is free. Process 7 has 23.66 GiB memory in use. Of the allocated memory 22.98 GiB is allocated " \
  "by PyTorch, and 257.87 MiB is reserved by PyTorch but unallocated.\n"
  g_autoptr(TnDocument) document =
      load("[INFO] Conv2d(3, 64, kernel_size=(7, 7), stride=(2, 2))\n[INFO] " SENTENCE
           "[INFO] Conv2d(64, 128, kernel_size=(3, 3))\nTraceback (most recent call last):\n" SENTENCE);
  g_assert_cmpuint(document->accounts->len, ==, 1);
  g_assert_null(account_of(document, 0)->source);
  static const struct {
    const char *line;
    int64_t process;
  } rows[] = {
      {"[INFO] GE(123,python3):2024-05-01", 123}, {"[ERROR] DEVICE(12,ffff9c,python):2024-05-01", 12},
      {"[INFO] GE(123,VLLM::Worker_TP0):2024", 123}, {"[INFO] Linear(512, 10):", 0},
      {"[INFO] Conv2d(3, 64): x", 0},             {"[INFO] resize(3,f(4)):", 0},
      {"[INFO] GE(123,):2024", 0},                {"[INFO] GE(123,python3) x", 0},
      {"[INFO] GE(123):2024", 0},                 {"[INFO] GE(123,pyth", 0},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmpint(tn_text_process(rows[i].line), ==, rows[i].process);
}

/* Of more processes than have a stream, the first ones keep theirs. */
static void
test_many_processes(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 1; i <= 5000; i++)
    g_string_append_printf(text, "[INFO] GE(%d,x):2024-05-01-10:00:00.000.001 [f.cc:1]7 F: [IMAS]Set g0 name[n0] optype[A] "
                                 "output[0] offset to [%d] streamid[0] memtype[2] size[512] realsize[512] "
                                 "noalignsize[512] life time begin[1] life time end[2]\n",
                           i, i < 5000 ? 0 : 4096);
  g_autoptr(TnDocument) document = load(text->str);
  const TnDevice *first = tn_document_get_device(document, 0);
  g_assert_cmpstr(tn_strings_get(document->strings, first->name), ==, "g0 (process 1)");
  g_assert_cmpint(first->buffers->offset[0], ==, 0);
}

/* One process's pool beside another's graph is a plan, as beside its own. */
static void
test_pool_of_another(void)
{
  g_autoptr(TnDocument) document =
      load("77,allocator_id,ge_1,name,a,size,512,realsize,512,address,4096,life time begin,0,life time end,1,\n"
           "88,5,optype,X,name_y_output_0_offset to ,0,streamid,0,memory_type,2,size,512,realsize,512,life "
           "time begin,0,life time end,1,\n");
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(tn_document_get_device(document, 0)->buffers->n, ==, 1);
  g_assert_cmpuint(tn_document_get_device(document, 1)->buffers->n, ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text-ge/lives", test_ge);
  g_test_add_func("/text-ge/summaries", test_ge_summaries);
  g_test_add_func("/text-ge/says", test_ge_says);
  g_test_add_func("/text-ge/conflict-names", test_ge_conflict_names);
  g_test_add_func("/text-ge/sizes", test_ge_sizes);
  g_test_add_func("/text-ge/driver-counts", test_driver_counts);
  g_test_add_func("/text-ge/imas-pool", test_imas_pool);
  g_test_add_func("/text-ge/imas-rows", test_imas_rows);
  g_test_add_func("/text-ge/imas-no-name", test_imas_no_name);
  g_test_add_func("/text-ge/moved-twice", test_moved_twice);
  g_test_add_func("/text-ge/imas-pool-unplaced", test_imas_pool_unplaced);
  g_test_add_func("/text-ge/kernel-trace", test_kernel_trace);
  g_test_add_func("/text-ge/device-label", test_device_label);
  g_test_add_func("/text-ge/set-again", test_set_again);
  g_test_add_func("/text-ge/processes", test_processes);
  g_test_add_func("/text-ge/traces-of-processes", test_traces_of_processes);
  g_test_add_func("/text-ge/print-between-processes", test_print_between_processes);
  g_test_add_func("/text-ge/no-processes", test_no_processes);
  g_test_add_func("/text-ge/many-processes", test_many_processes);
  g_test_add_func("/text-ge/pool-of-another", test_pool_of_another);
  return g_test_run();
}
