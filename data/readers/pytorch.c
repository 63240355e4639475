/* SPDX-License-Identifier: MIT */
/* PyTorch memory snapshots as pickles: torch.cuda.memory._dump_snapshot(), the C++ pickler's form,
 * and a bare list of segments (torch.cuda.memory_snapshot()). */
#include "config.h"

#include "data/readers/pytorch.h"

#include "data/error.h"
#include "data/readers/pickle.h"
#include "data/readers/readers.h"
#include "data/readers/snapshot.h"

bool
tn_pytorch_read_pickle(const char *name,
                       const uint8_t *data,
                       gsize size,
                       const TnReadOptions *options,
                       TnDocument *document,
                       GError **error)
{
  g_autoptr(TnSnapshot) snapshot = tn_snapshot_new(document);
  g_autoptr(GError) problem = NULL;
  if (tn_pickle_read(name, data, size, document->strings, snapshot, options->progress, &problem))
    return tn_snapshot_finish(snapshot, name, false, error);
  bool is_cut = g_error_matches(problem, TN_DATA_ERROR, TN_DATA_ERROR_TRUNCATED);
  if (!is_cut || !options->is_partial_wanted) {
    g_propagate_error(error, g_steal_pointer(&problem));
    return false;
  }
  tn_diagnostics_add(document->diagnostics, "truncated", 1,
                     "%s; what stands before it was read, the rest is missing", problem->message);
  if (tn_snapshot_finish(snapshot, name, true, NULL))
    return true;
  /* Cut before anything of use: that it is cut says more than that it is no snapshot. */
  g_propagate_error(error, g_steal_pointer(&problem));
  return false;
}

static bool
read_file(TnSource *source, const TnReadOptions *options, TnDocument *document, GError **error)
{
  return tn_pytorch_read_pickle(source->name, source->data, source->size, options, document,
                                error);
}

static int
sniff(const uint8_t *data, gsize size, const char *name)
{
  return size >= 2 && data[0] == 0x80 && data[1] >= 1 && data[1] <= 9 ? 90 : 0;
}

const TnReader tn_reader_pytorch = {
    .name = "pytorch",
    .holds = "PyTorch memory snapshot (pickle): events, segments, blocks, call stacks",
    .patterns = "*.pickle;*.pkl;*.pickle.gz;*.pkl.gz",
    .sniff = sniff,
    .read = read_file,
    .keeps_cut = true,
};
