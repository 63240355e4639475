/* SPDX-License-Identifier: MIT */
#pragma once

#include "app/window/maps.h"

/* Mouse, wheel, touchpad and keys of the maps. */
void tn_maps_add_controllers(TnMaps *maps);
