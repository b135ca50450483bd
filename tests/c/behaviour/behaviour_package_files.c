/* SPDX-License-Identifier: MIT */
/* Model packages. Messages have the folder's path, so that of most answers only the code is said.
 */
#include "behaviour_files.h"

#define CPU "{\"ep\":\"CPUExecutionProvider\"}"
#define VARIANTS "{\"variants\":{\"cpu\":" CPU "}}"
#define MANIFEST(more) "{\"schema_version\":\"1.0\",\"components\":{\"a\":" VARIANTS "}" more "}"
#define COMPONENT(text) "{\"schema_version\":\"1.0\",\"components\":{\"a\":" text "}}"
#define VARIANT(text) COMPONENT("{\"variants\":{" text "}}")
#define ASSET "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const OrtModelPackageApi* packages;
static char root[FOLDER_ROOM];
static OrtEnv* package_files_env;
static OrtSessionOptions* package_files_session;
static OrtModelPackageOptions* options;
static OrtModelPackageContext* package;

static void write_file(const char* name, const char* text) {
  write_bytes(root, name, text, strlen(text));
}

static void end_package(void) {
  static const char* const names[] = {"manifest.json", "file", "folder/component.json"};
  char path[FILE_ROOM];
  packages->ReleaseModelPackageContext(package);
  package = NULL;
  packages->ReleaseModelPackageOptions(options);
  api->ReleaseSessionOptions(package_files_session);
  api->ReleaseEnv(package_files_env);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    remove_from(root, names[i]);
  }
  snprintf(path, sizeof path, "%s/folder", root);
  rmdir(path);
  rmdir(root);
}

/* Makes a package of a file, a folder with a component, and a manifest. */
static void make_package(const char* manifest) {
  char folder[FILE_ROOM];
  make_temporary_folder(root);
  snprintf(folder, sizeof folder, "%s/folder", root);
  make_folder(folder);
  write_file("file", "");
  write_file("folder/component.json", VARIANTS);
  write_file("manifest.json", manifest);
  packages = api->GetModelPackageApi();
  CHECK(api->CreateEnv(ORT_LOGGING_LEVEL_FATAL, "packages", &package_files_env) == NULL);
  CHECK(api->CreateSessionOptions(&package_files_session) == NULL);
  CHECK(packages->CreateModelPackageOptionsFromSessionOptions(
            package_files_env, package_files_session, &options) == NULL);
}

static OrtStatus* open_package(const char* folder, OrtModelPackageContext** out) {
  ORTCHAR_T path[FILE_ROOM];
  to_native(folder, path);
  return packages->CreateModelPackageContext(path, out);
}

/* Says a status's code; true for success. */
static bool say_code(OrtStatus* status) {
  if (status == NULL) {
    say("OK");
    return true;
  }
  say("code %d", (int)api->GetErrorCode(status));
  api->ReleaseStatus(status);
  return false;
}

/* Says the last part of a path: the rest is a temporary folder. */
static void say_last(const char* path) {
  const char* last = path;
  for (; *path != 0; path++) {
    last = *path == '/' || *path == '\\' ? path + 1 : last;
  }
  say("\"%s\"", last);
}

/* Which variant is chosen. */
static void say_selected(void) {
  OrtModelPackageComponentContext* chosen = UNTOUCHED;
  const char* name = NULL;
  if (say_code(packages->SelectComponent(package, "a", options, &chosen))) {
    CHECK(packages->ModelPackageComponent_GetSelectedVariantName(chosen, &name) == NULL);
    say("%s", name);
    packages->ReleaseModelPackageComponentContext(chosen);
  } else {
    say_out(chosen, UNTOUCHED);
  }
}

/* --- manifests ------------------------------------------------------------------------------- */

#define READ(what, text)                                   \
  CALL("CreateModelPackageContext of " what) {             \
    make_package(text);                                    \
    package = UNTOUCHED;                                   \
    bool is_made = say_code(open_package(root, &package)); \
    say_out(package, is_made ? NULL : UNTOUCHED);          \
    package = is_made ? package : NULL;                    \
    end_package();                                         \
  }

