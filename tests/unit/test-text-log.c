/* SPDX-License-Identifier: MIT */
/* The reader of text: the reports of the samples, whole, with noise and cut off; the prefixes of lines;
 * reports that have no file of their own. */
#include "config.h"

#include "data/readers/text-prefix.h"
#include "text-log-support.h"

typedef struct {
  const char *file;
  guint account, n_accounts;
  const char *what;
  tn_bytes bytes;
} SampleRow;

static const SampleRow sample_rows[] = {
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "reserved", GIB(1.25)},
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "program", GIB(63.8)},
    {"logs/xla_tpu_hbm_oom.log", 0, 2, "capacity", GIB(30.75)},
    {"logs/xla_tpu_hbm_oom.log", 1, 2, "HLO temp", GIB(63.79)},
    {"logs/xla_tpu_hbm_oom_padding.log", 0, 1, "HLO temp, unpadded", GIB(9.4)},
    {"logs/xla_tpu_hbm_oom_padding.log", 0, 1,
     "2. broadcast.6043.remat3 bf16[2048,1,2048,128]{0,1,3,2:T(4,128)(2,1)}", GIB(4)},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "parameter allocation", MIB(6)},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "requested", 6291456},
    {"logs/xla_gpu_bufferassignment_oom_small.log", 0, 1, "2. buffer f32[256,128,3]", 384 * 1024},
    {"logs/onnxruntime_bfcarena.log", 0, 1, "regions of the arena", 34603008},
    {"logs/llamacpp_multi_gpu_oom.log", 0, 13, "KV buffer", MIB(379.23)},
    {"logs/llamacpp_multi_gpu_oom.log", 12, 13, "requested", 292926534144},
    {"logs/vllm_memory_profile.log", 0, 4, "KV cache", GIB(53.29)},
    {"logs/vllm_memory_profile.log", 1, 4, "model weights", GIB(21.21)},
    {"logs/vllm_memory_profile.log", 3, 4, "keys", GIB(8.23)},
    {"logs/tensorrt_build.log", 0, 1, "device, activations", 76486656},
    {"logs/tensorrt_build.log", 0, 1, "device, in use after Init cuDNN", MIB(3267)},
    {"logs/tflm_print_memory_plan_head.txt", 0, 1, "arena", 18432},
    {"logs/tflm_print_memory_plan_head.txt", 0, 1, "without reuse", 38304},
    {"logs/ascend_devmm_stats.log", 1, 2, "APP", 29984933312},
    {"ascend/ge_imas_afterassign_sample.log", 0, 1, "planned (memoffset)", 268470272},
    {"ascend/devmm_svm_stats_sample.log", 1, 4, "cached by the driver", 1941504},
    {"ascend/devmm_old_2023_sample.log", 0, 1, "RUNTIME", 27332608},
    {"logs/pytorch_oom_messages.txt", 6, 7, "requested", GIB(3725.29)},
};

static void
test_samples(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    const SampleRow *row = &sample_rows[i];
    g_autofree char *relative = g_strconcat("samples/", row->file, NULL);
    g_autoptr(TnDocument) document = load_sample(relative);
    if (!document)
      return;
    g_assert_cmpuint(document->accounts->len, ==, row->n_accounts);
    g_assert_cmpint(bytes_of(account_of(document, row->account), row->what), ==, row->bytes);
    assert_adds_up(document);
  }
}

/* Each sample with noise around each line gives what it gives without. */
static void
test_samples_noisy(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    const SampleRow *row = &sample_rows[i];
    g_autofree char *relative = g_strconcat("samples/", row->file, NULL), *text = NULL;
    g_autofree char *path = shared_path(relative);
    if (!path)
      return;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    for (Noise noise = PLAIN; noise < N_NOISES; noise++) {
      g_autofree char *noisy = make_noisy(text, noise);
      g_autoptr(TnDocument) document = load(noisy);
      g_assert_cmpuint(document->accounts->len, ==, row->n_accounts);
      g_assert_cmpint(bytes_of(account_of(document, row->account), row->what), ==, row->bytes);
    }
  }
}

/* More lines than 64 bits of rounding: all that is left is rounding, and the sum of it has no sign. */
static void
test_rounding(void)
{
  g_autoptr(GString) text = g_string_new("Total hbm usage >= 1.00G:\n");
  for (int i = 0; i < 8193; i++)
    g_string_append(text, "    reserved 0PiB:\n");
  g_autoptr(TnDocument) document = load(text->str);
  g_assert_cmpint(bytes_of(account_of(document, 0), "rounding of the report's own sizes"), ==, GIB(1));
}

/* Sums of the lines that stand there: they grow with each line, and are right for those. */
static bool
is_running_sum(const char *what)
{
  return strcmp(what, "regions of the arena") == 0 || strcmp(what, "without reuse") == 0 ||
         strcmp(what, "arena") == 0;
}

