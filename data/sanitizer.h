/* SPDX-License-Identifier: MIT */
/* Whether a sanitizer is built in, which has a malloc() and memory of its own. */
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TN_HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define TN_HAS_SANITIZER 1
#endif
#endif
#ifndef TN_HAS_SANITIZER
#define TN_HAS_SANITIZER 0
#endif
