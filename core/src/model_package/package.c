/* SPDX-License-Identifier: MIT */
/* The slots of OrtModelPackageApi. */
#include "model_package/package.h"

#include <stdio.h>
#include <string.h>

#include "object/keyed_list.h"

struct OrtModelPackageOptions {
  struct core_object object;
  /** A copy. */
  OrtSessionOptions* session_options;
};

struct OrtModelPackageComponentContext {
  struct core_object object;
  /** Keeps the variant alive. */
  OrtModelPackageContext* package;
  const struct core_variant* variant;
  ORTCHAR_T* folder;
};

static void end_package(void* block) {
  struct OrtModelPackageContext* package = block;
  for (size_t i = 0; i < package->count; i++) {
    struct core_component* component = &package->components[i];
    for (size_t j = 0; j < component->count; j++) {
      heap_free(component->variants[j].folder);
    }
    heap_free(component->variants);
    heap_free(component->names);
  }
  heap_free(package->root);
  heap_free(package->components);
  heap_free(package->names);
  heap_free(package->resolved);
  for (size_t i = 0; i < package->documents.count; i++) {
    core_json_end(package->documents.items[i]);
    heap_free(package->documents.items[i]);
  }
  core_list_end(&package->documents);
}

static void end_options(void* block) {
  ort_ReleaseSessionOptions(((struct OrtModelPackageOptions*)block)->session_options);
}

static void end_component(void* block) {
  struct OrtModelPackageComponentContext* component = block;
  core_drop(component->package);
  heap_free(component->folder);
}

static const struct core_class package_class = {.kind = CORE_MODEL_PACKAGE, .end = end_package};
static const struct core_class options_class = {.kind = CORE_MODEL_PACKAGE_OPTIONS,
                                                .end = end_options};
static const struct core_class component_class = {.kind = CORE_MODEL_PACKAGE_COMPONENT,
                                                  .end = end_component};

/* --- options --------------------------------------------------------------------------------- */

ORT_API_STATUS_IMPL(ort_model_package_CreateModelPackageOptionsFromSessionOptions,
                    const OrtEnv* env, const OrtSessionOptions* session_options,
                    OrtModelPackageOptions** out) {
  CORE_REQUIRE(CreateModelPackageOptionsFromSessionOptions, env, session_options, out);
  struct OrtModelPackageOptions* options = core_new_object(&options_class, sizeof *options);
  if (options == NULL) {
    return CORE_OUT_OF_MEMORY(CreateModelPackageOptionsFromSessionOptions, sizeof *options);
  }
  CORE_HAND_OUT(ort_CloneSessionOptions(session_options, &options->session_options), options, out);
}

void ORT_API_CALL ort_model_package_ReleaseModelPackageOptions(OrtModelPackageOptions* input)
    NO_EXCEPTION {
  core_drop(input);
}

/* --- packages -------------------------------------------------------------------------------- */

ORT_API_STATUS_IMPL(ort_model_package_CreateModelPackageContext, const ORTCHAR_T* package_root,
                    OrtModelPackageContext** out) {
  CORE_REQUIRE(CreateModelPackageContext, package_root, out);
  char root[CORE_PATH_ROOM];
  if (!core_whole_path_utf8(package_root, root)) {
    CORE_FAIL(ORT_INVALID_ARGUMENT, "CreateModelPackageContext: package_root is too long");
  }
  struct OrtModelPackageContext* package = core_new_object(&package_class, sizeof *package);
  if (package == NULL) {
    return CORE_OUT_OF_MEMORY(CreateModelPackageContext, sizeof *package);
  }
  CORE_HAND_OUT(core_package_read(package, root), package, out);
}

void ORT_API_CALL ort_model_package_ReleaseModelPackageContext(OrtModelPackageContext* input)
    NO_EXCEPTION {
  core_drop(input);
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetSchemaVersion,
                    const OrtModelPackageContext* context, int64_t* out_version) {
  CORE_REQUIRE(ModelPackage_GetSchemaVersion, context, out_version);
  *out_version = 1; /* packages of others are refused */
  return NULL;
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetComponentCount,
                    const OrtModelPackageContext* context, size_t* out_count) {
  CORE_REQUIRE(ModelPackage_GetComponentCount, context, out_count);
  *out_count = context->count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetComponentNames,
                    const OrtModelPackageContext* context, const char* const** out_names,
                    size_t* out_count) {
  CORE_REQUIRE(ModelPackage_GetComponentNames, context, out_names, out_count);
  *out_names = context->names;
  *out_count = context->count;
  return NULL;
}

