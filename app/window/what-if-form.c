/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/what-if-form.h"

#include "app/window/tip.h"
#include "app/window/view-parts.h"

#include "data/units.h"

#include <glib/gi18n.h>
#include <math.h>
#include <string.h>

#define MIB ((tn_bytes)1 << 20)

struct _TnWhatIfForm {
  GtkGrid parent_instance;
  GtkWidget *model, *expandable, *split, *divisions, *garbage, *device;
  GtkStringList *divisions_names;
  TnReplaySettings base;                  /* what was filled in */
  tn_bytes limit;                         /* what was filled in, and */
  char *limit_text;                       /* how the entry shows it: MiB round it */
  uint32_t by_size[TN_ROUNDUP_INTERVALS]; /* the divisions of the last row */
  bool is_filling;
};

G_DEFINE_TYPE(TnWhatIfForm, tn_what_if_form, GTK_TYPE_GRID)

static guint changed_signal;

/* A row more, where it was needed, is the recorded divisions that no other row is. */
static const char *const divisions_texts[] = {N_("off"), "1", "2", "4", "8", "16", NULL};
#define N_DIVISIONS (G_N_ELEMENTS(divisions_texts) - 1)

static const TnAllocatorModel *
get_model(TnWhatIfForm *form)
{
  return tn_allocator_models()[gtk_drop_down_get_selected(GTK_DROP_DOWN(form->model))];
}

/* The settings are those of PyTorch's allocator. */
static void
show_state(TnWhatIfForm *form)
{
  const TnAllocatorModel *model = get_model(form);
  GtkWidget *const own[] = {form->expandable, form->split, form->divisions, form->garbage};
  for (gsize i = 0; i < G_N_ELEMENTS(own); i++)
    gtk_widget_set_sensitive(own[i], model == tn_allocator_models()[0]);
  tn_tip_set(form->model, model->title);
}

static void
on_changed(TnWhatIfForm *form)
{
  if (form->is_filling)
    return;
  show_state(form);
  g_signal_emit(form, changed_signal, 0);
}

/* ---- filling ------------------------------------------------------------------------------- */

static guint
find_divisions(const TnReplaySettings *settings)
{
  char text[16];
  for (int i = 1; i < TN_ROUNDUP_INTERVALS; i++)
    if (settings->roundup_power2_divisions[i] != settings->roundup_power2_divisions[0])
      return N_DIVISIONS;
  if (settings->roundup_power2_divisions[0] == 0)
    return 0;
  g_snprintf(text, sizeof text, "%u", settings->roundup_power2_divisions[0]);
  for (guint i = 1; i < N_DIVISIONS; i++)
    if (strcmp(divisions_texts[i], text) == 0)
      return i;
  return N_DIVISIONS;
}

static void
fill_divisions(TnWhatIfForm *form)
{
  guint row = find_divisions(&form->base);
  if (row == N_DIVISIONS)
    memcpy(form->by_size, form->base.roundup_power2_divisions, sizeof form->by_size);
  if (row == N_DIVISIONS && g_list_model_get_n_items(G_LIST_MODEL(form->divisions_names)) == row)
    gtk_string_list_append(form->divisions_names, _("as recorded"));
  gtk_drop_down_set_selected(GTK_DROP_DOWN(form->divisions), row);
}

static void
fill_sizes(TnWhatIfForm *form)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *split =
      form->base.max_split_size > 0
          ? g_strdup_printf("%" G_GINT64_FORMAT, form->base.max_split_size / MIB)
          : g_strdup("");
  gtk_editable_set_text(GTK_EDITABLE(form->split), split);
  g_ascii_formatd(number, sizeof number, "%.2f", (double)form->limit / (double)MIB);
  if (g_str_has_suffix(number, ".00"))
    number[strlen(number) - 3] = '\0';
  g_free(form->limit_text);
  form->limit_text = g_strdup(form->limit > 0 ? number : "");
  gtk_editable_set_text(GTK_EDITABLE(form->device), form->limit_text);
}

void
tn_what_if_form_fill(TnWhatIfForm *form,
                     const TnAllocatorModel *model,
                     const TnReplaySettings *settings,
                     tn_bytes limit)
{
  form->is_filling = true;
  form->base = *settings;
  form->limit = limit;
  for (guint i = 0; tn_allocator_models()[i]; i++)
    if (tn_allocator_models()[i] == model)
      gtk_drop_down_set_selected(GTK_DROP_DOWN(form->model), i);
  gtk_switch_set_active(GTK_SWITCH(form->expandable), settings->expandable_segments);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(form->garbage), settings->garbage_collection_threshold);
  fill_divisions(form);
  fill_sizes(form);
  form->is_filling = false;
  on_changed(form);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool
read_device(TnWhatIfForm *form, tn_bytes *out, char **out_message)
{
  g_autofree char *text = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(form->device))));
  char *end;
  double mib = g_ascii_strtod(text, &end);
  *out = 0;
  if (text[0] == '\0')
    return true;
  *out = form->limit;
  if (strcmp(text, form->limit_text) == 0)
    return true;
  if (*end == '\0' && mib >= 0.0 && mib < (double)((tn_bytes)1 << 40)) {
    *out = (tn_bytes)(mib * (double)MIB);
    return true;
  }
  if (*end != '\0' && tn_parse_bytes(text, out))
    return true;
  *out_message = g_strdup_printf(_("Device memory %s: expected a size in MiB, or nothing"), text);
  return false;
}