READ("a manifest", MANIFEST(""))
READ("nothing", "")
READ("text that is no JSON", "{")
READ("two values", MANIFEST("") "{}")
READ("a name twice", MANIFEST(",\"schema_version\":\"1.0\""))
READ("a name with a zero byte", MANIFEST(",\"package_name\":\"a\\u0000b\""))
READ("half of a surrogate pair", MANIFEST(",\"package_name\":\"\\ud83d\""))
READ("bytes that are not UTF-8", MANIFEST(",\"package_name\":\"\xff\""))
READ("a number that is infinite", MANIFEST(",\"additional_metadata\":{\"a\":1e999}"))
READ("70 lists in each other",
     MANIFEST(",\"additional_metadata\":{\"a\":"
              "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
              "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]}"))
READ("version 2.0", "{\"schema_version\":\"2.0\",\"components\":{}}")
READ("no components", "{\"schema_version\":\"1.0\"}")
READ("an unknown field", MANIFEST(",\"other\":1"))
READ("a layout that is unknown", MANIFEST(",\"layout\":\"x\""))
READ("a component in a folder", COMPONENT("\"folder\""))
READ("a component in a file", COMPONENT("\"folder/component.json\""))
READ("a component that is missing", COMPONENT("\"nowhere\""))
READ("a component in ..", COMPONENT("\"folder/../folder\""))
READ("a component whose name is a number", COMPONENT("{\"component_name\":1,\"variants\":{}}"))
READ("a variant in ..", VARIANT("\"v\":{\"variant_directory\":\"..\"}"))
READ("a variant in an absolute folder", VARIANT("\"v\":{\"variant_directory\":\"/\"}"))
READ("a variant of an absolute name", VARIANT("\"/\":" CPU))
READ("a variant in a folder that is missing", VARIANT("\"v\":{\"variant_directory\":\"nowhere\"}"))
READ("a model in ..", VARIANT("\"v\":{\"executor_info\":{\"ort\":{\"model_file\":\"../m\"}}}"))
READ("a model that is missing",
     VARIANT("\"v\":{\"executor_info\":{\"ort\":{\"model_file\":\"m\"}}}"))
READ("a model in .. of an installed package",
     "{\"schema_version\":\"1.0\",\"layout\":\"installed\",\"components\":{\"a\":{\"variants\":"
     "{\"v\":{\"executor_info\":{\"ort\":{\"model_file\":\"../m\"}}}}}}}")
READ("an asset", MANIFEST(",\"shared_assets\":{\"" ASSET "\":\"folder\"}"))
READ("an asset that is the package", MANIFEST(",\"shared_assets\":{\"" ASSET "\":\".\"}"))
READ("an asset in ..", MANIFEST(",\"shared_assets\":{\"" ASSET "\":\"../folder\"}"))
READ("an asset without a digest", MANIFEST(",\"shared_assets\":{\"sha256:0\":\"folder\"}"))

/* --- variants -------------------------------------------------------------------------------- */

#define SELECT(what, text)                       \
  CALL("SelectComponent of " what) {             \
    make_package(VARIANT(text));                 \
    CHECK(open_package(root, &package) == NULL); \
    say_selected();                              \
    end_package();                               \
  }
#define NAMED(name, fields) "\"" name "\":{\"ep\":\"CPUExecutionProvider\"" fields "}"
#define OTHER(name) "\"" name "\":{\"ep\":\"CUDAExecutionProvider\"}"

SELECT("no variants", "")
SELECT("two for the CPU", NAMED("b", "") "," NAMED("a", ""))
SELECT("another provider's and the CPU's", OTHER("o") "," NAMED("c", ""))
SELECT("another provider's", OTHER("o"))
SELECT("one without a provider", "\"n\":{}")
SELECT("one without a provider and the CPU's", "\"n\":{}," NAMED("c", ""))
SELECT("the device cpu", NAMED("c", ",\"device\":\"cpu\""))
SELECT("the device Cpu", NAMED("c", ",\"device\":\"Cpu\""))
SELECT("the device \"\"", NAMED("c", ",\"device\":\"\""))
SELECT("the device gpu", NAMED("g", ",\"device\":\"gpu\""))
SELECT("the device gpu and any", NAMED("g", ",\"device\":\"gpu\"") "," NAMED("c", ""))
SELECT("any device and cpu", NAMED("b", "") "," NAMED("a", ",\"device\":\"cpu\""))
SELECT("a compatibility string", NAMED("c", ",\"compatibility_string\":\"x\"") "," NAMED("b", ""))

