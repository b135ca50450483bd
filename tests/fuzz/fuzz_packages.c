/* SPDX-License-Identifier: MIT */
/* Model packages: whatever a manifest says, no answer leaves the package's folder. */
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

#define LONGEST 1023
#define URI "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

/* What manifests are made of. The folder has links: one within it, one out of it, and
 * one to nothing. */
static const char* const pieces[] = {
    "{\"schema_version\":\"1.0\",\"components\":{",
    "\"a\":{\"variants\":{",
    "\"cpu\":{\"ep\":\"CPUExecutionProvider\"",
    "\"variant_directory\":",
    "\"executor_info\":{\"ort\":",
    "{\"model_file\":",
    "\"session_options\":{\"a\":\"b\"}",
    "\"shared_assets\":{\"" URI "\":",
    "\"" URI "\"",
    "\"" URI "/",
    "\"device\":\"cpu\"",
    "\"component_name\":",
    "\"layout\":\"installed\"",
    "\"inside\"",
    "\"outside\"",
    "\"folder\"",
    "\"folder/file.json\"",
    "\"file.json\"",
    "\"file.json",
    "outside/",
    "folder/",
    "inside/",
    "../",
    "/",
    ".",
    "\"",
    "{",
    "}",
    "}}",
    "}}}",
    ",",
    ":",
    "null",
    "\\u002e",
    "broken",
};

static char root[4096];

static void write_file(const char* name, const char* text) {
  char path[sizeof root + 32];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE* file = fopen(path, "wb");
  CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void put_link(const char* target, const char* name) {
  char path[sizeof root + 32];
  snprintf(path, sizeof path, "%s/%s", root, name);
  CHECK(symlink(target, path) == 0);
}

static void remove_folder(void) {
  static const char* const names[] = {"folder/component.json",
                                      "folder/file.json",
                                      "folder",
                                      "manifest.json",
                                      "file.json",
                                      "inside",
                                      "outside",
                                      "broken",
                                      ""};
  char path[sizeof root + 32];
  for (size_t i = 0; i < CORE_COUNT_OF(names); i++) {
    snprintf(path, sizeof path, "%s/%s", root, names[i]);
    remove(path);
  }
}

static void make_folder(void) {
  char folder[] = "/tmp/ortcffi-fuzz-XXXXXX", path[sizeof root + 32];
  CHECK(mkdtemp(folder) != NULL && realpath(folder, root) != NULL);
  atexit(remove_folder);
  snprintf(path, sizeof path, "%s/folder", root);
  CHECK(mkdir(path, 0700) == 0);
  put_link("folder", "inside");
  put_link("/", "outside");
  put_link("../nowhere", "broken");
  write_file("file.json", "{\"variants\":{\"b\":{\"variant_directory\":\"folder\"}}}");
  write_file("folder/file.json", "{\"model_file\":\"file.json\"}");
}

static void next_text(char text[LONGEST + 1], size_t most) {
  size_t size = 0;
  for (size_t count = next_byte() % (most + 1); count > 0; count--) {
    unsigned byte = next_byte();
    char other[] = {(char)byte, 0};
    const char* piece = byte < 192 ? pieces[byte % CORE_COUNT_OF(pieces)] : other;
    if (size + strlen(piece) <= LONGEST) {
      memcpy(text + size, piece, strlen(piece));
      size += strlen(piece);
    }
  }
  text[size] = 0;
}

/* Whether a path is the folder or below it, and what is there as well. */
static void must_be_inside(const char* path) {
  size_t length = strlen(root);
  char* real = realpath(path, NULL);
  CHECK(strncmp(path, root, length) == 0 && (path[length] == 0 || path[length] == '/'));
  CHECK(strstr(path, "/../") == NULL);
  if (real != NULL) {
    CHECK(strncmp(real, root, length) == 0 && (real[length] == 0 || real[length] == '/'));
  }
  free(real);
}

static void select_variant(const OrtModelPackageApi* packages,
                           const OrtModelPackageContext* package,
                           const OrtModelPackageOptions* options, const char* component) {
  OrtModelPackageComponentContext* chosen = NULL;
  const char *name = NULL, *folder = NULL;
  OrtStatus* status = packages->SelectComponent(package, component, options, &chosen);
  if (succeeded(status, status == NULL, ORT_FAIL, ORT_FAIL)) {
    CHECK(packages->ModelPackageComponent_GetSelectedVariantName(chosen, &name) == NULL);
    CHECK(packages->ModelPackageComponent_GetSelectedVariantFolderPath(chosen, &folder) == NULL);
    CHECK(name != NULL && folder != NULL);
    if (folder[0] != 0) {
      must_be_inside(folder);
    }
    packages->ReleaseModelPackageComponentContext(chosen);
  }
}

static void select_variants(const OrtModelPackageApi* packages,
                            const OrtModelPackageContext* package) {
  const char *const *names, *const *variants, *ep;
  size_t count, variant_count;
  OrtModelPackageOptions* options = NULL;
  pause_faults();
  OrtEnv* env = NULL;
  OrtSessionOptions* session_options = NULL;
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "fuzz", &env) == NULL);
  CHECK(api->CreateSessionOptions(&session_options) == NULL);
  CHECK(packages->CreateModelPackageOptionsFromSessionOptions(env, session_options, &options) ==
        NULL);
  resume_faults();
  CHECK(packages->ModelPackage_GetComponentNames(package, &names, &count) == NULL);
  for (size_t i = 0; i < count; i++) {
    CHECK(packages->ModelPackage_GetVariantNames(package, names[i], &variants, &variant_count) ==
          NULL);
    for (size_t j = 0; j < variant_count; j++) {
      CHECK(packages->ModelPackage_GetVariantEpName(package, names[i], variants[j], &ep) == NULL);
    }
    select_variant(packages, package, options, names[i]);
  }
  packages->ReleaseModelPackageOptions(options);
  api->ReleaseSessionOptions(session_options);
  api->ReleaseEnv(env);
}

static void resolve(const OrtModelPackageApi* packages, OrtModelPackageContext* package) {
  char base[sizeof root + LONGEST + 2], input[LONGEST + 1], below[LONGEST + 1];
  const char* found = NULL;
  next_text(input, 8);
  next_text(below, 4);
  snprintf(base, sizeof base, "%s%s%s", root, below[0] == 0 ? "" : "/", below);
  int must_exist = next_byte() % 2;
  OrtStatus* status = packages->ModelPackage_ResolveStringRef(
      package, next_byte() % 2 == 0 ? NULL : base, input, must_exist, &found);
  if (succeeded(status, status == NULL, ORT_FAIL, ORT_FAIL)) {
    must_be_inside(found);
    CHECK(!must_exist || access(found, F_OK) == 0);
  }
}

void use_packages(void) {
  const OrtModelPackageApi* packages = api->GetModelPackageApi();
  OrtModelPackageContext* package = NULL;
  char text[LONGEST + 1];
  if (root[0] == 0) {
    make_folder();
  }
  next_text(text, 128);
  write_file("manifest.json", text);
  next_text(text, 32);
  write_file("folder/component.json", text);
  OrtStatus* status = packages->CreateModelPackageContext(root, &package);
  if (succeeded(status, status == NULL, ORT_FAIL, ORT_FAIL)) {
    select_variants(packages, package);
    for (unsigned count = next_byte() % 8; count > 0; count--) {
      resolve(packages, package);
    }
    packages->ReleaseModelPackageContext(package);
  }
}
