/* SPDX-License-Identifier: MIT */
/* The manifest of a package, and the files that it refers to. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model_package/package.h"
#include "object/keyed_list.h"

#define FUNCTION "CreateModelPackageContext"
#define FAILED(before, name, after) core_status(ORT_FAIL, FUNCTION ": " before, name, after)
#define NO_MEMORY(size) core_no_memory(FUNCTION, size)

typedef const struct core_json_value* value_ptr;

/* Where the parts of a component come from. */
struct source {
  struct OrtModelPackageContext* package;
  const struct core_json* json;
  /* The folder that its paths begin at. */
  const char* base;
};

static void* zeroed(size_t size) {
  void* block = heap_alloc(size);
  return block == NULL ? NULL : memset(block, 0, size);
}

/* --- documents ------------------------------------------------------------------------------- */

static OrtStatus* parse(const char* path, const char* bytes, size_t size, struct core_json* json) {
  char after[128];
  size_t at;
  const char* wrong = core_json_read(bytes, size, json, &at);
  if (wrong == NULL) {
    return NULL;
  }
  if (wrong == core_json_no_memory) {
    return NO_MEMORY(size);
  }
  snprintf(after, sizeof after, "' at byte %zu: %s", at, wrong);
  return FAILED("'", path, after);
}

/* Reads a file whose path was resolved; the package keeps what it says. */
static OrtStatus* read_document(struct OrtModelPackageContext* package, const char* path,
                                const struct core_json** out) {
  struct core_json* json = zeroed(sizeof *json);
  char* bytes = heap_alloc(CORE_JSON_BYTES + 1);
  if (json == NULL || bytes == NULL || !core_list_add(&package->documents, json)) {
    heap_free(json);
    heap_free(bytes);
    return NO_MEMORY(CORE_JSON_BYTES + 1);
  }
  size_t size = core_read_file(path, bytes, CORE_JSON_BYTES + 1);
  OrtStatus* status;
  if (size == SIZE_MAX) {
    status = FAILED("'", path, "' cannot be read");
  } else if (size <= CORE_JSON_BYTES && size > CORE_JSON_BYTES - package->bytes) {
    status = FAILED("with '", path, "' the files of the package are too long");
  } else {
    status = parse(path, bytes, size, json);
    package->bytes += size;
  }
  heap_free(bytes);
  *out = json;
  return status;
}

/* Resolves a path to a file that is read, or to a folder. */
static OrtStatus* resolve_path(const struct source* in, const char* base, const char* path,
                               struct core_resolved* out) {
  const char* wrong = core_package_resolve(in->package->root, base, path, out);
  if (wrong != NULL) {
    return FAILED("'", path, wrong);
  }
  return out->kind == CORE_REGULAR_FILE || out->kind == CORE_FOLDER
             ? NULL
             : FAILED("'", path, "' is neither a file nor a folder");
}

/* --- fields ---------------------------------------------------------------------------------- */

/* Whether a name is one of those, which end with NULL. */
static bool is_among(const char* const* names, const char* name) {
  while (*names != NULL && strcmp(*names, name) != 0) {
    names++;
  }
  return *names != NULL;
}

/* Refuses members with other names than those, which end with NULL. A later format may have more,
 * which its readers may ignore. */
static OrtStatus* check_names(const struct source* in, value_ptr object, const char* const* known) {
  value_ptr field = in->package->is_later ? NULL : core_json_first(in->json, object);
  for (; field != NULL; field = core_json_next(in->json, field)) {
    if (!is_among(known, field->name)) {
      return FAILED("the field '", field->name, "' is unknown");
    }
  }
  return NULL;
}

/* A field that is a string; NULL where it is not there. */
static OrtStatus* get_text(const struct core_json* json, value_ptr object, const char* name,
                           const char** out) {
  value_ptr field = core_json_member(json, object, name);
  if (field != NULL && field->type != CORE_JSON_STRING) {
    return FAILED("'", name, "' must be a string");
  }
  *out = field == NULL ? NULL : field->text;
  return NULL;
}