/* --- references ------------------------------------------------------------------------------ */

static void say_resolved(const char* below, const char* reference, int must_exist) {
  char base[FILE_ROOM];
  const char* found = UNTOUCHED;
  make_package(MANIFEST(",\"shared_assets\":{\"" ASSET "\":\"folder\"}"));
  CHECK(open_package(root, &package) == NULL);
  snprintf(base, sizeof base, "%s%s", root, below == NULL ? "" : below);
  OrtStatus* status = packages->ModelPackage_ResolveStringRef(package, below == NULL ? NULL : base,
                                                              reference, must_exist, &found);
  if (say_code(status)) {
    say_last(found);
  } else {
    say_out(found, UNTOUCHED);
  }
  end_package();
}

#define RESOLVE(what, base, reference, must_exist) \
  CALL("ModelPackage_ResolveStringRef(" what ")") { say_resolved(base, reference, must_exist); }

RESOLVE("file", NULL, "file", 1)
RESOLVE("./folder//x", NULL, "./folder//x", 0)
RESOLVE("missing", NULL, "missing", 0)
RESOLVE("missing that must exist", NULL, "missing", 1)
RESOLVE("\"\"", NULL, "", 0)
RESOLVE("..", NULL, "..", 0)
RESOLVE("folder/../file", NULL, "folder/../file", 0)
RESOLVE("/", NULL, "/", 0)
RESOLVE("an asset", NULL, ASSET, 1)
RESOLVE("an asset/", NULL, ASSET "/", 1)
RESOLVE("an asset/component.json", NULL, ASSET "/component.json", 1)
RESOLVE("an asset/../file", NULL, ASSET "/../file", 0)
RESOLVE("an unknown asset", NULL,
        "sha256:"
        "00000000000000000000000000000000"
        "00000000000000000000000000000000",
        0)
RESOLVE("component.json in folder", "/folder", "component.json", 1)
RESOLVE("file in folder/..", "/folder/..", "file", 1)
RESOLVE("file in ..", "/..", "file", 0)
RESOLVE("file in missing/../..", "/missing/../..", "file", 0)

/* --- NULL and unknown names ------------------------------------------------------------------ */

/* A call on a package, `package`, that says its status and its outputs. */
#define SAY(text, expression)                    \
  CALL(text) {                                   \
    const char* const* names = UNTOUCHED;        \
    const char* name = UNTOUCHED;                \
    void* made = UNTOUCHED;                      \
    size_t count = 9;                            \
    int64_t version = 9;                         \
    make_package(MANIFEST(""));                  \
    CHECK(open_package(root, &package) == NULL); \
    say_status(packages->expression);            \
    say_out(names, UNTOUCHED);                   \
    say_out(name, UNTOUCHED);                    \
    say_out(made, UNTOUCHED);                    \
    say("%d %d", (int)count, (int)version);      \
    end_package();                               \
  }
#define OPTIONS_SLOT CreateModelPackageOptionsFromSessionOptions
#define CHOSEN (OrtModelPackageComponentContext**)&made

SAY("CreateModelPackageOptionsFromSessionOptions(NULL,s,&o)",
    OPTIONS_SLOT(NULL, package_files_session, (OrtModelPackageOptions**)&made))
SAY("CreateModelPackageOptionsFromSessionOptions(e,NULL,&o)",
    OPTIONS_SLOT(package_files_env, NULL, (OrtModelPackageOptions**)&made))
SAY("CreateModelPackageOptionsFromSessionOptions(e,s,NULL)",
    OPTIONS_SLOT(package_files_env, package_files_session, NULL))
SAY("ModelPackage_GetSchemaVersion(c,&v)", ModelPackage_GetSchemaVersion(package, &version))
SAY("ModelPackage_GetSchemaVersion(c,NULL)", ModelPackage_GetSchemaVersion(package, NULL))
SAY("ModelPackage_GetComponentCount(c,&n)", ModelPackage_GetComponentCount(package, &count))
SAY("ModelPackage_GetComponentCount(c,NULL)", ModelPackage_GetComponentCount(package, NULL))
SAY("ModelPackage_GetComponentNames(c,&a,&n)",
    ModelPackage_GetComponentNames(package, &names, &count))