/* A later line may say a size in bytes that an earlier one says in MiB, with two decimals. */
static bool
is_in(const TnDocument *whole, const TnAccount *part, const TnAccountRow *row)
{
  tn_bytes rounding = g_str_has_prefix(part->title, "llama.cpp") ? MIB(0.01) : 0;
  for (guint a = 0; a < whole->accounts->len; a++) {
    const TnAccount *account = account_of(whole, a);
    const GArray *lists[] = {account->rows, account->details};
    for (gsize l = 0; l < G_N_ELEMENTS(lists); l++)
      for (guint i = 0; i < lists[l]->len; i++)
        if (strcmp(tn_account_row(lists[l], i)->what, row->what) == 0 &&
            ABS(tn_account_row(lists[l], i)->bytes - row->bytes) <= rounding &&
            part->first_line == account->first_line)
          return true;
  }
  return false;
}

/* What a file that ends early says is what the whole says; or it says that something is missing. */
static void
assert_part_of(const TnDocument *part, const TnDocument *whole, gsize at)
{
  for (guint a = 0; a < part->accounts->len; a++) {
    const TnAccount *account = account_of(part, a);
    const GArray *lists[] = {account->rows, account->details};
    for (gsize l = 0; l < G_N_ELEMENTS(lists) && !account->is_cut_off; l++)
      for (guint i = 0; i < lists[l]->len; i++) {
        const TnAccountRow *row = tn_account_row(lists[l], i);
        if (row->is_remainder || is_running_sum(row->what) || is_in(whole, account, row))
          continue;
        g_test_message("%s cut at %" G_GSIZE_FORMAT ": %s: %s %" G_GINT64_FORMAT, part->path, at,
                       account->title, row->what, row->bytes);
        g_test_fail();
      }
  }
}

/* Each sample cut off in the middle, in steps that end everywhere in a line. */
static void
test_samples_cut(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(sample_rows); i++) {
    g_autofree char *relative = g_strconcat("samples/", sample_rows[i].file, NULL), *text = NULL;
    g_autofree char *path = shared_path(relative);
    gsize size;
    if (!path)
      return;
    if (i && strcmp(sample_rows[i].file, sample_rows[i - 1].file) == 0)
      continue;
    g_assert_true(g_file_get_contents(path, &text, &size, NULL));
    g_autoptr(TnDocument) whole = load_bytes(text, size);
    for (gsize n = 7; n < size; n += 1 + size / 3000) {
      g_autoptr(TnDocument) part = load_bytes(text, n);
      if (part)
        assert_part_of(part, whole, n);
    }
  }
}

static void
test_tflm(void)
{
  g_autoptr(TnDocument) document =
      load("0 (id=0): size=256, offset=2304, first_used=27 last_used=28\n"
           "* (id=1): size=16, offset=0, first_used=28 last_used=28\n"
           "   0: 0000000000000000....................................................... (1k)\n"
           "[RecordingMicroAllocator] Arena allocation total 1000 bytes\n"
           "[RecordingMicroAllocator] Arena allocation head 300 bytes\n"
           "[RecordingMicroAllocator] Arena allocation tail 700 bytes\n"
           "[RecordingMicroAllocator] 'TfLiteTensor data' used 96 bytes with alignment overhead "
           "(requested 90 bytes for 2 allocations)\n");
  const TnBuffers *b = tn_document_get_device(document, 0)->buffers;
  g_assert_cmpint(document->kind, ==, TN_DOCUMENT_PLAN);
  g_assert_cmpuint(b->n, ==, 2);
  g_assert_cmpint(b->start[0], ==, 27);
  g_assert_cmpint(b->end[0], ==, 29);
  g_assert_cmpint(b->offset[0], ==, 2304);
  g_assert_cmpint(b->end[1], ==, 29);
  g_assert_cmpint(account_of(document, 1)->total, ==, 1000);
  g_assert_cmpint(bytes_of(account_of(document, 1), "head"), ==, 300);
  g_assert_cmpint(bytes_of(account_of(document, 1), "TfLiteTensor data"), ==, 96);
  assert_adds_up(document);
}

static void
test_breakdown(void)
{
  g_autoptr(TnDocument) document = load(
      "llama_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   "
      "context   compute    unaccounted |\n"
      "llama_memory_breakdown_print: |   - CUDA0 (RTX 4090)   | 24080 = 4000 + (19000 = 18000 +    "
      " "
      "500 +     500) +        1080 |\n"
      "llama_memory_breakdown_print: |   - Host               |                  700 =   600 +     "
      "100 +       0                |\n");
  const TnAccount *account = account_of(document, 0);
  g_assert_cmpstr(account->title, ==, "llama.cpp memory breakdown, CUDA0 (RTX 4090)");
  g_assert_cmpint(account->total, ==, MIB(24080));
  g_assert_cmpint(bytes_of(account, "model"), ==, MIB(18000));
  g_assert_cmpint(bytes_of(account, "unaccounted: other processes, the driver"), ==, MIB(1080));
  g_assert_cmpint(account_of(document, 1)->total, ==, MIB(700));
  assert_adds_up(document);
}

