/* SPDX-License-Identifier: MIT */
/* The memory of a decoder of 8 blocks, width 512, 8 heads, 16384 words, in float32 with AdamW: what
 * each line of model.py and train.py takes, what autograd saves, and when each of it goes. */
#include "config.h"

#include "data/samples/training.h"

#define TRAIN_PY "/home/ada/tiny-lm/train.py"
#define MODEL_PY "/home/ada/tiny-lm/model.py"
#define TORCH "/opt/venv/lib/python3.11/site-packages/torch/"
#define FUNCTIONAL_PY TORCH "nn/functional.py"

#define DEVICE_BYTES (4ll << 30)
#define CONTEXT_BYTES (303ll << 20) /* the CUDA context and its kernels: not PyTorch's to give */
#define N_BLOCKS 8
#define N_HEADS 8
#define WIDTH 512ll
#define HIDDEN 2048ll
#define WORDS 16384ll
#define FLOAT 4ll

/* What one block saves for its backward pass, in the order of saving. */
typedef enum {
  NORM_1,
  MEAN_1,
  RSTD_1,
  QKV,
  QUERY,
  KEY,
  SOFTMAX,
  DROPPED,
  DROP_MASK,
  VALUE,
  CONTEXT,
  RESIDUAL_MASK_1,
  SUM_1,
  NORM_2,
  MEAN_2,
  RSTD_2,
  FC,
  GELU,
  RESIDUAL_MASK_2,
  SUM_2,
  N_SAVED
} Saved;

typedef struct {
  Block *saved[N_SAVED];
} BlockState;

/* ---- taking and giving ----------------------------------------------------------------- */

static Block *
take(Training *run, int line, int64_t bytes)
{
  if (run->is_out)
    return NULL;
  uint32_t stack = call_stack_at(&run->calls, line);
  Block *block = allocator_take(run->allocator, bytes, stack);
  allocator_wait(run->allocator, 40);
  run->is_out = !block;
  if (block)
    g_ptr_array_add(run->scope, block);
  return block;
}

/* Gives a block back at the line in hand; NULL and a run that is over are nothing to do. */
static void
give(Training *run, int line, Block *block)
{
  if (run->is_out || !block)
    return;
  g_ptr_array_remove(run->scope, block);
  allocator_give(run->allocator, block, call_stack_at(&run->calls, line));
}

/* Out of the scope into a list that outlives the step. */
static void
keep(Training *run, GPtrArray *list, Block *block)
{
  if (!block)
    return;
  g_ptr_array_remove(run->scope, block);
  g_ptr_array_add(list, block);
}

/* The start or, whatever happened in between, the end of a record_function(). */
static void
annotate(Training *run, const char *stage, const char *name)
{
  Annotation annotation = {stage, name, run->allocator->now_us};
  allocator_wait(run->allocator, 6);
  g_array_append_val(run->annotations, annotation);
}

static int64_t
tokens(const Training *run)
{
  return run->batch * run->length;
}

static int64_t
scores(const Training *run)
{
  return run->batch * N_HEADS * run->length * run->length;
}

/* One call of a torch.nn module whose forward calls a function of torch.nn.functional. */
static Block *
take_in_module(Training *run,
               int line,
               const char *module,
               const char *file,
               int call_line,
               const char *function,
               int at,
               int64_t bytes)
{
  call_module(&run->calls, line, module, file);
  if (function) {
    call_enter(&run->calls, call_line, function, FUNCTIONAL_PY);
    Block *block = take(run, at, bytes);
    call_leave(&run->calls);
    call_leave_module(&run->calls);
    return block;
  }
  Block *block = take(run, call_line, bytes);
  call_leave_module(&run->calls);
  return block;
}

static Block *
linear(Training *run, int line, int64_t out_width)
{
  return take_in_module(run, line, "Linear.forward", TORCH "nn/modules/linear.py", 125, NULL, 0,
                        tokens(run) * out_width * FLOAT);
}

static Block *
dropout(Training *run, int line, int64_t n, Block **out_mask)
{
  const char *file = TORCH "nn/modules/dropout.py";
  Block *out = take_in_module(run, line, "Dropout.forward", file, 70, "dropout", 1425, n * FLOAT);
  *out_mask = take_in_module(run, line, "Dropout.forward", file, 70, "dropout", 1425, n);
  return out;
}

