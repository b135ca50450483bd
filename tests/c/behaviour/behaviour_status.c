/* SPDX-License-Identifier: MIT */
/* The entry, and statuses. */
#include "behaviour.h"

CALL("GetApi(0)") { say_pointer(base->GetApi(0)); }
CALL("GetApi(1)") { say_pointer(base->GetApi(1)); }
CALL("GetApi(29)==GetApi(1)") { say(base->GetApi(29) == base->GetApi(1) ? "same" : "different"); }
CALL("GetApi(ORT_API_VERSION)") { say_pointer(base->GetApi(ORT_API_VERSION)); }
CALL("GetApi(ORT_API_VERSION + 1)") { say_pointer(base->GetApi(ORT_API_VERSION + 1)); }
CALL("GetApi(UINT32_MAX)") { say_pointer(base->GetApi(UINT32_MAX)); }
CALL("GetVersionString()") { say("\"%s\"", base->GetVersionString()); }
CALL("GetBuildInfoString()") { say("\"%.16s...\"", api->GetBuildInfoString()); }
CALL("GetTrainingApi(29)") { say_pointer(api->GetTrainingApi(29)); }
CALL("GetExperimentalFunction(NULL)") {
  say(api->GetExperimentalFunction(NULL) == NULL ? "NULL" : "non-NULL");
}

CALL("CreateStatus(ORT_OK,\"m\")") {
  OrtStatus* status = api->CreateStatus(ORT_OK, "m");
  say_pointer(status);
  say_status(status);
}
CALL("CreateStatus(ORT_FAIL,NULL)") { say_status(api->CreateStatus(ORT_FAIL, NULL)); }
CALL("CreateStatus(ORT_FAIL,\"\")") { say_status(api->CreateStatus(ORT_FAIL, "")); }
CALL("CreateStatus(9999,\"m\")") { say_status(api->CreateStatus((OrtErrorCode)9999, "m")); }
CALL("CreateStatus(-1,\"m\")") { say_status(api->CreateStatus((OrtErrorCode)-1, "m")); }
CALL("CreateStatus(-2,\"m\")") { say_status(api->CreateStatus((OrtErrorCode)-2, "m")); }
CALL("CreateStatus(FAIL,\"%s%n\")") { say_status(api->CreateStatus(ORT_FAIL, "%s%n")); }

CALL("CreateStatus(FAIL, invalid UTF-8)") {
  OrtStatus* status = api->CreateStatus(ORT_FAIL, "\x80\xff\xc3\x28\xe2\x82");
  const char* kept = api->GetErrorMessage(status);
  say(strcmp(kept, "\x80\xff\xc3\x28\xe2\x82") == 0 ? "kept" : "changed");
  api->ReleaseStatus(status);
}

static void say_length_kept(size_t length) {
  char* message = malloc(length + 1);
  CHECK(message != NULL);
  memset(message, 'q', length);
  message[length] = '\0';
  OrtStatus* status = api->CreateStatus(ORT_FAIL, message);
  say("kept %zu", strlen(api->GetErrorMessage(status)));
  api->ReleaseStatus(status);
  free(message);
}

CALL("CreateStatus(FAIL, 1 char)") { say_length_kept(1); }
CALL("CreateStatus(FAIL, 2047 chars)") { say_length_kept(2047); }
CALL("CreateStatus(FAIL, 4095 chars)") { say_length_kept(4095); }
CALL("CreateStatus(FAIL, 4096 chars)") { say_length_kept(4096); }
CALL("CreateStatus(FAIL, 4097 chars)") { say_length_kept(4097); }
CALL("CreateStatus(FAIL, 10000 chars)") { say_length_kept(10000); }
CALL("CreateStatus(FAIL, 1000000 chars)") { say_length_kept(1000000); }

CALL("CreateStatus(FAIL, 4095 chars and a euro sign)") {
  char message[4095 + 4];
  memset(message, 'q', 4095);
  memcpy(message + 4095, "\xe2\x82\xac", 4);
  OrtStatus* status = api->CreateStatus(ORT_FAIL, message);
  const char* kept = api->GetErrorMessage(status);
  size_t length = strlen(kept);
  say("kept %zu", length);
  say("last byte %02x", (unsigned char)kept[length - 1]);
  api->ReleaseStatus(status);
}

CALL("CreateStatus copies its message") {
  char message[] = "abc";
  OrtStatus* status = api->CreateStatus(ORT_FAIL, message);
  message[0] = 'x';
  say_status(status);
}

CALL("GetErrorMessage(NULL)") { say("\"%s\"", api->GetErrorMessage(NULL)); }
CALL("GetErrorMessage twice") {
  OrtStatus* status = api->CreateStatus(ORT_FAIL, "m");
  const char* first = api->GetErrorMessage(status);
  say(first == api->GetErrorMessage(status) ? "same" : "different");
  api->ReleaseStatus(status);
}