/* A field that is an object; NULL where it is not there. */
static OrtStatus* get_object(const struct core_json* json, value_ptr object, const char* name,
                             value_ptr* out) {
  *out = core_json_member(json, object, name);
  return *out == NULL || (*out)->type == CORE_JSON_OBJECT
             ? NULL
             : FAILED("'", name, "' must be an object");
}

/* --- what a variant says to its executors ---------------------------------------------------- */

static OrtStatus* check_strings(const struct core_json* json, value_ptr settings,
                                const char* name) {
  value_ptr entries;
  CORE_TRY(get_object(json, settings, name, &entries));
  for (value_ptr entry = entries == NULL ? NULL : core_json_first(json, entries); entry != NULL;
       entry = core_json_next(json, entry)) {
    if (entry->type != CORE_JSON_STRING) {
      return FAILED("the entries of '", name, "' must be strings");
    }
  }
  return NULL;
}

static OrtStatus* check_reference(const struct source* in, const char* folder,
                                  const char* reference) {
  struct core_resolved found;
  const char* wrong = core_package_resolve_reference(in->package, folder, reference, &found);
  return wrong == NULL ? NULL : FAILED("'", reference, wrong);
}

/* A package may not have a session write files, nor read those outside of it. */
static OrtStatus* check_session_options(const struct source* in, const char* folder,
                                        const struct core_json* json, value_ptr settings) {
  static const char* const written[] = {
      "session.enable_profiling", "session.optimized_model_filepath",
      "session.collect_node_memory_stats_to_file", "session.debug_layout_transformation", NULL};
  static const char* const paths[] = {"ep.context_file_path", "ep.context_source_model_path",
                                      "session.model_external_initializers_file_folder_path", NULL};
  CORE_TRY(check_strings(json, settings, "session_options"));
  value_ptr entries = core_json_member(json, settings, "session_options");
  for (value_ptr entry = entries == NULL ? NULL : core_json_first(json, entries); entry != NULL;
       entry = core_json_next(json, entry)) {
    if (is_among(written, entry->name)) {
      return FAILED("a package must not set '", entry->name, "'");
    }
    if (entry->text[0] != 0 && is_among(paths, entry->name)) {
      CORE_TRY(check_reference(in, folder, entry->text));
    }
  }
  return NULL;
}

static OrtStatus* check_ort(const struct source* in, const char* folder,
                            const struct core_json* json, value_ptr settings) {
  const char* model = NULL;
  if (settings->type != CORE_JSON_OBJECT) {
    return FAILED("'", "ort", "' must be an object");
  }
  CORE_TRY(get_text(json, settings, "model_file", &model));
  if (model != NULL) {
    CORE_TRY(check_reference(in, folder, model));
  }
  CORE_TRY(check_session_options(in, folder, json, settings));
  return check_strings(json, settings, "provider_options");
}

static OrtStatus* read_executor(const struct source* in, const struct core_variant* variant,
                                value_ptr info) {
  const struct core_json* json = in->json;
  value_ptr settings = info;
  if (info->type == CORE_JSON_STRING) {
    struct core_resolved file;
    if (variant->folder[0] == 0) {
      return FAILED("'", info->text, "' is a file of a variant that has no folder");
    }
    CORE_TRY(resolve_path(in, variant->folder, info->text, &file));
    CORE_TRY(read_document(in->package, file.path, &json));
    settings = json->values;
  } else if (info->type != CORE_JSON_OBJECT) {
    return FAILED("the executor_info of '", info->name, "' must be a string or an object");
  }
  if (strcmp(info->name, "ort") != 0) {
    return NULL;
  }
  return check_ort(in, variant->folder[0] == 0 ? in->base : variant->folder, json, settings);
}

/* --- variants and components ----------------------------------------------------------------- */

/* The folder is the one that is named, or else what has the variant's name, if that is there. */
static OrtStatus* find_folder(const struct source* in, const char* named,
                              struct core_variant* variant) {
  struct core_resolved found = {.path = ""};
  if (named != NULL) {
    CORE_TRY(resolve_path(in, in->base, named, &found));
  } else {
    const char* wrong = core_package_resolve(in->package->root, in->base, variant->name, &found);
    if (wrong != NULL) {
      return FAILED("the variant '", variant->name, wrong);
    }
    if (found.kind != CORE_FOLDER && found.kind != CORE_REGULAR_FILE) {
      found.path[0] = 0;
    }
  }
  return core_copy_text(FUNCTION, found.path, &variant->folder);
}