static void
test_onnxruntime(void)
{
  g_autoptr(TnDocument) document = load(
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:306 AllocateRawInternal] Extending "
      "BFCArena for Cuda. bin_num:9 (requested) num_bytes: 160000 (actual) rounded_bytes:160000\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:186 Extend] Extended allocation by "
      "1048576 bytes.\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:189 Extend] Total allocated bytes: "
      "1048576\n"
      "2022-01-07 07:17:51.9 [I:onnxruntime:log, bfc_arena.cc:192 Extend] Allocated memory at "
      "00007FA4C6800000 to 00007FA4C6900000\n"
      "2022-01-07 07:17:52.9 [E:onnxruntime:, sequential_executor.cc:339 Execute] Non-zero status "
      "code returned while running Conv node. Name:'conv_1' Status Message: bfc_arena.cc:342 "
      "AllocateRawInternal Failed to allocate memory for requested buffer of size 536870912\n");
  const TnDevice *device = tn_document_get_device(document, 0);
  g_assert_cmpuint(device->segments->len, ==, 1);
  g_assert_cmphex(g_array_index(device->segments, TnSegment, 0).address, ==, 0x7fa4c6800000);
  g_assert_cmpint(g_array_index(device->segments, TnSegment, 0).bytes, ==, 1048576);
  g_assert_cmpint(g_array_index(device->marks, TnMark, 0).requested, ==, 536870912);
  g_assert_cmpstr(account_of(document, 1)->title, ==,
                  "ONNX Runtime: a request failed in node conv_1");
}

/* Each session has an arena of its own, and all have one name; regions go to the one whose sum they complete. */
static void
test_onnxruntime_sessions(void)
{
  g_autoptr(TnDocument) document =
      load("Creating BFCArena for Cuda with following configs: memory limit: 18446744073709551615\n"
           "Extending BFCArena for Cuda. bin_num:0\nExtended allocation by 1048576 bytes.\n"
           "Total allocated bytes: 1048576\nAllocated memory at 0x7fa4c6800000 to 0x7fa4c6900000\n"
           "Creating BFCArena for Cuda with following configs: memory limit: 18446744073709551615\n"
           "Extending BFCArena for Cuda. bin_num:0\nExtended allocation by 2097152 bytes.\n"
           "Total allocated bytes: 2097152\nAllocated memory at 0x7fa4c7000000 to 0x7fa4c7200000\n"
           "Extending BFCArena for Cuda. bin_num:0\nExtended allocation by 2097152 bytes.\n"
           "Total allocated bytes: 3145728\nAllocated memory at 0x7fa4c8000000 to 0x7fa4c8200000\n");
  static const tn_bytes sums[] = {MIB(3), MIB(2)};
  g_assert_cmpuint(document->accounts->len, ==, G_N_ELEMENTS(sums));
  for (guint i = 0; i < G_N_ELEMENTS(sums); i++) {
    g_assert_false(account_of(document, i)->is_cut_off);
    g_assert_cmpint(account_of(document, i)->total, ==, sums[i]);
    g_assert_cmpint(bytes_of(account_of(document, i), "regions of the arena"), ==, sums[i]);
    g_assert_cmpuint(tn_document_get_device(document, i)->segments->len, ==, 2 - i);
  }
  g_assert_cmpstr(account_of(document, 1)->title, ==, "ONNX Runtime arena for Cuda (2)");
}

/* A server that makes a session for each request. */
static void
test_onnxruntime_many(void)
{
  g_autoptr(GString) text = g_string_new(NULL);
  for (int i = 0; i < 1100; i++)
    g_string_append_printf(text, "Creating BFCArena for %s with following configs: memory limit: 1000\n",
                           i == 1099 ? "Cpu" : "Cuda");
  g_string_append(text, "Extending BFCArena for Cpu. bin_num:0\nExtended allocation by 1048576 bytes.\n"
                        "Extending BFCArena for Cuda. bin_num:0\nExtended allocation by 1048576 bytes.\n");
  g_autoptr(TnDocument) document = load(text->str);
  g_assert_cmpuint(document->devices->len, ==, 1024);
  g_assert_cmpuint(document->accounts->len, ==, 1024);
  g_assert_cmpint(bytes_of(account_of(document, 1023), "limit of the arena"), ==, 1000);
  g_assert_cmpint(bytes_of(account_of(document, 1023), "regions of the arena"), ==, 0);
  g_assert_cmpuint(tn_diagnostics_length(document->diagnostics), ==, 1);
  g_assert_cmpint(tn_diagnostics_get(document->diagnostics, 0)->count, ==, 78);
}

static void
test_onnxruntime_limit(void)
{
  g_autoptr(TnDocument) document =
      load("[E:onnxruntime:, sequential_executor.cc:514 ExecuteKernel] Non-zero status code returned while running Conv "
           "node. Name:'/conv' Status Message: bfc_arena.cc:376 void* onnxruntime::BFCArena::AllocateRawInternal(size_t) "
           "Available memory of 5033216 is smaller than requested bytes of 33554432\n");
  const TnMark *mark = &g_array_index(tn_document_get_device(document, 0)->marks, TnMark, 0);
  g_assert_cmpint(mark->requested, ==, 33554432);
  g_assert_cmpint(mark->device_free, ==, TN_BYTES_UNKNOWN); /* the arena's limit is not the device's */
  g_assert_cmpint(bytes_of(account_of(document, 0), "available"), ==, 5033216);
  g_assert_cmpstr(account_of(document, 0)->title, ==, "ONNX Runtime: a request failed in node /conv");
}

