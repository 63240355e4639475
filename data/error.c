/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/error.h"

GQuark
tn_data_error_quark(void)
{
  return g_quark_from_static_string("tn-data-error");
}
