/* SPDX-License-Identifier: MIT */
/* A section that somebody keeps, as GTK 4.8 does, keeps nothing of what was in it. */
#include "config.h"

#include "app/window/menu.h"

static void
test_kept_section(void)
{
  g_autoptr(GMenu) menu = g_menu_new(), section = g_menu_new();
  GMenu *columns = g_menu_new();
  g_menu_append(columns, "Size", "columns.show-1");
  g_menu_append(menu, "Copy", "table.copy");
  g_menu_append_submenu(section, "Columns", G_MENU_MODEL(columns));
  g_menu_append(section, "Copy All Rows", "columns.copy-all");
  g_menu_append_section(menu, NULL, G_MENU_MODEL(section));
  g_object_add_weak_pointer(G_OBJECT(columns), (gpointer *)&columns);
  g_object_unref(columns);
  g_assert_nonnull(columns);
  tn_menu_empty(G_MENU_MODEL(menu));
  g_assert_null(columns);
  g_assert_cmpint(g_menu_model_get_n_items(G_MENU_MODEL(section)), ==, 0);
  g_assert_cmpint(g_menu_model_get_n_items(G_MENU_MODEL(menu)), ==, 0);
}

static void
test_kept_submenu(void)
{
  g_autoptr(GMenu) menu = g_menu_new(), submenu = g_menu_new();
  g_menu_append(submenu, "Size", "columns.show-1");
  g_menu_append_submenu(menu, "Columns", G_MENU_MODEL(submenu));
  tn_menu_empty(G_MENU_MODEL(menu));
  g_assert_cmpint(g_menu_model_get_n_items(G_MENU_MODEL(submenu)), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/menu/kept-section", test_kept_section);
  g_test_add_func("/menu/kept-submenu", test_kept_submenu);
  return g_test_run();
}
