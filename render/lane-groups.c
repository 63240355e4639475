/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "render/lane-groups.h"

#include "render/frame.h"

#define LEAST_HEIGHT 11.0 /* of a group whose name is written */

static double
y_of(const TnView *view, TnRect plot, uint32_t lane)
{
  return plot.y + ((double)lane - view->lane_top) * view->lane_height;
}

static void
paint_group(const TnPaint *paint, const TnView *view, TnRect plot, const TnGroup *group, double top,
            double bottom)
{
  TnTextStyle style = {.size = 10.0,
                       .color = paint->theme->secondary,
                       .align = TN_ALIGN_END,
                       .max_width = TN_FRAME_LEFT - 12.0};
  tn_paint_rect(paint, (TnRect){plot.x - 4.0, top, 3.0, bottom - top - 1.0},
                paint->theme->category[group->category]);
  if (bottom - top >= LEAST_HEIGHT)
    tn_paint_text(paint, group->name, plot.x - 8.0, top + MIN((bottom - top) / 2, 8.0), &style);
}

void
tn_draw_lane_groups(const TnPaint *paint, const TnView *view, TnRect plot)
{
  const TnLanes *lanes = view->study->lanes;
  const GArray *groups = view->study->categories->groups;
  if (!lanes->group_lane)
    return;
  for (uint32_t g = 0; g < MIN(lanes->n_groups, groups->len); g++) {
    double from = y_of(view, plot, lanes->group_lane[g]);
    double to = y_of(view, plot, lanes->group_lane[g + 1]);
    double top = MAX(from, plot.y), bottom = MIN(to, plot.y + plot.height);
    if (bottom - top < 1.0)
      continue;
    if (from > plot.y)
      tn_paint_hline(paint, plot.x - 4.0, from - 0.5, plot.width + 4.0, paint->theme->hairline);
    paint_group(paint, view, plot, &g_array_index(groups, TnGroup, g), top, bottom);
  }
}