/* The weights are said twice, once finely: one profile. */
static void
test_vllm_weights_twice(void)
{
  g_autoptr(TnDocument) document =
      load("INFO 04-01 10:00:00 [model_runner.py:1146] Model loading took 14.9888 GiB and 5.2 seconds\n"
           "INFO 04-01 10:00:05 [worker.py:267] the current vLLM instance can use total_gpu_memory (23.65GiB) x "
           "gpu_memory_utilization (0.90) = 21.28GiB\n"
           "INFO 04-01 10:00:05 [worker.py:267] model weights take 14.99GiB; non_torch_memory takes 0.24GiB; PyTorch "
           "activation peak memory takes 1.20GiB; the rest of the memory reserved for KV Cache is 4.85GiB.\n"
           "INFO 04-01 10:01:00 [model_runner.py:1146] Model loading took 14.9888 GiB and 5.2 seconds\n");
  g_assert_cmpuint(document->accounts->len, ==, 2); /* the second model's weights are another's */
  g_assert_cmpint(account_of(document, 0)->total, ==, GIB(21.28));
  g_assert_cmpint(bytes_of(account_of(document, 0), "model weights"), ==, GIB(14.9888));
  g_assert_cmpint(bytes_of(account_of(document, 0), "KV cache"), ==, GIB(4.85));
  assert_adds_up(document);
}

/* vLLM 0.6: one line, and PyTorch's peak with the weights in it. */
static void
test_vllm_old(void)
{
  g_autoptr(TnDocument) document =
      load("INFO 11-19 10:00:00 model_runner.py:1077] Loading model weights took 14.0000 GB\n"
           "INFO 11-19 10:00:05 worker.py:232] Memory profiling results: total_gpu_memory=24.00GiB "
           "initial_memory_usage=15.38GiB peak_torch_memory=16.25GiB memory_usage_post_profile=15.52Gib "
           "non_torch_memory=0.50GiB kv_cache_size=1.25GiB gpu_memory_utilization=0.75\n");
  const TnAccount *account = account_of(document, 0);
  g_assert_cmpuint(document->accounts->len, ==, 1);
  g_assert_cmpint(account->total, ==, GIB(18));
  g_assert_cmpint(bytes_of(account, "memory of the device"), ==, GIB(24));
  g_assert_cmpint(bytes_of(account, "model weights"), ==, GIB(14));
  g_assert_cmpint(bytes_of(account, "peak of activations"), ==, GIB(2.25));
  g_assert_cmpint(bytes_of(account, "outside PyTorch"), ==, GIB(0.5));
  g_assert_cmpint(bytes_of(account, "KV cache"), ==, GIB(1.25));
  assert_adds_up(document);
}

/* All of the device may be the instance's, also where a double rounds it up to 2^63; settings are no figures. */
static void
test_vllm_shares(void)
{
  g_autoptr(TnDocument) document = load("Memory profiling results: total_gpu_memory=9223372036854775799B "
                                        "kv_cache_size=1.25GiB gpu_memory_utilization=1.0\n"
                                        "INFO ServerArgs(kv_cache_size=40.00GiB, total_gpu_memory=80.00GiB, "
                                        "peak_torch_memory=1GiB, memory_fraction=0.9)\n");
  g_assert_cmpuint(document->accounts->len, ==, 1);
  g_assert_cmpint(account_of(document, 0)->total, ==, INT64_MAX - 8);
  g_assert_cmpint(bytes_of(account_of(document, 0), "KV cache"), ==, GIB(1.25));
}

typedef struct {
  const char *line, *what;
  int32_t device;
  tn_bytes requested, left, bytes; /* of `what` */
  bool is_each;                    /* the same again is another */
} OneLine;