static Block *
layer_norm(Training *run, int line, Block **out_mean, Block **out_rstd)
{
  const char *file = TORCH "nn/modules/normalization.py";
  int64_t sizes[3] = {tokens(run) * WIDTH * FLOAT, tokens(run) * FLOAT, tokens(run) * FLOAT};
  Block *made[3];
  for (int i = 0; i < 3; i++)
    made[i] =
        take_in_module(run, line, "LayerNorm.forward", file, 217, "layer_norm", 2910, sizes[i]);
  *out_mean = made[1];
  *out_rstd = made[2];
  return made[0];
}

/* ---- forward --------------------------------------------------------------------------- */

/* softmax(q k' * scale, masked), dropout, times v: every step makes a square of its own. */
static void
attend(Training *run, BlockState *state)
{
  int64_t square = scores(run) * FLOAT, head = tokens(run) * WIDTH * FLOAT;
  state->saved[QUERY] = take(run, 44, head);
  state->saved[KEY] = take(run, 44, head);
  Block *product = take(run, 44, square);
  Block *scaled = take(run, 44, square);
  give(run, 44, product);
  Block *masked = take(run, 45, square);
  give(run, 45, scaled);
  call_enter(&run->calls, 46, "softmax", FUNCTIONAL_PY);
  state->saved[SOFTMAX] = take(run, 2140, square);
  call_leave(&run->calls);
  give(run, 46, masked);
  state->saved[DROPPED] = dropout(run, 47, scores(run), &state->saved[DROP_MASK]);
  state->saved[VALUE] = take(run, 48, head);
  Block *mixed = take(run, 48, head);
  state->saved[CONTEXT] = take(run, 49, head);
  give(run, 49, mixed);
}

static void
forward_attention(Training *run, BlockState *state)
{
  call_module(&run->calls, 78, "CausalSelfAttention.forward", MODEL_PY);
  state->saved[QKV] = linear(run, 40, 3 * WIDTH);
  attend(run, state);
  Block *out = linear(run, 50, WIDTH);
  Block *dropped = dropout(run, 50, tokens(run) * WIDTH, &state->saved[RESIDUAL_MASK_1]);
  give(run, 50, out);
  call_leave_module(&run->calls);
  state->saved[SUM_1] = take(run, 78, tokens(run) * WIDTH * FLOAT);
  give(run, 78, dropped);
}

static void
forward_mlp(Training *run, BlockState *state)
{
  call_module(&run->calls, 79, "MLP.forward", MODEL_PY);
  state->saved[FC] = linear(run, 63, HIDDEN);
  state->saved[GELU] = take_in_module(run, 64, "GELU.forward", TORCH "nn/modules/activation.py",
                                      734, NULL, 0, tokens(run) * HIDDEN * FLOAT);
  Block *out = linear(run, 65, WIDTH);
  Block *dropped = dropout(run, 65, tokens(run) * WIDTH, &state->saved[RESIDUAL_MASK_2]);
  give(run, 65, out);
  call_leave_module(&run->calls);
  state->saved[SUM_2] = take(run, 79, tokens(run) * WIDTH * FLOAT);
  give(run, 79, dropped);
}

static void
forward_block(Training *run, BlockState *state)
{
  call_module(&run->calls, 106, "Block.forward", MODEL_PY);
  state->saved[NORM_1] = layer_norm(run, 78, &state->saved[MEAN_1], &state->saved[RSTD_1]);
  forward_attention(run, state);
  state->saved[NORM_2] = layer_norm(run, 79, &state->saved[MEAN_2], &state->saved[RSTD_2]);
  forward_mlp(run, state);
  call_leave_module(&run->calls);
}

/* ---- backward -------------------------------------------------------------------------- */

#define BACKWARD_LINE 829 /* of graph.py, where the engine runs: all it takes has this stack */

static Block *
grad(Training *run, int64_t bytes)
{
  return take(run, BACKWARD_LINE, bytes);
}

static void
drop(Training *run, Block *block)
{
  give(run, BACKWARD_LINE, block);
}

/* A parameter's gradient: made by the first step after zero_grad(), kept until the next. */
static void
weight_grad(Training *run, int64_t n)
{
  keep(run, run->gradients, grad(run, n * FLOAT));
}

static void
backward_norm(Training *run, BlockState *state, Saved norm, Block *from)
{
  weight_grad(run, WIDTH);
  weight_grad(run, WIDTH);
  drop(run, state->saved[norm + 1]);
  drop(run, state->saved[norm + 2]);
  drop(run, from);
}

