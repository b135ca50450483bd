/* SPDX-License-Identifier: MIT */
/**
 * @file package.h
 * What the manifest of a model package says. Paths are UTF-8 on every system.
 */
#ifndef ORTCFFI_PACKAGE_H_
#define ORTCFFI_PACKAGE_H_

#include "model_package/json.h"
#include "object/list.h"
#include "object/object.h"
#include "platform/platform.h"

/** Strings without a comment belong to a document of the package. */
struct core_variant {
  const char* name;
  /** NULL where the manifest does not say it, as the next two. */
  const char* ep;
  const char* device;
  const char* compatibility;
  /** Allocated; "" where the variant has no folder. */
  char* folder;
};

struct core_component {
  const char* name;
  struct core_variant* variants;
  /** Those of the variants once more, as ModelPackage_GetVariantNames answers them. */
  const char** names;
  size_t count;
};

struct OrtModelPackageContext {
  struct core_object object;
  /** The folder: absolute, without links. Allocated, as the lists are. */
  char* root;
  /** Each is a struct core_json; the first is the manifest. */
  struct core_list documents;
  /** The sizes of their texts together: many components may be in one large file. At most
   * CORE_JSON_BYTES. */
  size_t bytes;
  /** Whether the manifest has a later format than 1.0. */
  bool is_later;
  struct core_component* components;
  const char** names;
  size_t count;
  /** What ModelPackage_ResolveStringRef answered last; NULL before. */
  char* resolved;
};

/** Reads a package into a zeroed context, which is ended with core_drop also after a failure. */
OrtStatus* core_package_read(struct OrtModelPackageContext* package, const char* root);

/** A path that has been made absolute. */
struct core_resolved {
  char path[CORE_PATH_ROOM];
  enum core_file kind;
};

/**
 * Makes a path absolute and follows its links.
 * @param[in] root The folder that it must not leave: absolute, without links.
 * @param[in] base The folder that it begins at.
 * @param[in] input The path.
 * @param[out] out The answer; undefined after a failure. Its kind is CORE_NO_FILE where nothing is
 *     there.
 * @return NULL, or what is wrong: a constant, to be read after the path.
 */
const char* core_package_resolve(const char* root, const char* base, const char* input,
                                 struct core_resolved* out);

/** The same for what may be the URI of a shared asset instead, or a path below one. */
const char* core_package_resolve_reference(const struct OrtModelPackageContext* package,
                                           const char* base, const char* input,
                                           struct core_resolved* out);

/**
 * Chooses the variant that fits best the provider that options have first, or else the CPU's.
 * @param[in] component Whose.
 * @param[in] options The options.
 * @param[out] ep Name of that provider; of the options.
 * @return The first of the best ones; NULL if none fits.
 */
const struct core_variant* core_package_choose(const struct core_component* component,
                                               const OrtSessionOptions* options, const char** ep);

/** Whether a text is the URI of an asset: "sha256:" and 64 digits. */
bool core_package_is_uri(const char* text);

#endif /* ORTCFFI_PACKAGE_H_ */