static bool
read_split(TnWhatIfForm *form, TnReplaySettings *settings, char **out_message)
{
  g_autofree char *text = g_strstrip(g_strdup(gtk_editable_get_text(GTK_EDITABLE(form->split))));
  g_autofree char *pair = g_strdup_printf("max_split_size_mb=%s", text[0] ? text : "0");
  return tn_replay_settings_set(settings, pair, out_message);
}

static bool
read_divisions(TnWhatIfForm *form, TnReplaySettings *settings, char **out_message)
{
  guint row = gtk_drop_down_get_selected(GTK_DROP_DOWN(form->divisions));
  if (row >= N_DIVISIONS) {
    memcpy(settings->roundup_power2_divisions, form->by_size, sizeof form->by_size);
    return true;
  }
  g_autofree char *pair =
      g_strdup_printf("roundup_power2_divisions=%s", row ? divisions_texts[row] : "0");
  return tn_replay_settings_set(settings, pair, out_message);
}

bool
tn_what_if_form_read(TnWhatIfForm *form, TnReplayParams *params, char **out_message)
{
  params->model = get_model(form);
  params->settings = form->base;
  params->settings.expandable_segments = gtk_switch_get_active(GTK_SWITCH(form->expandable));
  /* As it was, unless changed: the control rounds it. */
  double threshold = gtk_spin_button_get_value(GTK_SPIN_BUTTON(form->garbage));
  if (fabs(threshold - form->base.garbage_collection_threshold) > 0.0051)
    params->settings.garbage_collection_threshold = threshold;
  return read_split(form, &params->settings, out_message) &&
         read_divisions(form, &params->settings, out_message) &&
         read_device(form, &params->limit, out_message);
}

/* ---- states -------------------------------------------------------------------------------- */

/* Model, device, growing segments, split limit, divisions, garbage collection; then what no control
 * shows: limit and its text, settings and divisions as they were filled in. */
#define N_CONTROLS 6

GVariant *
tn_what_if_form_get_state(TnWhatIfForm *form)
{
  GVariant *base =
      g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, &form->base, sizeof form->base, 1);
  GVariant *by_size =
      g_variant_new_fixed_array(G_VARIANT_TYPE_BYTE, form->by_size, sizeof form->by_size, 1);
  return g_variant_new("(usbsud(xs@ay@ay))", gtk_drop_down_get_selected(GTK_DROP_DOWN(form->model)),
                       gtk_editable_get_text(GTK_EDITABLE(form->device)),
                       gtk_switch_get_active(GTK_SWITCH(form->expandable)),
                       gtk_editable_get_text(GTK_EDITABLE(form->split)),
                       gtk_drop_down_get_selected(GTK_DROP_DOWN(form->divisions)),
                       gtk_spin_button_get_value(GTK_SPIN_BUTTON(form->garbage)), form->limit,
                       form->limit_text, base, by_size);
}

static void
set_bytes(GVariant *bytes, void *out, gsize size)
{
  gsize n;
  const void *data = g_variant_get_fixed_array(bytes, &n, 1);
  if (n == size)
    memcpy(out, data, size);
}

void
tn_what_if_form_set_state(TnWhatIfForm *form, GVariant *state)
{
  g_autoptr(GVariant) base = NULL;
  g_autoptr(GVariant) by_size = NULL;
  const char *device, *split, *limit_text;
  guint model, divisions;
  gboolean is_expandable;
  double garbage;
  g_variant_get(state, "(u&sb&sud(x&s@ay@ay))", &model, &device, &is_expandable, &split, &divisions,
                &garbage, &form->limit, &limit_text, &base, &by_size);
  form->is_filling = true;
  set_bytes(base, &form->base, sizeof form->base);
  set_bytes(by_size, form->by_size, sizeof form->by_size);
  g_free(form->limit_text);
  form->limit_text = g_strdup(limit_text);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(form->model), model);
  gtk_editable_set_text(GTK_EDITABLE(form->device), device);
  gtk_switch_set_active(GTK_SWITCH(form->expandable), is_expandable);
  gtk_editable_set_text(GTK_EDITABLE(form->split), split);
  gtk_drop_down_set_selected(GTK_DROP_DOWN(form->divisions), divisions);
  gtk_spin_button_set_value(GTK_SPIN_BUTTON(form->garbage), garbage);
  form->is_filling = false;
  on_changed(form);
}

const char *
tn_what_if_form_name_change(GVariant *from, GVariant *to)
{
  static const char *const names[N_CONTROLS] = {
      "Change Allocator",   "Change Device Memory",  "Change Growing Segments",
      "Change Split Limit", "Change Size Divisions", "Change Garbage Collection"};
  const char *name = NULL;
  for (gsize i = 0; i < N_CONTROLS; i++) {
    g_autoptr(GVariant) before = g_variant_get_child_value(from, i);
    g_autoptr(GVariant) after = g_variant_get_child_value(to, i);
    if (!g_variant_equal(before, after))
      name = name ? "Fill In Settings" : names[i];
  }
  return name ? name : "Fill In Settings";
}