/* Gradient of a residual sum: what came down both ways. */
static Block *
add_grads(Training *run, Block *a, Block *b)
{
  Block *sum = grad(run, tokens(run) * WIDTH * FLOAT);
  drop(run, a);
  drop(run, b);
  return sum;
}

static Block *
backward_mlp(Training *run, BlockState *state, Block *down)
{
  int64_t wide = tokens(run) * HIDDEN * FLOAT, narrow = tokens(run) * WIDTH * FLOAT;
  Block *undropped = grad(run, narrow);
  drop(run, state->saved[RESIDUAL_MASK_2]);
  Block *gelu = grad(run, wide);
  weight_grad(run, WIDTH * HIDDEN);
  weight_grad(run, WIDTH);
  drop(run, state->saved[GELU]);
  drop(run, undropped);
  Block *fc = grad(run, wide);
  drop(run, gelu);
  drop(run, state->saved[FC]);
  Block *norm = grad(run, narrow);
  weight_grad(run, WIDTH * HIDDEN);
  weight_grad(run, HIDDEN);
  drop(run, fc);
  drop(run, state->saved[NORM_2]);
  Block *in = grad(run, narrow);
  backward_norm(run, state, NORM_2, norm);
  return add_grads(run, in, down);
}

/* Through dropout, softmax, mask and scale: a square each, the one before freed. */
static Block *
backward_squares(Training *run, BlockState *state, Block *from)
{
  Saved freed[4] = {DROP_MASK, SOFTMAX, N_SAVED, N_SAVED};
  for (int i = 0; i < 4; i++) {
    Block *next = grad(run, scores(run) * FLOAT);
    drop(run, from);
    if (freed[i] != N_SAVED)
      drop(run, state->saved[freed[i]]);
    from = next;
  }
  return from;
}

static Block *
backward_qkv(Training *run, BlockState *state, Block *square, Block *value)
{
  int64_t narrow = tokens(run) * WIDTH * FLOAT;
  Block *query = grad(run, narrow), *key = grad(run, narrow);
  drop(run, square);
  drop(run, state->saved[QUERY]);
  drop(run, state->saved[KEY]);
  Block *qkv = grad(run, 3 * narrow);
  drop(run, query);
  drop(run, key);
  drop(run, value);
  return qkv;
}

static Block *
backward_attention(Training *run, BlockState *state, Block *down)
{
  int64_t narrow = tokens(run) * WIDTH * FLOAT;
  Block *undropped = grad(run, narrow);
  drop(run, state->saved[RESIDUAL_MASK_1]);
  Block *context = grad(run, narrow);
  weight_grad(run, WIDTH * WIDTH);
  weight_grad(run, WIDTH);
  drop(run, undropped);
  drop(run, state->saved[CONTEXT]);
  Block *square = grad(run, scores(run) * FLOAT), *value = grad(run, narrow);
  drop(run, context);
  drop(run, state->saved[DROPPED]);
  drop(run, state->saved[VALUE]);
  square = backward_squares(run, state, square);
  Block *qkv = backward_qkv(run, state, square, value);
  Block *norm = grad(run, narrow);
  weight_grad(run, 3 * WIDTH * WIDTH);
  weight_grad(run, 3 * WIDTH);
  drop(run, qkv);
  drop(run, state->saved[QKV]);
  drop(run, state->saved[NORM_1]);
  Block *in = grad(run, narrow);
  backward_norm(run, state, NORM_1, norm);
  return add_grads(run, in, down);
}

static Block *
backward_head(Training *run, Block *log_softmax, Block *norm, Block *state_mean, Block *state_rstd)
{
  int64_t words = tokens(run) * WORDS * FLOAT, narrow = tokens(run) * WIDTH * FLOAT;
  Block *nll = grad(run, words), *logits = grad(run, words);
  drop(run, nll);
  drop(run, log_softmax);
  Block *hidden = grad(run, narrow);
  weight_grad(run, WORDS * WIDTH);
  drop(run, logits);
  drop(run, norm);
  Block *down = grad(run, narrow);
  weight_grad(run, WIDTH);
  weight_grad(run, WIDTH);
  drop(run, hidden);
  drop(run, state_mean);
  drop(run, state_rstd);
  return down;
}

/* ---- one step -------------------------------------------------------------------------- */

/* What the forward pass leaves. */
typedef struct {
  Block *tokens, *embedded, *mask, *norm, *mean, *rstd, *logits, *log_softmax, *loss;
  BlockState blocks[N_BLOCKS];
} Step;

