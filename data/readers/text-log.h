/* SPDX-License-Identifier: MIT */
/* The reader of text: every kind of report that it knows is a finder, which is shown each line and
 * keeps what it has of a report in a state of its own.  Lines of several ranks may be mixed: each
 * tag (see text-scan.h) is a stream with states of its own, and so is each process under it where lines
 * say their process.  Lines that name none are the tag's own, but for finders that follow the speaker. */
#pragma once

#include "data/account.h"
#include "data/document.h"
#include "data/readers/text-scan.h"

#define TN_TEXT_SAID 16

/* Where a tag's lines are. */
typedef struct {
  uint32_t line;   /* of the tag, from 1; those that only list what a report has (see `is_row`) do not count */
  int32_t second;  /* of the day, as its loggers said last, plus 1; 0: not said */
  int64_t process; /* whose line it is; 0: not said */
} TnTextMoment;

/* Whether what was said at two moments may be one failure's: loggers and tracebacks print it again and again, but not for
 * hours, and no other process does. */
bool tn_text_moment_is_near(TnTextMoment a, TnTextMoment b);
/* It was said again: the time stays the first's, which a failure that comes every minute would else put off for ever. */
void tn_text_moment_repeat(TnTextMoment *first, TnTextMoment again);

/* Requests that the BFC allocator of a tag has dumped of late: who asked for them says so again, in words of its
 * own.  Zeroed it is empty. */
typedef struct {
  struct {
    tn_bytes least, most; /* what was asked for, as far as the dump says */
    int32_t device;       /* -1: not said */
    TnTextMoment when;
    bool is_used; /* who asked has said so */
  } last[TN_TEXT_SAID];
  uint32_t n; /* all so far */
} TnTextDumped;

typedef struct {
  TnDocument *document;
  gconstpointer stream; /* in hand */
  TnTextDumped *dumped; /* its tag's */
  gpointer said;        /* its tag's, of the finder in hand */
  TnTextMoment now;     /* its tag's, and its process */
  bool is_row; /* set by a finder: the line in hand is one of many of a report, which does not age what was said */
  GArray *made;         /* what processes have made, to be named at the end */
  tn_index n_graphs; /* of GE that have tensors and are no pools */
  bool has_plan;   /* a finder has filled a device with a plan */
  bool has_map;    /* a finder has filled a device with a map of addresses */
  int32_t n_ordinals; /* all devices so far have ordinals below this */
  tn_index n_reports;
} TnTextLog;

typedef struct {
  const char *name; /* what it looks for, in a person's words */
  gsize state_size;
  gsize said_size; /* of what it keeps for a tag: one process tells of a failure on lines with and without its number */
  /* A line may be a report's, or of no interest.  States are zeroed at first. */
  void (*line)(TnTextLog *log, void *state, const TnTextLine *line);
  /* The text ends: a report that waits for more is done, or was cut off. */
  void (*end)(TnTextLog *log, void *state);
  const char *const
      *marks; /* NULL-terminated: words that only such a report has, for the sniffer */
  /* Lines that name no process go to the one under their tag that spoke last: CANN's loggers put it before the first
   * line of a message only. */
  bool follows_speaker;
  /* Whether a line without a tag is the rest of what the state has begun: wrapped after the tag was put before it.  NULL:
   * never. */
  bool (*goes_on)(gconstpointer state, const TnTextLine *line);
} TnTextFinder;

/* A report was found: its account, owned by the document from here on, with the stream's tag. */
TnAccount *tn_text_log_report(TnTextLog *log, TnAccount *account);
/* It ends before its end: marks the account, and counts a warning that names the lines. */
void tn_text_log_cut_off(TnTextLog *log, TnAccount *account, const char *missing);

/* A device of its own for a map or a plan, with an ordinal that no other has. */
TnDevice *tn_text_log_new_device(TnTextLog *log);
/* The device of this ordinal for a map, or another where that has a map or failures of a different report. */
TnDevice *tn_text_log_device(TnTextLog *log, int32_t ordinal);
/* Names it; where several wrote the log, with who did. */
void tn_text_log_name(TnTextLog *log, TnDevice *device, const char *name);
/* A request that failed on it. */
void tn_text_log_mark(
    TnTextLog *log, TnDevice *device, tn_bytes requested, tn_bytes device_free, const char *text);
/* The same for a report without a map: on the device of this ordinal, or on another where that
 * holds the map of a different report. */
TnDevice *tn_text_log_oom(
    TnTextLog *log, int32_t ordinal, tn_bytes requested, tn_bytes device_free, const char *text);

/* Keeps a request that was dumped; whether one of `bytes` (give or take `step`) on *device (-1: not said, and then said
 * where the dump does) was of late, which is used up: a later failure of the same size is another. */
void tn_text_log_add_dumped(TnTextLog *log, tn_bytes least, tn_bytes most, int32_t device);
bool tn_text_log_use_dumped(TnTextLog *log, tn_bytes bytes, tn_bytes step, int32_t *device);

/* Failures that were read of late: loggers, tracebacks and programs print one again and again.  Zeroed it is empty. */
typedef struct {
  struct {
    guint hash;
    TnTextMoment when; /* it was said first */
  } last[TN_TEXT_SAID];
  uint32_t n; /* all so far */
} TnTextSaid;

/* Whether `what`, which was said at `when`, names a failure that is not among the last TN_TEXT_SAID of late; it is from
 * here on. */
bool tn_text_is_news(TnTextSaid *said, const char *what, TnTextMoment when);

extern const TnTextFinder tn_text_pytorch;
extern const TnTextFinder tn_text_memory_summary;
extern const TnTextFinder tn_text_bfc;
extern const TnTextFinder tn_text_xla;
extern const TnTextFinder tn_text_onnxruntime;
extern const TnTextFinder tn_text_ggml;
extern const TnTextFinder tn_text_vllm;
extern const TnTextFinder tn_text_tensorrt;
extern const TnTextFinder tn_text_tflm;
extern const TnTextFinder tn_text_ascend;
extern const TnTextFinder tn_text_ge;
extern const TnTextFinder tn_text_ge_says;
extern const TnTextFinder tn_text_ge_sizes;
extern const TnTextFinder tn_text_ge_stages;
extern const TnTextFinder tn_text_kernel_trace;
extern const TnTextFinder tn_text_scalable;
