/* SPDX-License-Identifier: MIT */
/* One line per reader; data/reader.c lists them in the order of `tenure-cli formats`. */
#pragma once

#include "data/reader.h"

extern const TnReader tn_reader_pytorch;
extern const TnReader tn_reader_pytorch_json;
extern const TnReader tn_reader_pytorch_html;

extern const TnReader tn_reader_graph_json;
extern const TnReader tn_reader_csv;
extern const TnReader tn_reader_plan;
extern const TnReader tn_reader_onnx;
extern const TnReader tn_reader_tflite;
extern const TnReader tn_reader_executorch;
extern const TnReader tn_reader_executorch_trace;
extern const TnReader tn_reader_text_log;
extern const TnReader tn_reader_kineto;
extern const TnReader tn_reader_tenure_log;
extern const TnReader tn_reader_xla;
extern const TnReader tn_reader_ascend_csv;
extern const TnReader tn_reader_memscope_csv;
extern const TnReader tn_reader_sqlite;
extern const TnReader tn_reader_memory_timeline;
extern const TnReader tn_reader_vma;
extern const TnReader tn_reader_ge_graph;