static OrtStatus* read_variant(const struct source* in, value_ptr value,
                               struct core_variant* variant) {
  static const char* const known[] = {"ep",
                                      "device",
                                      "compatibility_string",
                                      "variant_directory",
                                      "executor_info",
                                      "additional_metadata",
                                      NULL};
  const char* folder = NULL;
  value_ptr executors;
  variant->name = value->name;
  if (value->type != CORE_JSON_OBJECT) {
    return FAILED("the variant '", value->name, "' must be an object");
  }
  CORE_TRY(check_names(in, value, known));
  CORE_TRY(get_text(in->json, value, "ep", &variant->ep));
  CORE_TRY(get_text(in->json, value, "device", &variant->device));
  CORE_TRY(get_text(in->json, value, "compatibility_string", &variant->compatibility));
  CORE_TRY(get_text(in->json, value, "variant_directory", &folder));
  CORE_TRY(find_folder(in, folder, variant));
  CORE_TRY(get_object(in->json, value, "executor_info", &executors));
  for (value_ptr info = executors == NULL ? NULL : core_json_first(in->json, executors);
       info != NULL; info = core_json_next(in->json, info)) {
    CORE_TRY(read_executor(in, variant, info));
  }
  return NULL;
}

static size_t count_parts(const struct core_json* json, value_ptr value) {
  size_t count = 0;
  for (value_ptr part = core_json_first(json, value); part != NULL;
       part = core_json_next(json, part)) {
    count++;
  }
  return count;
}

static OrtStatus* read_variants(const struct source* in, value_ptr value,
                                struct core_component* component) {
  static const char* const known[] = {"component_name", "variants", "additional_metadata", NULL};
  value_ptr variants;
  const char* ignored;
  if (value->type != CORE_JSON_OBJECT) {
    return FAILED("the component '", component->name, "' must be an object");
  }
  CORE_TRY(check_names(in, value, known));
  CORE_TRY(get_text(in->json, value, "component_name", &ignored));
  CORE_TRY(get_object(in->json, value, "variants", &variants));
  if (variants == NULL) {
    return FAILED("the component '", component->name, "' has no 'variants'");
  }
  size_t count = count_parts(in->json, variants);
  component->variants = zeroed((count + 1) * sizeof *component->variants);
  component->names = zeroed((count + 1) * sizeof *component->names);
  if (component->variants == NULL || component->names == NULL) {
    return NO_MEMORY((count + 1) * sizeof *component->variants);
  }
  for (value_ptr each = core_json_first(in->json, variants); each != NULL;
       each = core_json_next(in->json, each)) {
    component->names[component->count] = each->name;
    CORE_TRY(read_variant(in, each, &component->variants[component->count++]));
  }
  return NULL;
}

/* A component in a file of its own, or in component.json of a folder, where its paths begin. */
static OrtStatus* read_elsewhere(const struct source* in, const char* path,
                                 struct core_component* component) {
  struct core_resolved file, folder;
  struct source there = *in;
  CORE_TRY(resolve_path(in, in->base, path, &folder));
  file = folder;
  if (folder.kind == CORE_FOLDER) {
    CORE_TRY(resolve_path(in, folder.path, "component.json", &file));
  } else {
    char* name = folder.path + strlen(folder.path);
    while (!CORE_IS_SEPARATOR(name[-1])) {
      name--;
    }
    name[-1] = 0;
  }
  there.base = folder.path;
  CORE_TRY(read_document(in->package, file.path, &there.json));
  return read_variants(&there, there.json->values, component);
}

static OrtStatus* read_component(const struct source* in, value_ptr value,
                                 struct core_component* component) {
  component->name = value->name;
  switch (value->type) {
    case CORE_JSON_STRING:
      return read_elsewhere(in, value->text, component);
    case CORE_JSON_OBJECT:
      return read_variants(in, value, component);
    default:
      return FAILED("the component '", value->name, "' must be a path or an object");
  }
}

/* --- the manifest ---------------------------------------------------------------------------- */

