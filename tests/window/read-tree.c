/* SPDX-License-Identifier: MIT */
/* read-tree: the accessibility tree of all programs as a screen reader gets it, over
 * AT-SPI's bus, as JSON:
 *   {"role": "push button", "name": …, "description": …, "states": [1, 11], "rect": [x, y, w, h],
 *    "children": […]}
 * States are AT-SPI's numbers; of a table at most MOST rows are read. */
#include <gio/gio.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12, DEEPEST = 60 };

static GDBusConnection *bus;

static GVariant *
call(const char *name, const char *path, const char *interface, const char *method,
     GVariant *arguments, const char *reply)
{
  return g_dbus_connection_call_sync(bus, name, path, interface, method, arguments,
                                     G_VARIANT_TYPE(reply), G_DBUS_CALL_FLAGS_NONE, 3000, NULL, NULL);
}

static GVariant *
ask(const char *name, const char *path, const char *method, const char *reply)
{
  return call(name, path, "org.a11y.atspi.Accessible", method, NULL, reply);
}

static void
print_string(const char *key, const char *text)
{
  printf("\"%s\": \"", key);
  for (; *text; text++)
    if (*text == '"' || *text == '\\')
      printf("\\%c", *text);
    else if ((unsigned char)*text < 0x20)
      printf("\\u%04x", *text);
    else
      putchar(*text);
  printf("\"");
}

static void
print_property(const char *name, const char *path, const char *key, const char *property)
{
  g_autoptr(GVariant) reply =
      call(name, path, "org.freedesktop.DBus.Properties", "Get",
           g_variant_new("(ss)", "org.a11y.atspi.Accessible", property), "(v)");
  g_autoptr(GVariant) value = NULL;
  if (reply)
    g_variant_get(reply, "(v)", &value);
  bool is_text = value && g_variant_is_of_type(value, G_VARIANT_TYPE_STRING);
  print_string(key, is_text ? g_variant_get_string(value, NULL) : "");
}

static void
print_states(const char *name, const char *path)
{
  g_autoptr(GVariant) reply = ask(name, path, "GetState", "(au)");
  g_autoptr(GVariantIter) words = NULL;
  guint32 word;
  bool is_first = true;
  printf("\"states\": [");
  if (reply)
    g_variant_get(reply, "(au)", &words);
  for (int base = 0; words && g_variant_iter_next(words, "u", &word); base += 32)
    for (int bit = 0; bit < 32; bit++)
      if (word & (1u << bit)) {
        printf("%s%d", is_first ? "" : ", ", base + bit);
        is_first = false;
      }
  printf("]");
}

static bool
get_rect(const char *name, const char *path, int rect[4])
{
  g_autoptr(GVariant) reply = call(name, path, "org.a11y.atspi.Component", "GetExtents",
                                   g_variant_new("(u)", 1u), "((iiii))");
  if (reply)
    g_variant_get(reply, "((iiii))", &rect[0], &rect[1], &rect[2], &rect[3]);
  return rect[2] > 0 && rect[3] > 0;
}

static void print_object(const char *name, const char *path, int depth);

/* Those that take room: GTK 4.8 says of hidden ones that they are visible too. */
static void
print_children(const char *name, const char *path, int depth, int most)
{
  g_autoptr(GVariant) reply = ask(name, path, "GetChildren", "(a(so))");
  g_autoptr(GVariantIter) children = NULL;
  const char *child_name, *child_path;
  int n = 0, rect[4] = {0};
  if (reply)
    g_variant_get(reply, "(a(so))", &children);
  while (children && n < most && g_variant_iter_next(children, "(&s&o)", &child_name, &child_path))
    if (depth < 2 || get_rect(child_name, child_path, rect)) {
      printf("%s", n++ ? ", " : "");
      print_object(child_name, child_path, depth + 1);
    }
}

static void
print_object(const char *name, const char *path, int depth)
{
  g_autoptr(GVariant) role = ask(name, path, "GetRoleName", "(s)");
  int rect[4] = {0};
  const char *what = "";
  if (role)
    g_variant_get(role, "(&s)", &what);
  get_rect(name, path, rect);
  printf("\n{");
  print_string("role", what);
  printf(", ");
  print_property(name, path, "name", "Name");
  printf(", ");
  print_property(name, path, "description", "Description");
  printf(", ");
  print_states(name, path);
  printf(", \"rect\": [%d, %d, %d, %d], \"children\": [", rect[0], rect[1], rect[2], rect[3]);
  if (depth < DEEPEST)
    print_children(name, path, depth, g_str_equal(what, "list") ? MOST : MOST * MOST);
  printf("]}");
}

/* The accessibility bus has an address of its own. */
static GDBusConnection *
connect_to_bus(GError **error)
{
  const char *address;
  g_autoptr(GDBusConnection) session = g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, error);
  if (!session)
    return NULL;
  g_autoptr(GVariant) reply = g_dbus_connection_call_sync(
      session, "org.a11y.Bus", "/org/a11y/bus", "org.a11y.Bus", "GetAddress", NULL,
      G_VARIANT_TYPE("(s)"), G_DBUS_CALL_FLAGS_NONE, 5000, NULL, error);
  if (!reply)
    return NULL;
  g_variant_get(reply, "(&s)", &address);
  return g_dbus_connection_new_for_address_sync(
      address,
      G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
      NULL, NULL, error);
}

int
main(void)
{
  g_autoptr(GError) error = NULL;
  bus = connect_to_bus(&error);
  if (!bus) {
    fprintf(stderr, "read-tree: %s\n", error->message);
    return 77;
  }
  print_object("org.a11y.atspi.Registry", "/org/a11y/atspi/accessible/root", 0);
  printf("\n");
  return 0;
}
