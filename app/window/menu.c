/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/menu.h"

static void
empty_link(GMenuModel *menu, int item, const char *link)
{
  g_autoptr(GMenuModel) inner = g_menu_model_get_item_link(menu, item, link);
  if (inner)
    tn_menu_empty(inner);
}

void
tn_menu_empty(GMenuModel *menu)
{
  for (int i = 0; i < g_menu_model_get_n_items(menu); i++) {
    empty_link(menu, i, G_MENU_LINK_SECTION);
    empty_link(menu, i, G_MENU_LINK_SUBMENU);
  }
  g_menu_remove_all(G_MENU(menu));
}
