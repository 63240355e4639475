/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "data/account.h"

static void
clear_row(gpointer data)
{
  TnAccountRow *row = data;
  g_free(row->what);
  g_free(row->note);
}

static GArray *
new_rows(void)
{
  GArray *rows = g_array_new(FALSE, TRUE, sizeof(TnAccountRow));
  g_array_set_clear_func(rows, clear_row);
  return rows;
}

TnAccount *
tn_account_new(const char *title, uint32_t first_line)
{
  TnAccount *account = g_new0(TnAccount, 1);
  account->title = g_strdup(title);
  account->first_line = account->last_line = first_line;
  account->total = TN_BYTES_UNKNOWN;
  account->rows = new_rows();
  account->details = new_rows();
  return account;
}

void
tn_account_free(TnAccount *account)
{
  if (!account)
    return;
  g_array_unref(account->rows);
  g_array_unref(account->details);
  g_free(account->title);
  g_free(account->source);
  g_free(account->total_what);
  g_free(account->statement);
  g_free(account);
}

static void
append(GArray *rows, const char *what, tn_bytes bytes, const char *note, bool is_remainder)
{
  TnAccountRow row = {what ? g_utf8_make_valid(what, -1) : NULL, bytes, g_strdup(note), is_remainder};
  g_array_append_val(rows, row);
}

void
tn_account_add(TnAccount *account, const char *what, tn_bytes bytes, const char *note)
{
  if (bytes >= 0)
    append(account->rows, what, bytes, note, false);
}

void
tn_account_add_detail(TnAccount *account, const char *what, tn_bytes bytes, const char *note)
{
  if (bytes >= 0)
    append(account->details, what, bytes, note, false);
}

void
tn_account_set_total(TnAccount *account, tn_bytes total, const char *what)
{
  g_free(account->total_what);
  account->total = MAX(total, TN_BYTES_UNKNOWN); /* no negative size is one */
  account->total_what = g_strdup(what);
}

tn_bytes
tn_account_sum(const TnAccount *account)
{
  tn_bytes sum = 0;
  for (guint i = 0; i < account->rows->len; i++)
    if (!tn_add(sum, tn_account_row(account->rows, i)->bytes, &sum))
      return TN_BYTES_UNKNOWN;
  return sum;
}

void
tn_account_close(TnAccount *account, const char *what, const char *over, tn_bytes rounding)
{
  tn_bytes sum = tn_account_sum(account);
  if (sum == TN_BYTES_UNKNOWN)
    return;
  if (account->total == TN_BYTES_UNKNOWN) {
    account->total = account->rows->len ? sum : TN_BYTES_UNKNOWN;
    return;
  }
  tn_bytes rest;
  if (__builtin_sub_overflow(account->total, sum, &rest))
    return;
  if (rest == 0 || account->rows->len == 0)
    return;
  bool is_rounding = rest >= -rounding && rest <= rounding;
  append(account->rows,
         is_rounding ? "rounding of the report's own sizes"
         : rest < 0  ? over
                     : what,
         rest, NULL, true);
}