SAY("ModelPackage_GetComponentNames(c,NULL,&n)",
    ModelPackage_GetComponentNames(package, NULL, &count))
SAY("ModelPackage_GetComponentNames(c,&a,NULL)",
    ModelPackage_GetComponentNames(package, &names, NULL))
SAY("ModelPackage_GetVariantCount(c,a,&n)", ModelPackage_GetVariantCount(package, "a", &count))
SAY("ModelPackage_GetVariantCount(c,nope,&n)",
    ModelPackage_GetVariantCount(package, "nope", &count))
SAY("ModelPackage_GetVariantCount(c,NULL,&n)", ModelPackage_GetVariantCount(package, NULL, &count))
SAY("ModelPackage_GetVariantCount(c,a,NULL)", ModelPackage_GetVariantCount(package, "a", NULL))
SAY("ModelPackage_GetVariantNames(c,a,&a,&n)",
    ModelPackage_GetVariantNames(package, "a", &names, &count))
SAY("ModelPackage_GetVariantNames(c,nope,&a,&n)",
    ModelPackage_GetVariantNames(package, "nope", &names, &count))
SAY("ModelPackage_GetVariantNames(c,NULL,&a,&n)",
    ModelPackage_GetVariantNames(package, NULL, &names, &count))
SAY("ModelPackage_GetVariantNames(c,a,NULL,&n)",
    ModelPackage_GetVariantNames(package, "a", NULL, &count))
SAY("ModelPackage_GetVariantNames(c,a,&a,NULL)",
    ModelPackage_GetVariantNames(package, "a", &names, NULL))
SAY("ModelPackage_GetVariantEpName(c,a,cpu,&e)",
    ModelPackage_GetVariantEpName(package, "a", "cpu", &name))
SAY("ModelPackage_GetVariantEpName(c,nope,cpu,&e)",
    ModelPackage_GetVariantEpName(package, "nope", "cpu", &name))
SAY("ModelPackage_GetVariantEpName(c,a,nope,&e)",
    ModelPackage_GetVariantEpName(package, "a", "nope", &name))
SAY("ModelPackage_GetVariantEpName(c,NULL,cpu,&e)",
    ModelPackage_GetVariantEpName(package, NULL, "cpu", &name))
SAY("ModelPackage_GetVariantEpName(c,a,NULL,&e)",
    ModelPackage_GetVariantEpName(package, "a", NULL, &name))
SAY("ModelPackage_GetVariantEpName(c,a,cpu,NULL)",
    ModelPackage_GetVariantEpName(package, "a", "cpu", NULL))
SAY("ModelPackage_ResolveStringRef(c,NULL,NULL,0,&p)",
    ModelPackage_ResolveStringRef(package, NULL, NULL, 0, &name))
SAY("ModelPackage_ResolveStringRef(c,NULL,x,0,NULL)",
    ModelPackage_ResolveStringRef(package, NULL, "x", 0, NULL))
SAY("SelectComponent(c,nope,o,&s)", SelectComponent(package, "nope", options, CHOSEN))
SAY("SelectComponent(c,NULL,o,&s)", SelectComponent(package, NULL, options, CHOSEN))
SAY("SelectComponent(c,a,NULL,&s)", SelectComponent(package, "a", NULL, CHOSEN))
SAY("SelectComponent(c,a,o,NULL)", SelectComponent(package, "a", options, NULL))

CALL("CreateModelPackageContext of a file") {
  char path[sizeof root];
  make_package(MANIFEST(""));
  snprintf(path, sizeof path, "%.*s/file", (int)sizeof root - 6, root);
  say_code(open_package(path, &package));
  end_package();
}
CALL("ModelPackageComponent_GetSelectedVariant...(s,NULL)") {
  OrtModelPackageComponentContext* chosen = NULL;
  make_package(MANIFEST(""));
  CHECK(open_package(root, &package) == NULL);
  CHECK(packages->SelectComponent(package, "a", options, &chosen) == NULL);
  say_status(packages->ModelPackageComponent_GetSelectedVariantName(chosen, NULL));
  say_status(packages->ModelPackageComponent_GetSelectedVariantFolderPath(chosen, NULL));
  packages->ReleaseModelPackageComponentContext(chosen);
  end_package();
}

#undef SAY
