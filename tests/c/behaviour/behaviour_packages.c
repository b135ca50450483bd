/* SPDX-License-Identifier: MIT */
/* Model packages, without one. */
#include "behaviour.h"

static const OrtModelPackageApi* model_packages(void) { return api->GetModelPackageApi(); }

#define SAY(text, expression) \
  CALL(text) { say_status(model_packages()->expression); }
#define RELEASE(name)             \
  CALL(#name "(NULL)") {          \
    model_packages()->name(NULL); \
    say("no-op");                 \
  }

static OrtModelPackageContext* none;
static const char* text;
static const char* const* texts;
static const ORTCHAR_T* path;
static size_t packages_count;
static int64_t version;

SAY("CreateModelPackageContext(NULL,&p)", CreateModelPackageContext(NULL, &none))
SAY("CreateModelPackageContext(path,NULL)", CreateModelPackageContext(ORT_TSTR("x"), NULL))
RELEASE(ReleaseModelPackageOptions)
RELEASE(ReleaseModelPackageContext)
RELEASE(ReleaseModelPackageComponentContext)
SAY("CreateModelPackageOptionsFromSessionOptions(NULL,NULL,NULL)",
    CreateModelPackageOptionsFromSessionOptions(NULL, NULL, NULL))
SAY("ModelPackage_GetSchemaVersion(NULL,&v)", ModelPackage_GetSchemaVersion(NULL, &version))
SAY("ModelPackage_GetComponentCount(NULL,&n)",
    ModelPackage_GetComponentCount(NULL, &packages_count))
SAY("ModelPackage_GetComponentNames(NULL,&t,&n)",
    ModelPackage_GetComponentNames(NULL, &texts, &packages_count))
SAY("ModelPackage_GetVariantCount(NULL,c,&n)",
    ModelPackage_GetVariantCount(NULL, "c", &packages_count))
SAY("ModelPackage_GetVariantNames(NULL,c,&t,&n)",
    ModelPackage_GetVariantNames(NULL, "c", &texts, &packages_count))
SAY("ModelPackage_GetVariantEpName(NULL,c,v,&t)",
    ModelPackage_GetVariantEpName(NULL, "c", "v", &text))
SAY("ModelPackage_ResolveStringRef(NULL,NULL,x,0,&t)",
    ModelPackage_ResolveStringRef(NULL, NULL, "x", 0, &text))
SAY("SelectComponent(NULL,c,NULL,NULL)", SelectComponent(NULL, "c", NULL, NULL))
SAY("ModelPackageComponent_GetSelectedVariantName(NULL,&t)",
    ModelPackageComponent_GetSelectedVariantName(NULL, &text))
SAY("ModelPackageComponent_GetSelectedVariantFolderPath(NULL,&t)",
    ModelPackageComponent_GetSelectedVariantFolderPath(NULL, &path))

#undef SAY