static void
forward(Training *run, Step *step)
{
  int64_t narrow = tokens(run) * WIDTH * FLOAT;
  call_module(&run->calls, 52, "TinyLM.forward", MODEL_PY);
  call_module(&run->calls, 102, "Embedding.forward", TORCH "nn/modules/sparse.py");
  call_enter(&run->calls, 190, "embedding", FUNCTIONAL_PY);
  Block *words = take(run, 2551, narrow);
  call_leave(&run->calls);
  call_leave_module(&run->calls);
  Block *sum = take(run, 103, narrow);
  give(run, 103, words);
  step->embedded = dropout(run, 104, tokens(run) * WIDTH, &step->mask);
  give(run, 104, sum);
  for (int i = 0; i < N_BLOCKS && !run->is_out; i++)
    forward_block(run, &step->blocks[i]);
  step->norm = layer_norm(run, 107, &step->mean, &step->rstd);
  step->logits = linear(run, 108, WORDS);
  call_leave_module(&run->calls);
  call_enter(&run->calls, 53, "cross_entropy", FUNCTIONAL_PY);
  step->log_softmax = take(run, 3494, tokens(run) * WORDS * FLOAT);
  step->loss = take(run, 3494, FLOAT);
  call_leave(&run->calls);
}

static void
backward(Training *run, Step *step)
{
  call_enter(&run->calls, 55, "Tensor.backward", TORCH "_tensor.py");
  call_enter(&run->calls, 648, "backward", TORCH "autograd/__init__.py");
  call_enter(&run->calls, 353, "_engine_run_backward", TORCH "autograd/graph.py");
  Block *down = backward_head(run, step->log_softmax, step->norm, step->mean, step->rstd);
  for (int i = N_BLOCKS; i-- > 0;) {
    BlockState *state = &step->blocks[i];
    down = backward_mlp(run, state, down);
    drop(run, state->saved[SUM_1]);
    down = backward_attention(run, state, down);
    drop(run, i > 0 ? step->blocks[i - 1].saved[SUM_2] : step->embedded);
  }
  Block *in = grad(run, tokens(run) * WIDTH * FLOAT);
  drop(run, down);
  drop(run, step->mask);
  weight_grad(run, 1024 * WIDTH);                  /* positions */
  Block *words = grad(run, WORDS * WIDTH * FLOAT); /* summed into the head's: they are tied */
  drop(run, in);
  drop(run, words);
  for (int i = 0; i < 3; i++)
    call_leave(&run->calls);
}

/* AdamW over all parameters at once: the moments with the first step, then only what each step
 * needs for a while. */
static void
optimise(Training *run)
{
  call_enter(&run->calls, 57, "Optimizer.profile_hook_step.<locals>.wrapper",
             TORCH "optim/optimizer.py");
  call_enter(&run->calls, 485, "AdamW.step", TORCH "optim/adamw.py");
  if (run->moments->len == 0) {
    call_enter(&run->calls, 209, "AdamW._init_group", TORCH "optim/adamw.py");
    for (guint i = 0; i < 2 * run->parameters->len; i++) {
      const Block *parameter = g_ptr_array_index(run->parameters, i / 2);
      keep(run, run->moments, take(run, i % 2 ? 157 : 152, parameter->requested));
    }
    call_leave(&run->calls);
  }
  call_enter(&run->calls, 220, "adamw", TORCH "optim/adamw.py");
  call_enter(&run->calls, 782, "_multi_tensor_adamw", TORCH "optim/adamw.py");
  g_autoptr(GPtrArray) roots = g_ptr_array_new();
  for (guint i = 0; i < run->parameters->len; i++) {
    const Block *parameter = g_ptr_array_index(run->parameters, i);
    g_ptr_array_add(roots, take(run, 606, parameter->requested));
  }
  for (guint i = 0; i < roots->len; i++)
    give(run, 616, g_ptr_array_index(roots, i));
  for (int i = 0; i < 4; i++)
    call_leave(&run->calls);
}

static void
zero_grad(Training *run)
{
  call_enter(&run->calls, 58, "Optimizer.zero_grad", TORCH "optim/optimizer.py");
  for (guint i = 0; i < run->gradients->len && !run->is_out; i++)
    allocator_give(run->allocator, g_ptr_array_index(run->gradients, i),
                   call_stack_at(&run->calls, 987));
  g_ptr_array_set_size(run->gradients, 0);
  call_leave(&run->calls);
}

