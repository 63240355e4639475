/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "analysis/findings-order.h"

#include "analysis/address-table.h"
#include "data/units.h"

#define SIZE 48
#define MAIN_PART 4 /* a process's own device has that many times what it has on device 0 */

static const char *
print(char *buffer, tn_bytes bytes)
{
  return tn_print_bytes(buffer, SIZE, bytes, TN_UNITS_IEC);
}

/* How many devices beside this one have events or reports that name them. */
static const TnDevice *
other_device(const TnStudy *study)
{
  for (guint i = 0; i < study->document->devices->len; i++) {
    const TnDevice *other = tn_document_get_device(study->document, i);
    if (other != study->device && other->ordinal > 0 &&
        (other->events.n > 0 || other->marks->len > 0))
      return other;
  }
  return NULL;
}

static const char hint_device[] =
    "Set the device explicitly in every thread and process before the first allocation: what names "
    "none goes to device 0.";

/* Lines without a device.  A log whose lines all lack it is one of one device. */
static void
find_unnamed(const TnStudy *study, TnFindings *findings)
{
  const TnDevice *device = study->device, *other = other_device(study);
  bool is_report = device->events.n == 0;
  char count[SIZE];
  if (device->n_unnamed == 0 || (!other && !is_report))
    return;
  g_autofree char *named =
      other ? g_strdup_printf(", while others name device %d", other->ordinal) : g_strdup("");
  TnFinding *finding =
      tn_findings_add(findings, "device-fallback", TN_SEVERITY_NOTE,
                      "%s %s no device and count%s for device 0 (the first in line %u)%s",
                      tn_print_count(count, sizeof count, device->n_unnamed),
                      device->n_unnamed == 1 ? (is_report ? "report names" : "event names")
                                             : (is_report ? "reports name" : "events name"),
                      device->n_unnamed == 1 ? "s" : "", device->first_unnamed, named);
  finding->hint = g_strdup(hint_device);
}

static tn_bytes
sum_of_allocations(const TnDevice *device)
{
  tn_bytes sum = 0;
  for (uint32_t i = 0; i < device->events.n; i++)
    if (device->events.action[i] == TN_EVENT_ALLOC && device->events.bytes[i] > 0 &&
        !tn_add(sum, device->events.bytes[i], &sum))
      return INT64_MAX;
  return sum;
}

/* A process that works on another device, with a little on device 0, where another process works.
 */
static void
find_strayed(const TnStudy *study, TnFindings *findings)
{
  const TnDevice *device = study->device, *own = NULL, *host = NULL;
  tn_bytes here = sum_of_allocations(device);
  char little[SIZE], much[SIZE];
  if (!device->process || device->number != 0 || here == 0)
    return;
  for (guint i = 0; i < study->document->devices->len; i++) {
    const TnDevice *other = tn_document_get_device(study->document, i);
    bool has_more = other != device && sum_of_allocations(other) / MAIN_PART >= here;
    if (has_more && other->process == device->process && other->number > 0)
      own = other;
    else if (has_more && other->process && other->process != device->process && other->number == 0)
      host = other;
  }
  if (!own || !host)
    return;
  TnFinding *finding =
      tn_findings_add(findings, "device-fallback", TN_SEVERITY_NOTE,
                      "Process %" G_GINT64_FORMAT
                      " works on device %d (%s allocated in all) and has %s on device 0 "
                      "too, which is process %" G_GINT64_FORMAT "'s",
                      device->process, own->number, print(much, sum_of_allocations(own)),
                      print(little, here), host->process);
  finding->hint = g_strdup(hint_device);
  finding->bytes = here;
}

/* The addresses at which its events take memory from the device. */
static void
add_taken(const TnDevice *device, TnAddressTable *taken)
{
  for (uint32_t i = 0; i < device->events.n; i++)
    if (device->events.action[i] == TN_EVENT_SEGMENT_ALLOC ||
        device->events.action[i] == TN_EVENT_SEGMENT_MAP)
      tn_address_table_put(taken, device->events.address[i], i);
}

/* Segments that the snapshot gives to device 0, though another device's events took them: addresses
 * are one space for all devices of a process. */
static void
find_misplaced(const TnStudy *study, TnFindings *findings)
{
  const TnDevice *device = study->device, *other = other_device(study);
  tn_bytes bytes = 0;
  uint64_t first = 0;
  uint32_t n = 0;
  if (device->ordinal != 0 || !other || !other->events.n)
    return;
  TnAddressTable here, there;
  tn_address_table_init(&here);
  tn_address_table_init(&there);
  add_taken(device, &here);
  add_taken(other, &there);
  for (guint i = 0; i < device->segments->len; i++) {
    const TnSegment *segment = &g_array_index(device->segments, TnSegment, i);
    if (tn_address_table_get(&there, segment->address) == TN_NONE ||
        tn_address_table_get(&here, segment->address) != TN_NONE)
      continue;
    first = n++ ? first : segment->address;
    bytes += segment->bytes;
  }
  tn_address_table_clear(&here);
  tn_address_table_clear(&there);
  if (n == 0)
    return;
  char size[SIZE];
  TnFinding *finding = tn_findings_add(
      findings, "device-fallback", TN_SEVERITY_NOTE,
      "%u segment%s (%s) stand%s under device 0, but device %d's events took %s: the first is at "
      "0x%" G_GINT64_MODIFIER "x",
      n, n == 1 ? "" : "s", print(size, bytes), n == 1 ? "s" : "", other->ordinal,
      n == 1 ? "it" : "them", first);
  finding->hint = g_strdup(hint_device);
  finding->bytes = bytes;
}

void
tn_find_device_fallbacks(const TnStudy *study, TnFindings *findings)
{
  find_unnamed(study, findings);
  find_strayed(study, findings);
  find_misplaced(study, findings);
}