/* "1", "1.7" or 1. `is_later` is whether it is later than 1.0. */
static bool is_first_version(value_ptr version, bool* is_later) {
  *is_later = false;
  if (version->type == CORE_JSON_INTEGER) {
    return version->integer == 1;
  }
  if (version->type != CORE_JSON_STRING) {
    return false;
  }
  const char* text = version->text + strspn(version->text, "0");
  if (*text++ != '1') {
    return false;
  }
  size_t minor = text[0] == '.' ? strspn(text + 1, "0123456789") : 0;
  *is_later = minor > strspn(text + (minor > 0), "0");
  return text[0] == 0 || (minor > 0 && text[1 + minor] == 0);
}

static OrtStatus* check_assets(const struct source* in, value_ptr manifest) {
  value_ptr assets;
  struct core_resolved ignored;
  CORE_TRY(get_object(in->json, manifest, "shared_assets", &assets));
  for (value_ptr asset = assets == NULL ? NULL : core_json_first(in->json, assets); asset != NULL;
       asset = core_json_next(in->json, asset)) {
    if (!core_package_is_uri(asset->name)) {
      return FAILED("the asset '", asset->name, "' must be named sha256: and 64 digits");
    }
    if (asset->type != CORE_JSON_STRING) {
      return FAILED("the asset '", asset->name, "' must be a path");
    }
    const char* wrong = core_package_resolve(in->package->root, in->base, asset->text, &ignored);
    if (wrong != NULL) {
      return FAILED("'", asset->text, wrong);
    }
  }
  return NULL;
}

static OrtStatus* check_manifest(const struct source* in, value_ptr manifest) {
  static const char* const known[] = {
      "schema_version", "package_name",  "package_version",     "description", "layout",
      "components",     "shared_assets", "additional_metadata", NULL};
  static const char* const texts[] = {"package_name", "package_version", "description", "layout"};
  const char* text = NULL;
  if (manifest->type != CORE_JSON_OBJECT) {
    return FAILED("", "manifest.json", " must be an object");
  }
  value_ptr version = core_json_member(in->json, manifest, "schema_version");
  if (version == NULL || !is_first_version(version, &in->package->is_later)) {
    return FAILED("'", "schema_version", "' must be \"1\" or \"1.\" and a number");
  }
  CORE_TRY(check_names(in, manifest, known));
  for (size_t i = 0; i < CORE_COUNT_OF(texts); i++) {
    CORE_TRY(get_text(in->json, manifest, texts[i], &text));
  }
  if (text != NULL && strcmp(text, "portable") != 0 && strcmp(text, "installed") != 0) {
    return FAILED("'", "layout", "' must be \"portable\" or \"installed\"");
  }
  return check_assets(in, manifest);
}

static OrtStatus* read_components(const struct source* in, value_ptr manifest) {
  struct OrtModelPackageContext* package = in->package;
  value_ptr components;
  CORE_TRY(get_object(in->json, manifest, "components", &components));
  if (components == NULL) {
    return FAILED("", "manifest.json", " has no 'components'");
  }
  size_t count = count_parts(in->json, components);
  package->components = zeroed((count + 1) * sizeof *package->components);
  package->names = zeroed((count + 1) * sizeof *package->names);
  if (package->components == NULL || package->names == NULL) {
    return NO_MEMORY((count + 1) * sizeof *package->components);
  }
  for (value_ptr each = core_json_first(in->json, components); each != NULL;
       each = core_json_next(in->json, each)) {
    package->names[package->count] = each->name;
    CORE_TRY(read_component(in, each, &package->components[package->count++]));
  }
  return NULL;
}

OrtStatus* core_package_read(struct OrtModelPackageContext* package, const char* root) {
  struct source in = {.package = package};
  struct core_resolved manifest;
  char real[CORE_PATH_ROOM];
  if (core_find_file(root, real) != CORE_FOLDER) {
    return FAILED("'", root, "' is not a folder");
  }
  CORE_TRY(core_copy_text(FUNCTION, real, &package->root));
  in.base = package->root;
  CORE_TRY(resolve_path(&in, package->root, "manifest.json", &manifest));
  CORE_TRY(read_document(package, manifest.path, &in.json));
  CORE_TRY(check_manifest(&in, in.json->values));
  return read_components(&in, in.json->values);
}
