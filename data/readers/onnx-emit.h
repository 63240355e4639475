/* SPDX-License-Identifier: MIT */
/* A graph whose shapes are inferred → the tables that analyses work on. */
#pragma once

#include "data/graph.h"
#include "data/readers/onnx-graph.h"

/* Builds the graph, its bodies included.  Nodes that make constants are left out and counted. */
TnGraph *tn_onnx_graph_build(const TnOnnxBuilder *builder, const TnOnnxWork *work);