static void
learn(Training *run, Step *step)
{
  annotate(run, "START", "## backward ##");
  backward(run, step);
  annotate(run, "END", "## backward ##");
  annotate(run, "START", "Optimizer.step#AdamW.step");
  optimise(run);
  annotate(run, "END", "Optimizer.step#AdamW.step");
  zero_grad(run);
}

static void
train_step(Training *run)
{
  Step step = {0};
  step.tokens = take(run, 80, tokens(run) * 8);
  Block *targets = take(run, 80, tokens(run) * 8);
  call_enter(&run->calls, 81, "train_step", TRAIN_PY);
  annotate(run, "START", "## forward ##");
  forward(run, &step);
  annotate(run, "END", "## forward ##");
  if (!run->is_out)
    learn(run, &step);
  /* What a person forgets: states of the last block, kept for a plot. */
  keep(run, run->kept, take(run, 60, tokens(run) * WIDTH * FLOAT));
  give(run, 61, step.blocks[N_BLOCKS - 1].saved[SUM_2]);
  give(run, 61, step.logits);
  call_leave(&run->calls);
  give(run, 82, step.loss);
  give(run, 82, targets);
  give(run, 82, step.tokens);
}

/* ---- the run --------------------------------------------------------------------------- */

static void
add_parameter(Training *run, int64_t n)
{
  keep(run, run->parameters, take(run, 90, n * FLOAT));
}

/* model.to("cuda"), before the recording begins. */
static void
load_model(Training *run)
{
  static const int64_t of_block[][2] = {
      {1, WIDTH}, {1, WIDTH}, {3 * WIDTH, WIDTH}, {1, 3 * WIDTH}, {WIDTH, WIDTH},  {1, WIDTH},
      {1, WIDTH}, {1, WIDTH}, {HIDDEN, WIDTH},    {1, HIDDEN},    {WIDTH, HIDDEN}, {1, WIDTH}};
  add_parameter(run, WORDS * WIDTH);
  add_parameter(run, 1024 * WIDTH);
  for (int i = 0; i < N_BLOCKS; i++)
    for (gsize p = 0; p < G_N_ELEMENTS(of_block); p++)
      add_parameter(run, of_block[p][0] * of_block[p][1]);
  add_parameter(run, WIDTH);
  add_parameter(run, WIDTH);
}

/* The exception leaves the frames one after the other; what they held goes, newest first. */
static void
unwind(Training *run)
{
  g_array_set_size(run->calls.chain, 1);
  call_enter(&run->calls, 96, "main", TRAIN_PY);
  uint32_t stack = call_stack_at(&run->calls, 84);
  for (guint i = run->scope->len; i-- > 0;)
    allocator_give(run->allocator, g_ptr_array_index(run->scope, i), stack);
  g_ptr_array_set_size(run->scope, 0);
  call_leave(&run->calls);
}

void
training_run(Training *run)
{
  static const int64_t lengths[] = {512, 512, 768};
  *run = (Training){.allocator = allocator_new(DEVICE_BYTES - CONTEXT_BYTES), .batch = 6};
  run->annotations = g_array_new(FALSE, FALSE, sizeof(Annotation));
  run->scope = g_ptr_array_new();
  run->parameters = g_ptr_array_new();
  run->gradients = g_ptr_array_new();
  run->moments = g_ptr_array_new();
  run->kept = g_ptr_array_new();
  call_stack_init(&run->calls);
  call_enter(&run->calls, 0, "<module>", TRAIN_PY);
  load_model(run);
  for (guint i = 0; i < run->parameters->len; i++)
    ((Block *)g_ptr_array_index(run->parameters, i))->stack = 0;
  run->allocator->is_recording = true;
  call_enter(&run->calls, 96, "main", TRAIN_PY);
  for (gsize i = 0; i < G_N_ELEMENTS(lengths) && !run->is_out; i++) {
    static const char *const names[] = {"## iteration 0 ##", "## iteration 1 ##",
                                        "## iteration 2 ##"};
    run->length = lengths[i];
    annotate(run, "START", names[i]);
    train_step(run);
    annotate(run, "END", names[i]);
  }
  unwind(run);
}

void
training_clear(Training *run)
{
  GPtrArray *lists[] = {run->scope, run->parameters, run->gradients, run->moments, run->kept};
  for (gsize i = 0; i < G_N_ELEMENTS(lists); i++)
    g_ptr_array_unref(lists[i]);
  g_array_unref(run->annotations);
  call_stack_clear(&run->calls);
  allocator_free(run->allocator);
}
