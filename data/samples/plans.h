/* SPDX-License-Identifier: MIT */
/* The two small plans among the samples, as text owned by the caller. */
#pragma once

/* The buffers of a small residual CNN, without offsets, as CSV. */
char *sample_small_plan_new(void);

/* A plan with one overlap (a skip connection that somebody forgot) and one misaligned offset. */
char *sample_broken_plan_new(void);
