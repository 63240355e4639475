/* SPDX-License-Identifier: MIT */
/* window-manager: as much of one as it takes for windows to be maximised and full screen (EWMH 1.5): it maps
 * them as they ask, without a frame.  Says "ready" once it manages the display. */
#include <X11/Xatom.h>
#include <X11/Xlib.h>
#include <stdbool.h>
#include <stdio.h>

enum { REMOVE, ADD, TOGGLE }; /* of _NET_WM_STATE's message */
enum { STATE, FULL, WIDE, HIGH, SUPPORTED, CHECK, WM_STATE, N_ATOMS };

static const char *const names[N_ATOMS] = {
    "_NET_WM_STATE", "_NET_WM_STATE_FULLSCREEN", "_NET_WM_STATE_MAXIMIZED_HORZ",
    "_NET_WM_STATE_MAXIMIZED_VERT", "_NET_SUPPORTED", "_NET_SUPPORTING_WM_CHECK", "WM_STATE"};
static Atom atoms[N_ATOMS];
static Display *display;
static Window root;
enum { USUAL_WIDTH = 800, USUAL_HEIGHT = 500 }; /* of what was large from the start */
/* One window's size is known: that before it grew. */
static XWindowAttributes before;

static int
ignore(Display *where, XErrorEvent *error)
{
  return 0; /* a window may be gone before it is answered */
}

static void
set_atoms(Window window, Atom property, Atom type, const void *values, int n)
{
  XChangeProperty(display, window, property, type, 32, PropModeReplace, values, n);
}

/* Which of FULL, WIDE and HIGH a window has, as bits. */
static unsigned
read_states(Window window)
{
  Atom type;
  int format;
  unsigned long n = 0, rest;
  unsigned char *data = NULL;
  unsigned states = 0;
  XGetWindowProperty(display, window, atoms[STATE], 0, 32, False, XA_ATOM, &type, &format, &n, &rest, &data);
  for (unsigned long i = 0; data && i < n; i++)
    for (int k = FULL; k <= HIGH; k++)
      states |= ((const Atom *)data)[i] == atoms[k] ? 1u << k : 0;
  if (data)
    XFree(data);
  return states;
}

/* A window with any of them takes the whole screen, one without the size it had before. */
static void
apply(Window window, unsigned states)
{
  Atom values[N_ATOMS];
  int n = 0;
  for (int k = FULL; k <= HIGH; k++)
    if (states & (1u << k))
      values[n++] = atoms[k];
  set_atoms(window, atoms[STATE], XA_ATOM, values, n);
  if (states)
    XMoveResizeWindow(display, window, 0, 0, (unsigned)DisplayWidth(display, 0),
                      (unsigned)DisplayHeight(display, 0));
  else
    XMoveResizeWindow(display, window, before.x, before.y, (unsigned)before.width, (unsigned)before.height);
}

static void
on_state(const XClientMessageEvent *message)
{
  unsigned old = read_states(message->window), wanted = 0;
  for (int k = FULL; k <= HIGH; k++)
    if ((Atom)message->data.l[1] == atoms[k] || (Atom)message->data.l[2] == atoms[k])
      wanted |= 1u << k;
  long action = message->data.l[0];
  unsigned states = action == ADD ? old | wanted : action == REMOVE ? old & ~wanted : old ^ wanted;
  if (states && !old)
    XGetWindowAttributes(display, message->window, &before);
  if (states != old)
    apply(message->window, states);
}

static void
on_map(Window window)
{
  const long normal[] = {1, None};
  unsigned states = read_states(window);
  set_atoms(window, atoms[WM_STATE], atoms[WM_STATE], normal, 2);
  XMapWindow(display, window);
  before.width = USUAL_WIDTH;
  before.height = USUAL_HEIGHT;
  if (states)
    apply(window, states);
  XSetInputFocus(display, window, RevertToPointerRoot, CurrentTime);
}

static void
on_configure(const XConfigureRequestEvent *request)
{
  XWindowChanges changes = {.x = request->x,
                            .y = request->y,
                            .width = request->width,
                            .height = request->height,
                            .sibling = request->above,
                            .stack_mode = request->detail};
  if (!read_states(request->window))
    XConfigureWindow(display, request->window, (unsigned)request->value_mask, &changes);
}

int
main(void)
{
  display = XOpenDisplay(NULL);
  if (!display)
    return 77;
  root = DefaultRootWindow(display);
  XSetErrorHandler(ignore);
  XInternAtoms(display, (char **)names, N_ATOMS, False, atoms);
  Window check = XCreateSimpleWindow(display, root, -10, -10, 1, 1, 0, 0, 0);
  set_atoms(root, atoms[SUPPORTED], XA_ATOM, atoms, N_ATOMS);
  set_atoms(root, atoms[CHECK], XA_WINDOW, &check, 1);
  set_atoms(check, atoms[CHECK], XA_WINDOW, &check, 1);
  XSelectInput(display, root, SubstructureRedirectMask | SubstructureNotifyMask);
  XSync(display, False);
  printf("ready\n");
  fflush(stdout);
  for (;;) {
    XEvent event;
    XNextEvent(display, &event);
    if (event.type == MapRequest)
      on_map(event.xmaprequest.window);
    else if (event.type == ConfigureRequest)
      on_configure(&event.xconfigurerequest);
    else if (event.type == ClientMessage && event.xclient.message_type == atoms[STATE])
      on_state(&event.xclient);
  }
}
