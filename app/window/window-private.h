/* SPDX-License-Identifier: MIT */
/* What the files of the window share: window.c makes it and keeps the header true, window-load.c
 * reads files into tabs, window-open.c is how a person names them, window-actions.c acts on the tab
 * in front. */
#pragma once

#include "app/window/diff-pane.h"
#include "app/window/loader.h"
#include "app/window/overview.h"
#include "app/window/page.h"
#include "app/window/window.h"

/* A file to read, and what then becomes of it. */
typedef struct {
  TnLoadRequest request;
  AdwTabPage *replaced;    /* gives its place to what is read; NULL: none */
  TnSession *compare_with; /* is compared with what is read; NULL: none */
  char *then_compare;      /* a path: what is read is compared with it, or it is at least read; NULL: none */
  bool loses_order;        /* that was chosen for a graph with edits, which are made again on the file's */
} TnWish;

struct _TnWindow {
  AdwApplicationWindow parent_instance;
  GtkWidget *title, *stack, *progress, *progress_label, *plan_button, *planner, *devices, *switcher, *view_switch, 
      *shapes_button, *shapes;
  GtkStringList *device_names;
  GArray *device_rows; /* uint32_t */
  TnSession *devices_of; /* whose devices these are; owned reference */
  AdwTabView *tabs;
  AdwToastOverlay *toasts;
  GCancellable *loading;
  TnWish *asked; /* what is being read; NULL: nothing is */
  GQueue queue; /* TnWish *: what is read next, each as a tab */
  bool is_filling_devices;
  TnUndo *undo; /* of the tab in front; NULL: none */
};

/* The tab in front: its page, its session, or (where it compares two files) its comparison; else
 * NULL. */
TnPage *tn_window_get_page(TnWindow *window);
TnSession *tn_window_get_session(TnWindow *window);
TnDiffPane *tn_window_get_diff(TnWindow *window);
TnOverview *tn_window_get_overview(TnWindow *window);
/* The tab of a session; NULL: it has been closed. */
TnPage *tn_window_find_page(TnWindow *window, TnSession *session);
/* What can be taken back in the tab in front; NULL: no tab. */
TnUndo *tn_window_get_undo(TnWindow *window);
/* A closed window may still hear of its tabs, and of what it was reading. */
bool tn_window_is_closed(const TnWindow *window);
/* Header, actions and the shown child follow the tab in front. */
void tn_window_refresh(TnWindow *window);

/* window-load.c: copies the wish. */
void tn_window_load(TnWindow *window, const TnWish *wish);
/* The window hears of what happens in its tabs, wherever they come from. */
void tn_window_follow_tabs(TnWindow *window);
/* A tab's words, and the tooltip that has them whole. */
void tn_window_name_tab(AdwTabPage *tab, const char *title);
/* A tab that compares two sessions. */
void tn_window_add_diff(TnWindow *window, TnSession *a, TnSession *b);
/* Nothing more is read after what is being read. */
void tn_window_forget_queue(TnWindow *window);
void tn_window_cancel_loading(GtkButton *button, TnWindow *window);

/* window-open.c */
void tn_window_add_open_actions(TnWindow *window);
/* Asks (taken, modal) for a file.  `chosen` hears of the tab that was in front when it was asked (NULL: none), whatever
 * is in front by now, and of nothing where the window has been closed meanwhile. */
typedef void (*TnFileChosen)(TnWindow *window, TnSession *session, GFile *file);
void tn_window_ask_file(TnWindow *window, GtkFileChooserNative *chooser, TnFileChosen chosen);
void tn_window_on_shapes(GHashTable *bindings, bool is_compared, gpointer data);
gboolean tn_window_on_drop(
    GtkDropTarget *target, const GValue *value, double x, double y, TnWindow *window);

/* edit-actions.c */
void tn_window_add_edit_actions(TnWindow *window);
/* Edits need a graph in front. */
void tn_window_refresh_edit_actions(TnWindow *window);
/* window-bars.c: how the maps of the tab in front are drawn */
void tn_window_add_bar_actions(TnWindow *window);
void tn_window_follow_bars(TnWindow *window);

/* window-buffer.c: what is done with the selected buffer */
void tn_window_add_buffer_actions(TnWindow *window);
/* Only what can be done with the selection is enabled. */
void tn_window_follow_selection(TnWindow *window);

/* window-actions.c */
/* "iec", "si" or "bytes", in all windows. */
void tn_window_set_units(TnWindow *window, const char *name);
/* Undo and redo follow the tab in front. */
void tn_window_follow_undo(TnWindow *window);
void tn_window_add_page_actions(TnWindow *window);
