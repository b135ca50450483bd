/* SPDX-License-Identifier: MIT */
/* Paths and asset URIs of a package. */
#include <stdio.h>
#include <string.h>

#include "model_package/package.h"

#define SCHEME "sha256:"
#define URI_LENGTH (sizeof SCHEME - 1 + 64)

/* Appends a relative path without its empty parts and its "."; false where there is no room. */
static bool append(char* path, const char* relative) {
  size_t length = strlen(path);
  while (length > 0 && CORE_IS_SEPARATOR(path[length - 1])) {
    length--;
  }
  for (const char* part = relative; *part != 0;) {
    size_t size = 0;
    while (part[size] != 0 && !CORE_IS_SEPARATOR(part[size])) {
      size++;
    }
    if (size > 1 || (size == 1 && part[0] != '.')) {
      if (length + 1 + size >= CORE_PATH_ROOM) {
        return false;
      }
      path[length] = CORE_SEPARATOR;
      memcpy(path + length + 1, part, size);
      length += 1 + size;
    }
    part += size + (part[size] != 0);
  }
  path[length] = 0;
  return true;
}

/* Finds the longest beginning of `whole` that exists, and what follows it. */
static enum core_file find_beginning(const char* whole, char real[CORE_PATH_ROOM],
                                     const char** rest) {
  char beginning[CORE_PATH_ROOM];
  size_t length = strlen(whole);
  memcpy(beginning, whole, length + 1);
  enum core_file kind = core_find_file(beginning, real);
  while (kind == CORE_NO_FILE && length > 0) {
    while (length > 0 && !CORE_IS_SEPARATOR(beginning[length - 1])) {
      length--;
    }
    length -= length > 0;
    beginning[length] = 0;
    kind = core_find_file(beginning, real);
  }
  *rest = whole + length;
  return kind;
}

const char* core_package_resolve(const char* root, const char* base, const char* input,
                                 struct core_resolved* out) {
  char whole[CORE_PATH_ROOM];
  const char* rest;
  if (!core_path_is_inside(input)) {
    return "' must be a relative path without \"..\", and not empty";
  }
  if (snprintf(whole, sizeof whole, "%s", base) >= CORE_PATH_ROOM || !append(whole, input)) {
    return "' makes a path that is too long";
  }
  out->kind = find_beginning(whole, out->path, &rest);
  if (out->kind == CORE_BROKEN_LINK) {
    return "' has a link that leads nowhere";
  }
  if (out->kind == CORE_NO_FILE || !core_path_is_below(root, out->path)) {
    return "' leaves the folder of the package";
  }
  if (*rest != 0) {
    out->kind = CORE_NO_FILE;
    while (CORE_IS_SEPARATOR(*rest)) {
      rest++;
    }
    if (!core_path_is_inside(rest)) {
      return "' goes up from a folder that is missing";
    }
  }
  return append(out->path, rest) ? NULL : "' makes a path that is too long";
}

/* Whether a text begins with the URI of an asset, which nothing or a path follows. */
static bool has_uri(const char* text) {
  size_t length = sizeof SCHEME - 1;
  if (strncmp(text, SCHEME, length) != 0) {
    return false;
  }
  length += strspn(text + length, "0123456789abcdef");
  return length == URI_LENGTH && (text[length] == 0 || text[length] == '/');
}

bool core_package_is_uri(const char* text) { return has_uri(text) && text[URI_LENGTH] == 0; }

/* The folder of an asset: the one that the manifest says, or else the one with its digest. */
static const char* find_asset(const struct OrtModelPackageContext* package, const char* uri,
                              struct core_resolved* out) {
  const struct core_json* manifest = core_list_at(&package->documents, 0);
  const struct core_json_value* assets =
      core_json_member(manifest, manifest->values, "shared_assets");
  const struct core_json_value* asset =
      assets == NULL ? NULL : core_json_member(manifest, assets, uri);
  if (asset != NULL) {
    return core_package_resolve(package->root, package->root, asset->text, out);
  }
  char folder[sizeof "shared_assets/sha256-" + 64];
  snprintf(folder, sizeof folder, "shared_assets/sha256-%s", uri + sizeof SCHEME - 1);
  const char* wrong = core_package_resolve(package->root, package->root, folder, out);
  return wrong != NULL              ? wrong
         : out->kind == CORE_FOLDER ? NULL
                                    : "' is no shared asset of the package";
}

const char* core_package_resolve_reference(const struct OrtModelPackageContext* package,
                                           const char* base, const char* input,
                                           struct core_resolved* out) {
  if (!has_uri(input)) {
    return core_package_resolve(package->root, base, input, out);
  }
  char uri[URI_LENGTH + 1] = "";
  memcpy(uri, input, URI_LENGTH);
  struct core_resolved folder;
  const char* wrong = find_asset(package, uri, &folder);
  const char* below = input + URI_LENGTH + (input[URI_LENGTH] == '/');
  if (wrong == NULL && *below == 0) {
    *out = folder;
    return NULL;
  }
  return wrong != NULL ? wrong : core_package_resolve(package->root, folder.path, below, out);
}
