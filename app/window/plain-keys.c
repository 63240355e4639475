/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/plain-keys.h"

#include "app/window/application.h"

bool
tn_plain_keys_has(const char *accelerator)
{
  guint key;
  GdkModifierType modifiers;
  if (!gtk_accelerator_parse(accelerator, &key, &modifiers))
    return false;
  GdkModifierType besides_shift = modifiers & ~(GdkModifierType)GDK_SHIFT_MASK;
  bool is_edit = besides_shift == GDK_CONTROL_MASK &&
                 (key == GDK_KEY_v || gdk_keyval_to_lower(key) == GDK_KEY_z);
  return is_edit || (besides_shift == 0 && gdk_keyval_to_unicode(key) != 0);
}

static gboolean
activate(GtkWidget *window, GVariant *args, gpointer data)
{
  const TnAccelerator *accelerator = data;
  g_autofree char *name = NULL;
  g_autoptr(GVariant) target = NULL;
  GtkWidget *focus = gtk_root_get_focus(GTK_ROOT(window));
  if (focus && (GTK_IS_EDITABLE(focus) || GTK_IS_TEXT_VIEW(focus)))
    return FALSE;
  return g_action_parse_detailed_name(accelerator->action, &name, &target, NULL) &&
         gtk_widget_activate_action_variant(window, name, target);
}

void
tn_plain_keys_add(GtkWidget *window)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  gsize n;
  const TnAccelerator *all = tn_application_accelerators(&n);
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  for (gsize i = 0; i < n; i++)
    for (gsize k = 0; all[i].accelerators[k]; k++)
      if (tn_plain_keys_has(all[i].accelerators[k]))
        gtk_shortcut_controller_add_shortcut(
            GTK_SHORTCUT_CONTROLLER(keys),
            gtk_shortcut_new(gtk_shortcut_trigger_parse_string(all[i].accelerators[k]),
                             gtk_callback_action_new(activate, (gpointer)&all[i], NULL)));
  gtk_widget_add_controller(window, keys);
}
