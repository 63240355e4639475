/* SPDX-License-Identifier: MIT */
/* How long the main thread is kept from its loop: for tests and measurements only. */
#pragma once

/* Where the environment names a file in TENURE_WATCHDOG: appends a line to it for each stretch of more
 * than 20 ms in which the main loop did not turn, "when wall cpu" in milliseconds (`when` since the
 * start; `cpu` is what the main thread itself computed meanwhile: the rest it waited).  Else nothing. */
void tn_watchdog_start(void);
