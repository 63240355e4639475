/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/application.h"

int
main(int argc, char **argv)
{
  g_set_application_name("Tenure");
  g_autoptr(TnApplication) application = tn_application_new();
  return g_application_run(G_APPLICATION(application), argc, argv);
}