/* Failures that say all they say in one line, most with the size; some print it twice. */
static void
test_one_line(void)
{
  static const OneLine rows[] = {
      {"ResourceExhaustedError: OOM when allocating tensor with shape[32,512,512,64] and type float on "
       "/job:localhost/replica:0/task:0/device:GPU:1 by allocator GPU_0_bfc [Op:Conv2D]\n",
       "requested", 1, GIB(2), TN_BYTES_UNKNOWN, GIB(2)},
      {"XlaRuntimeError: RESOURCE_EXHAUSTED: Failed to allocate request for 2.00GiB (2147483649B) on device ordinal 3\n",
       "requested", 3, GIB(2) + 1, TN_BYTES_UNKNOWN, GIB(2) + 1},
      {"RuntimeError: [enforce fail at alloc_cpu.cpp:114] . DefaultCPUAllocator: can't allocate memory: you tried to "
       "allocate 17179869184 bytes. Error code 12 (Cannot allocate memory)\n",
       "requested", -1, GIB(16), TN_BYTES_UNKNOWN, GIB(16), true},
      {"ValueError: To serve at least one request with the model's max seq len (131072), (16.00 GiB KV cache is needed, "
       "which is larger than the available KV cache memory (10.25 GiB).\n",
       "available", 0, GIB(16), TN_BYTES_UNKNOWN, GIB(10.25)},
      {"ValueError: Free memory on device cuda:0 (5.10/23.64 GiB) on startup is less than desired GPU memory utilization "
       "(0.9, 21.28 GiB).\n",
       "in use already, by whom is not said", 0, GIB(21.28), GIB(5.10), GIB(23.64) - GIB(5.10)},
      {"ValueError: Free memory on device cuda:2 (5.31/23.56 GiB) on startup is less than desired GPU memory utilization "
       "(0.9, 21.2 GiB).\n",
       "free on the device", 2, GIB(21.2), GIB(5.31), GIB(5.31)},
      {"ValueError: Free memory on device (5.31/23.56 GiB) on startup is less than desired GPU memory utilization "
       "(0.9, 21.2 GiB).\n",
       "free on the device", 0, GIB(21.2), GIB(5.31), GIB(5.31)},
      {"RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem while allocating on stack for %x. Scoped allocation "
       "with size 17.48M and limit 16.00M exceeded scoped vmem limit by 1.48M.\n",
       "limit", 0, MIB(17.48), TN_BYTES_UNKNOWN, MIB(16), true},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].line);
    const TnDevice *device = tn_document_get_device(document, 0);
    const TnMark *mark = &g_array_index(device->marks, TnMark, 0);
    g_assert_cmpint(device->ordinal, ==, rows[i].device);
    g_assert_cmpint(mark->requested, ==, rows[i].requested);
    g_assert_cmpint(mark->device_free, ==, rows[i].left);
    g_assert_cmpint(bytes_of(account_of(document, 0), rows[i].what), ==, rows[i].bytes);
    assert_adds_up(document);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autofree char *twice = g_strconcat(rows[i].line, "Traceback\n", rows[i].line, NULL);
    g_autoptr(TnDocument) document = load(twice);
    g_assert_cmpuint(document->accounts->len, ==, rows[i].is_each ? 2 : 1);
  }
}

/* TensorRT's builder goes on without a tactic that memory is short for; what has no way on is a failure, said in one to
 * three lines.  The lines are those of logs of TensorRT 8 to 10. */
static void
test_tensorrt_failures(void)
{
#define WARN(n)                                                                                                        \
  "[03/13/2026-13:17:50] [TRT] [W] Requested amount of GPU memory (" n " bytes) could not be allocated. There may not be " \
  "enough free memory for allocation to succeed.\n"
#define SKIP(n)                                                                                                        \
  "[03/13/2026-13:17:50] [TRT] [W] UNSUPPORTED_STATE: Skipping tactic 28 due to insufficient memory on requested size of " \
  n " detected for tactic 0x0000000204040736.\n"
#define RESIZE(n)                                                                                                      \
  "[03/13/2026-13:17:50] [TRT] [E] [virtualMemoryBuffer.cpp::nvinfer1::StdVirtualMemoryBufferImpl::resizePhysical::154] " \
  "Error Code 2: OutOfMemory (Requested size was " n " bytes.)\n"
#define NOTHING                                                                                                        \
  "[E] [TRT] 2: [executionContext.cpp::ExecutionContext::625] Error Code 2: OutOfMemory (no further information)\n"
#define UNSIZED                                                                                                        \
  "[E] [TRT] 2: [virtualMemoryBuffer.cpp::resizePhysical::154] Error Code 2: OutOfMemory (no further information)\n"
#define FATAL(n)                                                                                                       \
  "[E] [executionContext.cpp::initializeExecutionContext::625] Error Code 2: OutOfMemory (Requested size was " n       \
  " bytes.)\n"
  static const struct {
    const char *text;
    guint n_marks;
    tn_bytes requested, skipped;
  } rows[] = {
      {WARN("2833252352") SKIP("2833252352") RESIZE("2833252352") RESIZE("2833252352"), 0, 0, 2833252352},
      {RESIZE("4096") WARN("4096") SKIP("4096") WARN("8192") SKIP("8192"), 0, 0, 8192},
      {"[E] [defaultAllocator.cpp::allocate::57] Error Code 1: Cuda Runtime (In allocate)\n" WARN("20132809216")
           FATAL("20132809216"),
       1, 20132809216, -1},
      {FATAL("5244672"), 1, 5244672, -1},
      {"1: [defaultAllocator.cpp::allocate::19] Error Code 1: Cuda Runtime (out of memory)\n" WARN("3887181312")
           "2: [executionContext.cpp::ExecutionContext::470] Error Code 2: OutOfMemory (no further information)\n",
       1, 3887181312, -1},
      {WARN("4096") SKIP("4096") "[E] Error Code 10: Internal Error (Could not find any implementation for node x.)\n", 1,
       4096, 4096},
      {WARN("4096") SKIP("4096") WARN("1024"), 1, 1024, 4096},
      {WARN("4096") FATAL("1024"), 2, 4096, -1},
      /* Instances of one engine: each failure has a warning and an error. */
      {WARN("4096") FATAL("4096") "[I] retry later\n" WARN("4096") FATAL("4096"), 2, 4096, -1},
      {WARN("4096") FATAL("4096") FATAL("4096"), 1, 4096, -1},
      {WARN("4096") FATAL("4096") "[I] retry later\n" WARN("4096"), 2, 4096, -1},
      {FATAL("4096") WARN("4096"), 1, 4096, -1},
      {WARN("4096") RESIZE("4096") NOTHING, 1, 4096, -1},
      {WARN("4096") RESIZE("4096") WARN("8192") RESIZE("8192") NOTHING, 1, 8192, 4096},
      {WARN("4096") SKIP("4096") WARN("8192") SKIP("8192"), 0, 0, 8192},
      {WARN("4096") NOTHING WARN("4096") NOTHING, 2, 4096, -1},
      {WARN("4096") NOTHING NOTHING FATAL("4096"), 1, 4096, -1},
      {UNSIZED WARN("4096") NOTHING UNSIZED WARN("4096") NOTHING, 2, 4096, -1},
      {UNSIZED WARN("4096") NOTHING UNSIZED WARN("4096") SKIP("4096"), 1, 4096, 4096},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    g_assert_cmpuint(count_marks(document), ==, rows[i].n_marks);
    if (rows[i].n_marks)
      g_assert_cmpint(g_array_index(tn_document_get_device(document, 0)->marks, TnMark, 0).requested, ==,
                      rows[i].requested);
    g_assert_cmpint(bytes_of(account_of(document, 0), "requested for tactics that were skipped, at most"), ==,
                    rows[i].skipped >= 0 ? rows[i].skipped : TN_BYTES_UNKNOWN);
    g_assert_cmpuint(document->statements->len, ==, rows[i].skipped >= 0);
  }
}

