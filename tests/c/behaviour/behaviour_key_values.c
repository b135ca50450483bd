/* SPDX-License-Identifier: MIT */
/* Key-value pairs. */
#include "behaviour.h"

/* A fresh object with the one pair k=v. */
static OrtKeyValuePairs* one_pair(void) {
  OrtKeyValuePairs* pairs = NULL;
  api->CreateKeyValuePairs(&pairs);
  api->AddKeyValuePair(pairs, "k", "v");
  return pairs;
}

static void say_pairs(const OrtKeyValuePairs* pairs) {
  const char* const* keys = NULL;
  const char* const* values = NULL;
  size_t count = 0;
  api->GetKeyValuePairs(pairs, &keys, &values, &count);
  say("%zu", count);
  for (size_t i = 0; i < count; i++) {
    say("%s=%s", keys[i], values[i]);
  }
}

static void key_values_add(const char* key, const char* value) {
  OrtKeyValuePairs* pairs = one_pair();
  api->AddKeyValuePair(pairs, key, value);
  say_pairs(pairs);
  api->ReleaseKeyValuePairs(pairs);
}

static void remove_key(const char* key) {
  OrtKeyValuePairs* pairs = one_pair();
  api->RemoveKeyValuePair(pairs, key);
  say_pairs(pairs);
  api->ReleaseKeyValuePairs(pairs);
}

CALL("AddKeyValuePair(k,NULL,\"v\")") { key_values_add(NULL, "v"); }
CALL("AddKeyValuePair(k,\"\",\"v\")") { key_values_add("", "v"); }
CALL("AddKeyValuePair(k,\"a\",NULL)") { key_values_add("a", NULL); }
CALL("AddKeyValuePair(k,\"a\",\"\")") { key_values_add("a", ""); }
CALL("AddKeyValuePair overwrite") { key_values_add("k", "2"); }
CALL("AddKeyValuePair order: z, a") {
  OrtKeyValuePairs* pairs = one_pair();
  api->AddKeyValuePair(pairs, "z", "1");
  api->AddKeyValuePair(pairs, "a", "1");
  say_pairs(pairs);
  api->ReleaseKeyValuePairs(pairs);
}
CALL("RemoveKeyValuePair(k,\"nope\")") { remove_key("nope"); }
CALL("RemoveKeyValuePair(k,NULL)") { remove_key(NULL); }
CALL("GetKeyValue(k,\"nope\")") { say_pointer(api->GetKeyValue(one_pair(), "nope")); }
CALL("GetKeyValuePairs(empty)") {
  OrtKeyValuePairs* pairs = NULL;
  api->CreateKeyValuePairs(&pairs);
  const char* const* keys = UNTOUCHED;
  const char* const* values = UNTOUCHED;
  size_t count = 99;
  api->GetKeyValuePairs(pairs, &keys, &values, &count);
  say("%zu", count);
  say_pointer(keys);
}
CALL("GetKeyValuePairs(k,NULL,&v,&n)") {
  const char* const* values = UNTOUCHED;
  size_t count = 99;
  api->GetKeyValuePairs(one_pair(), NULL, &values, &count);
  say("%zu", count);
  say("%s", values[0]);
}