/* ---- making -------------------------------------------------------------------------------- */

static GtkWidget *
make_drop(GtkStringList *names)
{
  GtkWidget *drop = gtk_drop_down_new(G_LIST_MODEL(names), NULL);
  gtk_widget_set_hexpand(drop, TRUE);
  return drop;
}

/* Settings are taken back one by one; an entry's own history would go on to before what the file
 * filled in, and swallow the keys. */
static void
leave_undo_to_window(GtkWidget *entry)
{
  GtkEventController *keys = gtk_shortcut_controller_new();
  gtk_event_controller_set_propagation_phase(keys, GTK_PHASE_CAPTURE);
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Control>z"),
                       gtk_named_action_new("win.undo")));
  gtk_shortcut_controller_add_shortcut(
      GTK_SHORTCUT_CONTROLLER(keys),
      gtk_shortcut_new(gtk_shortcut_trigger_parse_string("<Control><Shift>z"),
                       gtk_named_action_new("win.redo")));
  gtk_widget_add_controller(entry, keys);
  gtk_editable_set_enable_undo(GTK_EDITABLE(entry), FALSE);
}

static GtkWidget *
make_entry(const char *placeholder)
{
  GtkWidget *entry = gtk_entry_new();
  gtk_entry_set_placeholder_text(GTK_ENTRY(entry), placeholder);
  gtk_editable_set_width_chars(GTK_EDITABLE(entry), 8);
  leave_undo_to_window(entry);
  gtk_entry_set_input_purpose(GTK_ENTRY(entry), GTK_INPUT_PURPOSE_NUMBER);
  return entry;
}

static void
attach(TnWhatIfForm *form, int row, const char *text, GtkWidget *widget, const char *signal)
{
  GtkWidget *label = gtk_label_new(text);
  gtk_label_set_xalign(GTK_LABEL(label), 0.0f);
  gtk_widget_add_css_class(label, "caption");
  if (GTK_IS_DROP_DOWN(widget))
    tn_view_name_drop_down(widget, text);
  else
    gtk_accessible_update_property(GTK_ACCESSIBLE(widget), GTK_ACCESSIBLE_PROPERTY_LABEL, text, -1);
  gtk_grid_attach(GTK_GRID(form), label, 0, row, 1, 1);
  gtk_grid_attach(GTK_GRID(form), widget, 1, row, 1, 1);
  g_signal_connect_swapped(widget, signal, G_CALLBACK(on_changed), form);
}

static void
finalize(GObject *object)
{
  g_free(TN_WHAT_IF_FORM(object)->limit_text);
  G_OBJECT_CLASS(tn_what_if_form_parent_class)->finalize(object);
}

static void
tn_what_if_form_class_init(TnWhatIfFormClass *class)
{
  G_OBJECT_CLASS(class)->finalize = finalize;
  changed_signal = g_signal_new("changed", G_TYPE_FROM_CLASS(class), G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 0);
}

static void
tn_what_if_form_init(TnWhatIfForm *form)
{
  GtkStringList *models = gtk_string_list_new(NULL);
  for (guint i = 0; tn_allocator_models()[i]; i++)
    gtk_string_list_append(models, tn_allocator_models()[i]->name);
  form->limit_text = g_strdup("");
  form->divisions_names = gtk_string_list_new(NULL);
  gtk_string_list_append(form->divisions_names, _(divisions_texts[0]));
  for (guint i = 1; i < N_DIVISIONS; i++)
    gtk_string_list_append(form->divisions_names, divisions_texts[i]);
  form->model = make_drop(models);
  form->divisions = make_drop(form->divisions_names);
  form->split = make_entry(_("unlimited"));
  form->device = make_entry(_("no limit"));
  form->expandable = gtk_switch_new();
  gtk_widget_set_halign(form->expandable, GTK_ALIGN_START);
  form->garbage = gtk_spin_button_new_with_range(0.0, 0.99, 0.05);
  gtk_editable_set_width_chars(GTK_EDITABLE(form->garbage), 4);
  leave_undo_to_window(form->garbage);
  gtk_grid_set_row_spacing(GTK_GRID(form), 4);
  gtk_grid_set_column_spacing(GTK_GRID(form), 8);
  attach(form, 0, _("Allocator"), form->model, "notify::selected");
  attach(form, 1, _("Device memory, MiB"), form->device, "changed");
  attach(form, 2, "expandable_segments", form->expandable, "notify::active");
  attach(form, 3, "max_split_size_mb", form->split, "changed");
  attach(form, 4, "roundup_power2_divisions", form->divisions, "notify::selected");
  attach(form, 5, "garbage_collection_threshold", form->garbage, "value-changed");
}

GtkWidget *
tn_what_if_form_new(void)
{
  return g_object_new(TN_TYPE_WHAT_IF_FORM, NULL);
}
