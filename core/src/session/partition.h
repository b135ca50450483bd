/* SPDX-License-Identifier: MIT */
/**
 * @file partition.h
 * The work of deciding what runs each node of a session: partition.c asks the providers, groups.c
 * decides which of its claims a provider gets.
 */
#pragma once

#include "session/session.h"

/** The work on one session. Nodes are known by the names of their outputs: these stay the same when
 * the graph is copied in another layout for a provider. */
struct core_partition {
  OrtSession* session;
  /** The outputs of the nodes that a provider has taken; the number is that of the group of several
   * nodes, which counts from 1, or 0. */
  struct core_items taken;
  size_t group_count;
  /** While a provider gets its groups, by place in the graph: of the nodes that an earlier provider
   * has taken as one, each leads to the next one, and the last to the first. NULL where there are
   * no such groups. */
  const size_t* circles;
  /** The failure of the first provider that could not say what it takes; may be NULL. */
  OrtStatus* failed;
};

/** The name of a node's first output; NULL for a node without outputs, which need not run. */
const char* core_first_output(const OrtNode* node);

/** Whether a provider has taken a node, or it need not run. */
bool core_is_taken(const struct core_partition* partition, const OrtNode* node);

/** Takes for a provider the nodes of its groups that are still free. If one group is not convex,
 * the provider gets none. */
OrtStatus* core_choose_groups(struct core_partition* partition, OrtcoreClaims* claims,
                              const struct core_ep* ep);
