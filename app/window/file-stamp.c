/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "app/window/file-stamp.h"

#include <sys/stat.h>

TnFileStamp
tn_file_stamp_of(const char *path)
{
  struct stat file;
  if (stat(path, &file) != 0)
    return (TnFileStamp){0};
  return (TnFileStamp){.size = file.st_size,
                       .time_ns = file.st_mtim.tv_sec * 1000000000 + file.st_mtim.tv_nsec,
                       .device = file.st_dev,
                       .inode = file.st_ino};
}

bool
tn_file_stamp_is_same(const TnFileStamp *a, const TnFileStamp *b)
{
  return a->size == b->size && a->time_ns == b->time_ns && a->device == b->device &&
         a->inode == b->inode;
}