/* llama.cpp's backends fail in words of their own; the line of ggml that follows says the device, and is the same one. */
static void
test_ggml_backends(void)
{
#define CUDA_SAYS                                                                                                      \
  "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1024.00 MiB on device 1: cudaMalloc failed: out of memory\n"
#define VULKAN_SAYS(n) "ggml_vulkan: Device memory allocation of size " n " failed.\n"
  static const struct {
    const char *text;
    guint n;
    tn_bytes requested;
    int32_t device;
    const char *title;
  } rows[] = {
      {"ggml_backend_metal_buffer_type_alloc_buffer: error: failed to allocate buffer, size = 12288.00 MiB\n"
       "llama_kv_cache_init: failed to allocate buffer for kv cache\n",
       1, GIB(12), 0, "llama.cpp: a buffer failed on Metal"},
      {"ggml_metal_buffer_init: error: failed to allocate buffer, size =   256.00 MiB\n"
       "ggml_gallocr_reserve_n: failed to allocate Metal buffer of size 268435000\n",
       1, 268435000, 0, "llama.cpp: a buffer failed on Metal"},
      {"ggml_metal_buffer_init: error: failed to allocate buffer, size =   256.00 MiB\n"
       "ggml_gallocr_reserve_n: failed to allocate MTL0 buffer of size 268435000\n",
       1, 268435000, 0, "llama.cpp: a buffer failed on MTL0"},
      {VULKAN_SAYS("1037832192")
       "ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory\n"
       "0.02.468.179 E alloc_tensor_range: failed to allocate Vulkan1 buffer of size 1037832192\n",
       1, 1037832192, 1, "llama.cpp: a buffer failed on Vulkan1"},
      {VULKAN_SAYS("1073741824")
       "ggml_vulkan: Requested buffer size exceeds device memory allocation limit: ErrorOutOfDeviceMemory\n",
       1, GIB(1), 0, "llama.cpp: a buffer failed on Vulkan"},
      {VULKAN_SAYS("1024") "\n\n\n\n"
       "ggml_gallocr_reserve_n: failed to allocate Vulkan0 buffer of size 2048\n",
       2, 1024, 0, "llama.cpp: a buffer failed on Vulkan"},
      {VULKAN_SAYS("1073741824")
       "ggml_gallocr_reserve_n: failed to allocate CUDA2 buffer of size 55555\n",
       2, GIB(1), 0, "llama.cpp: a buffer failed on Vulkan"},
      {VULKAN_SAYS("1024")
       "ggml_gallocr_reserve_n: failed to allocate Vulkan1 buffer of size 2048\n",
       2, 1024, 0, "llama.cpp: a buffer failed on Vulkan"},
      {VULKAN_SAYS("1024")
       "ggml_backend_cuda_buffer_type_alloc_buffer: allocating 1.00 MiB on device 0: cudaMalloc failed: out of memory\n",
       2, 1024, 0, "llama.cpp: a buffer failed on Vulkan"},
      {CUDA_SAYS "ggml_gallocr_reserve_n: failed to allocate CUDA1 buffer of size 1073741900\n",
       1, 1073741900, 1, "llama.cpp: a buffer failed on device 1"},
      {CUDA_SAYS "ggml_gallocr_reserve_n: failed to allocate CUDA_Split buffer of size 1073741900\n",
       1, 1073741900, 1, "llama.cpp: a buffer failed on device 1"},
      {CUDA_SAYS "ggml_gallocr_reserve_n: failed to allocate Vulkan0 buffer of size 55555\n",
       2, GIB(1), 1, "llama.cpp: a buffer failed on device 1"},
      {CUDA_SAYS "ggml_gallocr_reserve_n: failed to allocate CUDA0 buffer of size 1073741900\n",
       2, GIB(1), 1, "llama.cpp: a buffer failed on device 1"},
      {CUDA_SAYS VULKAN_SAYS("55555")
       "ggml_gallocr_reserve_n: failed to allocate Vulkan1 buffer of size 55555\n",
       2, GIB(1), 1, "llama.cpp: a buffer failed on device 1"},
      {CUDA_SAYS VULKAN_SAYS("1073741824")
       "ggml_gallocr_reserve_n: failed to allocate Vulkan1 buffer of size 1073741824\n",
       2, GIB(1), 1, "llama.cpp: a buffer failed on device 1"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(TnDocument) document = load(rows[i].text);
    const TnDevice *device = tn_document_get_device(document, 0);
    g_assert_cmpuint(document->accounts->len, ==, rows[i].n);
    g_assert_cmpint(device->ordinal, ==, rows[i].device);
    g_assert_cmpint(g_array_index(device->marks, TnMark, 0).requested, ==, rows[i].requested);
    g_assert_cmpstr(account_of(document, 0)->title, ==, rows[i].title);
  }
}

/* A host that ran short first does not hide the GPU's failure. */
static void
test_host_last(void)
{
  g_autoptr(TnDocument) document =
      load("RuntimeError: [enforce fail at alloc_cpu.cpp:75] err == 0. DefaultCPUAllocator: can't allocate memory: you "
           "tried to allocate 17179869184 bytes. Error code 12 (Cannot allocate memory)\n" PYTORCH_SENTENCE_2020);
  const TnDevice *gpu = tn_document_get_device(document, 0), *host = tn_document_get_device(document, 1);
  g_assert_cmpint(gpu->ordinal, ==, 2);
  g_assert_cmpint(g_array_index(gpu->marks, TnMark, 0).requested, ==, MIB(128));
  g_assert_cmpint(host->ordinal, ==, -1);
  g_assert_true(tn_document_device(document, -1) == host);
}

/* Docker cuts lines at 16 KiB of each stream, even inside a number; others write its form without line ends. */
#define PIECE                                                                                                          \
  " CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.64 GiB of which 1.20 GiB is "     \
  "free. Of the allocated memory 20.0"

static void
test_docker_pieces(void)
{
  static const char tail[] = "0 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.";
  g_autofree char *pad = g_strnfill(16384, 'x');
  memcpy(pad + 16384 - strlen(PIECE), PIECE, strlen(PIECE));
  g_autofree char *joined = g_strdup_printf("{\"log\":\"%s\",\"stream\":\"stderr\",\"time\":\"x\"}\n"
                                            "{\"log\":\"%s\\n\",\"stream\":\"stderr\",\"time\":\"x\"}\n",
                                            pad, tail);
  g_autoptr(TnDocument) document = load(joined);
  g_assert_false(account_of(document, 0)->is_cut_off);
  g_assert_cmpuint(account_of(document, 0)->first_line, ==, 1);
  g_assert_cmpint(bytes_of(account_of(document, 0), "allocated by PyTorch"), ==, GIB(20));
  /* Colours are of the 16 KiB, each escape as the one byte that it was. */
  g_autofree char *coloured =
      g_strdup_printf("{\"log\":\"\\u001b[1;36m(EngineCore)\\u001b[0;0m%s\",\"stream\":\"stderr\"}\n"
                      "{\"log\":\"%s\\n\",\"stream\":\"stderr\"}\n",
                      pad + strlen("_[1;36m(EngineCore)_[0;0m"), tail);
  g_autoptr(TnDocument) in_colour = load(coloured);
  g_assert_cmpint(bytes_of(account_of(in_colour, 0), "allocated by PyTorch"), ==, GIB(20));
  g_autofree char *apart = g_strdup_printf("{\"log\":\"%s\",\"stream\":\"stderr\",\"time\":\"x\"}\n"
                                           "{\"log\":\"%s\\n\",\"stream\":\"stdout\",\"time\":\"x\"}\n",
                                           pad, tail);
  g_autoptr(TnDocument) other = load(apart);
  g_assert_cmpint(bytes_of(account_of(other, 0), "allocated by PyTorch"), !=, GIB(20));
  g_autoptr(TnDocument) plain = load("{\"log\":\"Available KV cache memory: 1.00 GiB\"}\n{\"log\":\"2\"}\n"
                                     "{\"log\":\"Available KV cache memory: 2.00 GiB\"}\n");
  g_assert_cmpuint(plain->accounts->len, ==, 2);
}

/* Machines' loggers write an object a line, Windows a mark before the first; the failure may be far from both ends. */
static void
test_object_lines(void)
{
  g_autoptr(GString) text = g_string_new("\xef\xbb\xbf");
  for (int i = 0; i < 20000; i++)
    g_string_append_printf(text, "{\"level\":\"info\",\"msg\":\"%s\"}\n",
                           i == 10000 ? "CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 4.00 GiB total capacity)"
                                      : "a step, and what it cost");
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", text->str, text->len);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autoptr(TnDocument) document = tn_document_load_source(source, &options, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(account_of(document, 0)->first_line, ==, 10001);
}

static void
test_utf16(void)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", "\xff\xfeR\0u\0n\0\n\0", 10);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_document_load_source(source, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN);
  g_assert_nonnull(strstr(error->message, "iconv -f UTF-16 -t UTF-8"));
}

