/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/boxes.h"

#include "analysis/batch-sum.h"
#include "data/hash.h"

#include <math.h>
#include <stdlib.h>

#define ROW 20.0

typedef struct {
  uint32_t frame; /* TN_NONE: the root, or "no call stack" */
  uint32_t first_child, next; /* node + 1; 0: none */
  double weight, heaviest; /* of the heaviest stack under it, which gives the colour */
  uint8_t category;
} Node;

typedef struct {
  const TnStudy *study;
  GArray *nodes;
  bool with_framework;
  uint8_t *shown;       /* by frame: 0: not asked yet, 1: is left out, 2: is shown */
  GHashTable *children; /* parent and frame, as one guint64 → node + 1: a parent may have very many */
} Tree;

static uint32_t
child_of(Tree *tree, uint32_t parent, uint32_t frame)
{
  guint64 key = (guint64)parent << 32 | frame;
  uint32_t child = GPOINTER_TO_UINT(g_hash_table_lookup(tree->children, &key));
  if (child)
    return child - 1;
  Node node = {.frame = frame, .next = g_array_index(tree->nodes, Node, parent).first_child};
  g_array_append_val(tree->nodes, node);
  g_array_index(tree->nodes, Node, parent).first_child = tree->nodes->len;
  g_hash_table_insert(tree->children, g_memdup2(&key, sizeof key), GUINT_TO_POINTER(tree->nodes->len));
  return tree->nodes->len - 1;
}

static void
weigh(Tree *tree, uint32_t row, double weight, uint8_t category)
{
  Node *node = &g_array_index(tree->nodes, Node, row);
  node->weight += weight;
  if (weight > node->heaviest) {
    node->heaviest = weight;
    node->category = category;
  }
}

/* Asked once for each frame: its names are compared to many, and it stands in many stacks. */
static bool
is_shown(Tree *tree, uint32_t frame_id)
{
  const TnDocument *document = tree->study->document;
  if (tree->with_framework)
    return true;
  if (tree->shown[frame_id] == 0) {
    TnFrame frame = tn_stacks_frame(document->stacks, frame_id);
    tree->shown[frame_id] = tn_frame_is_framework(tn_strings_get(document->strings, frame.file),
                                                  tn_strings_get(document->strings, frame.name))
                                ? 1
                                : 2;
  }
  return tree->shown[frame_id] == 2;
}

/* From the outermost frame inwards; what has no stack goes under one node of its own. */
static void
add_stack(Tree *tree, uint32_t stack, double weight, uint8_t category)
{
  uint32_t n, at = 0, depth = 0;
  const uint32_t *frames = tn_stacks_get(tree->study->document->stacks, stack, &n);
  weigh(tree, 0, weight, category);
  for (uint32_t i = n; i-- > 0;) {
    if (!is_shown(tree, frames[i]))
      continue;
    at = child_of(tree, at, frames[i]);
    weigh(tree, at, weight, category);
    depth++;
  }
  if (depth == 0)
    weigh(tree, child_of(tree, 0, TN_NONE), weight, category);
}

typedef struct {
  double *weight;    /* by stack */
  uint8_t *category; /* by stack */
} Weights;

static void
add_buffer(const TnStudy *study, Weights *weights, uint32_t row, TnFlameWeight by)
{
  const TnBuffers *b = study->buffers;
  uint32_t stack = tn_buffers_stack(b, row);
  double life = by == TN_FLAME_BYTE_TICKS ? (double)(b->end[row] - b->start[row]) : 1.0;
  weights->weight[stack] += (double)b->bytes[row] * life;
  weights->category[stack] = study->categories->category[row];
}

static void
collect(const TnStudy *study, tn_tick tick, TnFlameWeight by, Weights *weights)
{
  if (by == TN_FLAME_BYTE_TICKS) {
    for (uint32_t i = 0; i < study->buffers->n; i++)
      add_buffer(study, weights, i, by);
    return;
  }
  g_autoptr(GArray) alive = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  tn_live_index_at(study->index, tick, alive);
  tn_batch_sum_keep(study->buffers, alive, tick);
  for (guint i = 0; i < alive->len; i++)
    add_buffer(study, weights, g_array_index(alive, uint32_t, i), by);
}

/* ---- laying out -------------------------------------------------------------------------------- */

typedef struct {
  const TnView *view;
  const TnTheme *theme;
  Tree *tree;
  GArray *boxes;
  TnRect rect;
  double per_weight;
  TnFlameWeight by;
  uint32_t n_rows;            /* that have room */
  bool is_deeper;             /* something lies below MOST_ROWS, uncounted */
  uint32_t n_deep, n_narrow;  /* left out: rows below these, boxes (with all below them) */
} Layout;

#define MOST_ROWS 200u
#define LEAST_WIDTH 0.75

static int
compare_nodes(gconstpointer a, gconstpointer b, gpointer data)
{
  const Node *nodes = data;
  const Node *x = &nodes[*(const uint32_t *)a], *y = &nodes[*(const uint32_t *)b];
  if (x->weight != y->weight)
    return x->weight > y->weight ? -1 : 1;
  return x->frame < y->frame ? -1 : x->frame > y->frame;
}

static char *
label_of(const Layout *l, uint32_t row)
{
  const Node *node = &g_array_index(l->tree->nodes, Node, row);
  if (row == 0)
    return g_strdup("all");
  if (node->frame == TN_NONE)
    return g_strdup("no call stack of the user's code");
  return tn_frame_format(l->tree->study->document, node->frame);
}

