/* rheo: fluid animation. Includes all public headers. */
#ifndef RHEO_RHEO_H
#define RHEO_RHEO_H

#include <rheo/status.h>
#include <rheo/scene.h>
#include <rheo/material.h>
#include <rheo/preflight.h>
#include <rheo/sim.h>
#include <rheo/cache.h>
#include <rheo/render.h>

#endif
