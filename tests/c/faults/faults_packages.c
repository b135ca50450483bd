/* SPDX-License-Identifier: MIT */
/* Trials of model packages. */
#include "faults.h"

#include <stdlib.h>
#include <unistd.h>

#define MANIFEST                                                                           \
  "{\"schema_version\":\"1.0\",\"components\":{\"inline\":{\"variants\":{\"cpu\":{\"ep\":" \
  "\"CPUExecutionProvider\",\"executor_info\":{\"ort\":{\"model_file\":\"m.onnx\"}}}}},"   \
  "\"apart\":\"component.json\"}}"
#define COMPONENT "{\"variants\":{}}"

static char folder[] = "/tmp/ortcffi-faults-XXXXXX";
static OrtEnv* env;
static OrtSessionOptions* session;
static OrtModelPackageContext* package;
static OrtModelPackageOptions* chooser;

static const OrtModelPackageApi* packages_api(void) { return api->GetModelPackageApi(); }

static void write_file(const char* name, const char* text) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE* file = fopen(path, "w");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void remove_file(const char* name) {
  char path[100];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  unlink(path);
}

static void with_folder(void) {
  CHECK(mkdtemp(folder) != NULL);
  write_file("manifest.json", MANIFEST);
  write_file("component.json", COMPONENT);
}

static OrtStatus* read_package(void** out) {
  return packages_api()->CreateModelPackageContext(folder, (OrtModelPackageContext**)out);
}
static void release_package(void* out) { packages_api()->ReleaseModelPackageContext(out); }

static void with_package(void) {
  with_folder();
  CHECK(read_package((void**)&package) == NULL);
}
static OrtStatus* resolve(void** out) {
  const char* path = NULL;
  (void)out;
  return packages_api()->ModelPackage_ResolveStringRef(package, NULL, "x", 0, &path);
}

static OrtStatus* make_chooser(void** out) {
  return packages_api()->CreateModelPackageOptionsFromSessionOptions(env, session,
                                                                     (OrtModelPackageOptions**)out);
}
static void release_chooser(void* out) { packages_api()->ReleaseModelPackageOptions(out); }

static void with_options(void) {
  with_package();
  CHECK(api->CreateSessionOptions(&session) == NULL);
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "x", &env) == NULL);
}
static void with_chooser(void) {
  with_options();
  CHECK(make_chooser((void**)&chooser) == NULL);
}
static OrtStatus* choose(void** out) {
  return packages_api()->SelectComponent(package, "inline", chooser,
                                         (OrtModelPackageComponentContext**)out);
}
static void release_chosen(void* out) { packages_api()->ReleaseModelPackageComponentContext(out); }

static const struct trial trials[] = {
    TRIAL("CreateModelPackageContext", with_folder, read_package, release_package),
    TRIAL("ModelPackage_ResolveStringRef", with_package, resolve, NULL),
    TRIAL("CreateModelPackageOptionsFromSessionOptions", with_options, make_chooser,
          release_chooser),
    TRIAL("SelectComponent", with_chooser, choose, release_chosen),
    {NULL},
};

static void clean(void) {
  release_chooser(chooser);
  release_package(package);
  api->ReleaseSessionOptions(session);
  api->ReleaseEnv(env);
  remove_file("manifest.json");
  remove_file("component.json");
  rmdir(folder);
}

const struct section packages = {trials, clean};