static void place(Layout *l, uint32_t row, double x, uint32_t depth);

/* What a frame called, the heaviest first. */
static void
place_below(Layout *l, const Node *node, double x, uint32_t depth)
{
  g_autoptr(GArray) children = g_array_new(FALSE, FALSE, sizeof(uint32_t));
  for (uint32_t c = node->first_child; c; c = g_array_index(l->tree->nodes, Node, c - 1).next) {
    uint32_t child = c - 1;
    g_array_append_val(children, child);
  }
  g_array_sort_with_data(children, compare_nodes, l->tree->nodes->data);
  for (guint i = 0; i < children->len; i++) {
    uint32_t child = g_array_index(children, uint32_t, i);
    place(l, child, x, depth + 1);
    x += g_array_index(l->tree->nodes, Node, child).weight * l->per_weight;
  }
}

static void
place(Layout *l, uint32_t row, double x, uint32_t depth)
{
  const Node *node = &g_array_index(l->tree->nodes, Node, row);
  double width = node->weight * l->per_weight, y = l->rect.y + depth * ROW;
  if (width < LEAST_WIDTH) {
    l->n_narrow++;
    return;
  }
  if (depth > MOST_ROWS) {
    l->is_deeper = true;
    return;
  }
  if (depth >= l->n_rows) {
    l->n_deep = MAX(l->n_deep, depth + 1 - l->n_rows);
    place_below(l, node, x, depth);
    return;
  }
  uint32_t hue = l->theme->category[node->category];
  bool is_plain = l->by == TN_FLAME_ALIVE;
  TnBox box = {.rect = {x, y, width, ROW},
               .color = row == 0 ? l->theme->other
                                 : tn_color_mix(hue, l->theme->panel, depth % 2 ? 0.12 : 0.26),
               .label = label_of(l, row),
               .bytes = is_plain ? (tn_bytes)node->weight : -1,
               .buffer = TN_NONE,
               .frame = node->frame};
  g_array_append_val(l->boxes, box);
  place_below(l, node, x, depth);
}

static void
append_left_out(GString *out, const Layout *l)
{
  char count[32];
  if (l->n_deep)
    g_string_append_printf(out, " · no room for %u%s %s below", l->n_deep,
                           l->is_deeper ? " or more" : "", tn_plural(l->n_deep, "row", "rows"));
  else if (l->is_deeper)
    g_string_append_printf(out, " · not below %u rows", MOST_ROWS);
  if (l->n_narrow)
    g_string_append_printf(out, "%s%s %s too narrow to see", l->n_deep || l->is_deeper ? ", " : " · ",
                           tn_print_count(count, sizeof count, l->n_narrow),
                           tn_plural(l->n_narrow, "call", "calls"));
}

static char *
title_of(const Layout *l, tn_tick tick, double total)
{
  char size[48], at[32];
  const TnView *view = l->view;
  g_autoptr(GString) out = g_string_new(NULL);
  if (l->by == TN_FLAME_BYTE_TICKS)
    g_string_append(out, "Call stacks by bytes × time held, over the whole recording");
  else
    g_string_append_printf(out, "Call stacks by bytes alive at %s %s%s: %s",
                           tn_axis_unit_name(view->study->device->axis),
                           tn_print_count(at, sizeof at, tick),
                           tick == view->study->live->peak_at ? " (the peak)" : "",
                           tn_print_bytes(size, sizeof size, (tn_bytes)total, view->units));
  append_left_out(out, l);
  return g_string_free(g_steal_pointer(&out), FALSE);
}

TnBoxes *
tn_flame_new(const TnView *view, tn_tick tick, TnFlameWeight weight, bool with_framework,
             TnRect rect)
{
  const TnStudy *study = view->study;
  uint32_t n_stacks = tn_stacks_count(study->document->stacks);
  Weights weights = {g_new0(double, n_stacks), g_new0(uint8_t, n_stacks)};
  Tree tree = {study, g_array_new(FALSE, TRUE, sizeof(Node)), with_framework,
               g_new0(uint8_t, MAX(tn_stacks_frame_count(study->document->stacks), 1u)),
               g_hash_table_new_full(tn_int64_hash, g_int64_equal, g_free, NULL)};
  Node root = {.frame = TN_NONE, .category = TN_CATEGORY_OTHER};
  g_array_append_val(tree.nodes, root);
  collect(study, tick, weight, &weights);
  for (uint32_t stack = 0; stack < n_stacks; stack++)
    if (weights.weight[stack] > 0)
      add_stack(&tree, stack, weights.weight[stack], weights.category[stack]);
  TnBoxes *boxes = g_new0(TnBoxes, 1);
  boxes->boxes = g_array_new(FALSE, TRUE, sizeof(TnBox));
  boxes->total = g_array_index(tree.nodes, Node, 0).weight;
  Layout layout = {view, view->theme ? view->theme : tn_theme_light(), &tree, boxes->boxes, rect,
                   boxes->total > 0 ? rect.width / boxes->total : 0.0, weight,
                   (uint32_t)MAX(rect.height / ROW, 0.0), 0, 0};
  place(&layout, 0, rect.x, 0);
  boxes->title = title_of(&layout, tick, boxes->total);
  g_hash_table_unref(tree.children);
  g_array_unref(tree.nodes);
  g_free(tree.shown);
  g_free(weights.weight);
  g_free(weights.category);
  return boxes;
}
