/* SPDX-License-Identifier: MIT */
/* The two small graphs among the samples, as `tenure-graph` text owned by the caller. */
#pragma once

/* A tree: root of 100 bytes, two of 80, four leaves of 50, none of which is kept. */
char *sample_tree_graph_new(void);

/* Three branches of two convolutions and a skip; one convolution with two algorithms; a link. */
char *sample_branches_graph_new(void);