static OrtStatus* find_component(const char* function, const OrtModelPackageContext* package,
                                 const char* name, const struct core_component** out) {
  for (size_t i = 0; i < package->count; i++) {
    if (strcmp(package->names[i], name) == 0) {
      *out = &package->components[i];
      return NULL;
    }
  }
  return core_status(ORT_INVALID_ARGUMENT, function, ": the package has no component ", name);
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetVariantCount,
                    const OrtModelPackageContext* context, const char* component_name,
                    size_t* out_count) {
  const struct core_component* component;
  CORE_REQUIRE(ModelPackage_GetVariantCount, context, component_name, out_count);
  CORE_TRY(find_component("ModelPackage_GetVariantCount", context, component_name, &component));
  *out_count = component->count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetVariantNames,
                    const OrtModelPackageContext* context, const char* component_name,
                    const char* const** out_names, size_t* out_count) {
  const struct core_component* component;
  CORE_REQUIRE(ModelPackage_GetVariantNames, context, component_name, out_names, out_count);
  CORE_TRY(find_component("ModelPackage_GetVariantNames", context, component_name, &component));
  *out_names = component->names;
  *out_count = component->count;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_GetVariantEpName,
                    const OrtModelPackageContext* context, const char* component_name,
                    const char* variant_name, const char** out_ep_name) {
  const struct core_component* component;
  CORE_REQUIRE(ModelPackage_GetVariantEpName, context, component_name, variant_name, out_ep_name);
  CORE_TRY(find_component("ModelPackage_GetVariantEpName", context, component_name, &component));
  for (size_t i = 0; i < component->count; i++) {
    if (strcmp(component->names[i], variant_name) == 0) {
      *out_ep_name = component->variants[i].ep;
      return NULL;
    }
  }
  return core_status(ORT_INVALID_ARGUMENT,
                     "ModelPackage_GetVariantEpName: the component has no variant ", variant_name,
                     NULL);
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackage_ResolveStringRef,
                    OrtModelPackageContext* context, const char* base_dir, const char* input,
                    int must_exist, const char** out_path) {
  CORE_REQUIRE(ModelPackage_ResolveStringRef, context, input, out_path);
  static const char before[] = "ModelPackage_ResolveStringRef: '";
  bool is_root = base_dir == NULL || base_dir[0] == 0;
  struct core_resolved found;
  const char* wrong =
      core_package_resolve_reference(context, is_root ? context->root : base_dir, input, &found);
  if (wrong == NULL && must_exist && found.kind == CORE_NO_FILE) {
    wrong = "' does not exist";
  }
  if (wrong != NULL) {
    return core_status(ORT_FAIL, before, input, wrong);
  }
  char* copy;
  CORE_TRY(core_copy_text("ModelPackage_ResolveStringRef", found.path, &copy));
  heap_free(context->resolved);
  context->resolved = copy;
  *out_path = copy;
  return NULL;
}

/* --- a chosen variant ------------------------------------------------------------------------ */

ORT_API_STATUS_IMPL(ort_model_package_SelectComponent, const OrtModelPackageContext* context,
                    const char* component_name, const OrtModelPackageOptions* options,
                    OrtModelPackageComponentContext** out) {
  const struct core_component* component;
  CORE_REQUIRE(SelectComponent, context, component_name, options, out);
  CORE_TRY(find_component("SelectComponent", context, component_name, &component));
  const char* ep;
  const struct core_variant* variant =
      core_package_choose(component, options->session_options, &ep);
  if (variant == NULL) {
    char after[CORE_PATH_ROOM];
    snprintf(after, sizeof after, " fits the execution provider %s", ep);
    return core_status(ORT_FAIL, "SelectComponent: no variant of ", component_name, after);
  }
  size_t size = core_native_path(variant->folder, NULL, 0);
  struct OrtModelPackageComponentContext* chosen =
      core_new_object(&component_class, sizeof *chosen);
  ORTCHAR_T* folder = heap_alloc(size);
  if (chosen == NULL || folder == NULL) {
    core_drop(chosen);
    heap_free(folder);
    return CORE_OUT_OF_MEMORY(SelectComponent, size);
  }
  core_native_path(variant->folder, folder, size);
  core_retain((struct core_object*)&context->object);
  chosen->package = (OrtModelPackageContext*)context;
  chosen->variant = variant;
  chosen->folder = folder;
  *out = chosen;
  return NULL;
}

void ORT_API_CALL ort_model_package_ReleaseModelPackageComponentContext(
    OrtModelPackageComponentContext* input) NO_EXCEPTION {
  core_drop(input);
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackageComponent_GetSelectedVariantName,
                    const OrtModelPackageComponentContext* component_context,
                    const char** out_variant_name) {
  CORE_REQUIRE(ModelPackageComponent_GetSelectedVariantName, component_context, out_variant_name);
  *out_variant_name = component_context->variant->name;
  return NULL;
}

ORT_API_STATUS_IMPL(ort_model_package_ModelPackageComponent_GetSelectedVariantFolderPath,
                    const OrtModelPackageComponentContext* component_context,
                    const ORTCHAR_T** out_folder_path) {
  CORE_REQUIRE(ModelPackageComponent_GetSelectedVariantFolderPath, component_context,
               out_folder_path);
  *out_folder_path = component_context->folder;
  return NULL;
}