static void
test_nothing(void)
{
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.log", "no news\nhere\n", 13);
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_document_load_source(source, &options, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_UNKNOWN);
  g_assert_true(g_str_has_prefix(error->message, "t.log: lines 1 to 2: found text without"));
}

/* A mark before it does not make a log of what is none. */
static void
test_json_with_mark(void)
{
  static const char text[] = "\xef\xbb\xbf{\n  \"a\": [1, 2]\n}\n";
  g_autoptr(TnSource) source = tn_source_new_for_bytes("t.json", text, strlen(text));
  TnReadOptions options = TN_READ_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_assert_null(tn_document_load_source(source, &options, &error));
  g_assert_true(g_str_has_prefix(error->message, "t.json: byte 0: "));
}

static void
test_prefixes(void)
{
  static const struct {
    const char *line, *tag, *rest;
  } rows[] = {
      {"[rank0]: hello", "[rank0]", "hello"},
      {"[1,0]<stderr>: hello", "[1,0]<stderr>", "hello"},
      {"3:   hello", "3", "  hello"},
      {"(RayWorker pid=3, ip=10.0.0.1) hello", "(RayWorker pid=3, ip=10.0.0.1)", "hello"},
      {"web-1  | hello", "web-1", "hello"},
      {"2024-05-01T12:00:00Z [rank1]: hello", "[rank1]", "hello"},
      {"[pod/a/b] 2024-05-01T12:00:00Z hello", "[pod/a/b]", "hello"},
      {"[0] hello", "", "[0] hello"},
  };
  for (gsize i = 0; i < G_N_ELEMENTS(rows); i++) {
    g_autoptr(GString) tag = g_string_new(NULL);
    g_assert_cmpstr(tn_text_skip_tags(rows[i].line, tag), ==, rows[i].rest);
    g_assert_cmpstr(tag->str, ==, rows[i].tag);
  }
  g_assert_cmpstr(tn_text_skip_logger("I1129 12:00:00.1 123 f.cc:7] x"), ==, "x");
  g_assert_cmpstr(tn_text_skip_logger("[11/08/2022-15:28:06] [I] x"), ==, "[I] x");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/text-log/samples", test_samples);
  g_test_add_func("/text-log/rounding", test_rounding);
  g_test_add_func("/text-log/vllm-shares", test_vllm_shares);
  g_test_add_func("/text-log/json-with-mark", test_json_with_mark);
  g_test_add_func("/text-log/host-last", test_host_last);
  g_test_add_func("/text-log/samples-noisy", test_samples_noisy);
  g_test_add_func("/text-log/samples-cut", test_samples_cut);
  g_test_add_func("/text-log/tflm", test_tflm);
  g_test_add_func("/text-log/breakdown", test_breakdown);
  g_test_add_func("/text-log/onnxruntime", test_onnxruntime);
  g_test_add_func("/text-log/onnxruntime-sessions", test_onnxruntime_sessions);
  g_test_add_func("/text-log/onnxruntime-many", test_onnxruntime_many);
  g_test_add_func("/text-log/onnxruntime-limit", test_onnxruntime_limit);
  g_test_add_func("/text-log/vllm-weights-twice", test_vllm_weights_twice);
  g_test_add_func("/text-log/vllm-old", test_vllm_old);
  g_test_add_func("/text-log/one-line", test_one_line);
  g_test_add_func("/text-log/tensorrt-failures", test_tensorrt_failures);
  g_test_add_func("/text-log/ggml-backends", test_ggml_backends);
  g_test_add_func("/text-log/docker-pieces", test_docker_pieces);
  g_test_add_func("/text-log/object-lines", test_object_lines);
  g_test_add_func("/text-log/utf-16", test_utf16);
  g_test_add_func("/text-log/nothing", test_nothing);
  g_test_add_func("/text-log/prefixes", test_prefixes);
  return g_test_run();
}
