/* SPDX-License-Identifier: MIT */
#pragma once

#include <adwaita.h>

#define TN_TYPE_APPLICATION (tn_application_get_type())
G_DECLARE_FINAL_TYPE(TnApplication, tn_application, TN, APPLICATION, AdwApplication)

TnApplication *tn_application_new(void);

/* One line for each accelerator: the shortcuts window must list the same (tested). */
typedef struct {
  const char *action;
  const char *accelerators[4];
} TnAccelerator;
const TnAccelerator *tn_application_accelerators(gsize *out_n);
