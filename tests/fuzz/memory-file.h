/* SPDX-License-Identifier: MIT */
/* A file that never touches the disk, for what reads by name. */
#pragma once

#include <glib.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

/* Fills the one memory file; its name is the same each time and is borrowed. */
static inline const char *
tn_memory_file(const void *data, gsize size)
{
  static int fd = -1;
  static char name[32];
  if (fd < 0) {
    fd = memfd_create("fuzz", MFD_CLOEXEC);
    g_assert_cmpint(fd, >=, 0);
    g_snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
  }
  g_assert_cmpint(ftruncate(fd, 0), ==, 0);
  g_assert_cmpint(pwrite(fd, data, size, 0), ==, (ssize_t)size);
  return name;
}
