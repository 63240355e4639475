/* SPDX-License-Identifier: MIT */
/* How long transfers take, by presets and by what was measured, and how long ops do. */
#include "config.h"

#include "analysis/budget/calibrate.h"
#include "analysis/budget/spill.h"
#include "data/error.h"
#include "data/link-file.h"
#include "graph-support.h"

static void
test_preset(void)
{
  g_autoptr(TnLink) link = tn_link_new_for_preset(&tn_link_presets()[0]);
  static const double near = 1e-9;
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 1000000), 78.1e-6, near);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 5500000), (78.1e-6 + 763.4e-6) / 2,
                                 near);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 1), 30.5e-6, near);
  g_assert_cmpfloat(tn_link_seconds(link->out, 0), ==, 0);
  g_assert_cmpfloat_with_epsilon(tn_link_seconds(link->out, 2000000000), 0.152672, 1e-5);
}

static void
add_measured(GArray *points, tn_bytes bytes, double latency, double per_second)
{
  TnLinkPoint point = {bytes, latency + (double)bytes / per_second};
  g_array_append_val(points, point);
}

static void
test_fit(void)
{
  g_autoptr(GArray) one = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  g_autoptr(GArray) two = g_array_new(FALSE, FALSE, sizeof(TnLinkPoint));
  for (tn_bytes bytes = 262144; bytes <= 268435456; bytes *= 2) {
    add_measured(one, bytes, 20e-6, 12e9);
    if (bytes <= 4194304)
      add_measured(two, bytes, 10e-6, 6e9);
    else
      add_measured(two, bytes, 350e-6, 12e9);
  }
  g_autoptr(TnLinkFit) line = tn_link_fit_new(one), bent = tn_link_fit_new(two);
  g_assert_cmpuint(line->segments->len, ==, 1);
  g_assert_cmpfloat(line->max_error, <, 1e-6);
  const TnLinkSegment *segment = &g_array_index(line->segments, TnLinkSegment, 0);
  g_assert_cmpfloat_with_epsilon(segment->latency_seconds, 20e-6, 1e-9);
  g_assert_cmpfloat_with_epsilon(segment->bytes_per_second, 12e9, 1e5);
  g_assert_cmpuint(bent->segments->len, ==, 2);
  g_assert_cmpint(g_array_index(bent->segments, TnLinkSegment, 1).from, ==, 8388608);
  g_assert_cmpfloat(bent->max_error, <, 1e-6);
}

static void
test_measurements(void)
{
  static const char bandwidth_test[] =
      "[CUDA Bandwidth Test] - Starting...\nRunning on...\n\n Device 0: Tesla T4\n Quick Mode\n\n"
      " Host to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t6.2\n\n"
      " Device to Host Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t6.5\n\n"
      " Device to Device Bandwidth, 1 Device(s)\n PINNED Memory Transfers\n"
      "   Transfer Size (Bytes)\tBandwidth(GB/s)\n   32000000\t\t\t239.4\n\nResult = PASS\n";
  static const char nvbandwidth[] =
      "nvbandwidth Version: v0.4\n\nRunning host_to_device_memcpy_ce.\n"
      "memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)\n           0\n 0     55.64\n\n"
      "SUM host_to_device_memcpy_ce 55.64\n\nRunning device_to_host_memcpy_ce.\n"
      "memcpy CE CPU(row) <- GPU(column) bandwidth (GB/s)\n           0\n 0     55.07\n\n"
      "SUM device_to_host_memcpy_ce 55.07\n";
  static const char pairs[] = "bytes,us,way\n# a comment\n1000,10,in\n2000,15,in\n1000,12,out\n";
  static const char csv[] =
      "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = 0.00270 s, Size = 33554432 bytes, "
      "NumDevsUsed = 1\n";
  TnLinkFile file;
  g_assert_true(tn_link_file_read("a", bandwidth_test, sizeof bandwidth_test - 1, &file, NULL));
  g_assert_cmpstr(file.format, ==, "bandwidthTest");
  g_assert_cmpuint(file.in->len, ==, 1);
  g_assert_cmpuint(file.out->len, ==, 1);
  g_assert_cmpfloat_with_epsilon(g_array_index(file.in, TnLinkPoint, 0).seconds, 32e6 / 6.2e9,
                                 1e-9);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("b", nvbandwidth, sizeof nvbandwidth - 1, &file, NULL));
  g_assert_cmpfloat_with_epsilon(g_array_index(file.out, TnLinkPoint, 0).seconds,
                                 536870912.0 / 55.07e9, 1e-9);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("c", pairs, sizeof pairs - 1, &file, NULL));
  g_assert_cmpuint(file.in->len, ==, 2);
  g_assert_cmpuint(file.out->len, ==, 1);
  g_assert_cmpfloat_with_epsilon(g_array_index(file.out, TnLinkPoint, 0).seconds, 12e-6, 1e-12);
  tn_link_file_clear(&file);
  g_assert_true(tn_link_file_read("d", csv, sizeof csv - 1, &file, NULL));
  g_assert_cmpint(g_array_index(file.in, TnLinkPoint, 0).bytes, ==, 33554432);
  tn_link_file_clear(&file);
  g_autoptr(GError) error = NULL;
  g_assert_false(tn_link_file_read("e", "1000,10\nnonsense\n", 17, &file, &error));
  g_assert_error(error, TN_DATA_ERROR, TN_DATA_ERROR_MALFORMED);
  g_assert_nonnull(strstr(error->message, "e:2"));
}

/* A product of [2, 3] and [3, 5]: 2 * 10 * 3 FLOPs; without shapes its bytes alone count. */
static void
test_op_time(void)
{
  static const char text[] =
      "{\"format\":\"tenure-graph\",\"version\":1,\"tensors\":["
      "{\"id\":0,\"shape\":[2,3],\"dtype\":\"float32\"},{\"id\":1,\"shape\":[3,5],\"dtype\":"
      "\"float32\"},{\"id\":2,\"shape\":[2,5],\"dtype\":\"float32\"},{\"id\":3,\"bytes\":1000}],"
      "\"ops\":[{\"id\":0,\"type\":\"MatMul\",\"inputs\":[0,1],\"outputs\":[2]},"
      "{\"id\":1,\"type\":\"Relu\",\"inputs\":[2],\"outputs\":[3]}]}";
  g_autoptr(TnDocument) document = load_text(text);
  TnComputeRate rate = {1, 100, 7};
  bool is_estimate;
  g_assert_cmpfloat(tn_op_flops(document->graph, document->strings, 0), ==, 60);
  g_assert_cmpfloat_with_epsilon(
      tn_op_seconds(document->graph, document->strings, 0, &rate, &is_estimate), 67, 1e-9);
  g_assert_true(is_estimate);
  g_assert_cmpfloat_with_epsilon(tn_op_seconds(document->graph, document->strings, 1, &rate, NULL),
                                 7 + 10.4, 1e-9);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/link/preset", test_preset);
  g_test_add_func("/link/fit", test_fit);
  g_test_add_func("/link/measurements", test_measurements);
  g_test_add_func("/link/op-time", test_op_time);
  return g_test_run();
}
