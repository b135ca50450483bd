/* SPDX-License-Identifier: MIT */
/* The devices of execution providers that options choose, and the options of those providers, which
 * are configuration entries. */

#include "ep/library.h"
#include "options/session_options.h"

#define SLOT "SessionOptionsAppendExecutionProvider_V2"

static void end_choice(void* block) { core_drop(((struct core_ep_choice*)block)->library); }

static const struct core_class choice_class = {.kind = CORE_SHARED, .end = end_choice};

void core_end_ep_choices(struct core_list* choices) {
  core_list_cut(choices, 0);
  core_list_end(choices);
}

bool core_copy_ep_choices(const struct core_list* from, struct core_list* to) {
  size_t i = 0;
  while (i < from->count && core_list_keep(to, from->items[i])) {
    i++;
  }
  return i == from->count;
}

static struct core_ep_choice* new_choice(const OrtEpDevice* const* devices, size_t count) {
  size_t size = count * sizeof *devices;
  struct core_ep_choice* choice = core_new_object(&choice_class, sizeof *choice + size);
  if (choice != NULL) {
    choice->library = devices[0]->library;
    core_retain(choice->library);
    choice->count = count;
    memcpy(choice->devices, devices, size);
  }
  return choice;
}

/* The text of a key of a provider, in lower case: "ep.<name>.<key>". */
static char* entry_of(const char* name, const char* key) {
  size_t name_length = strlen(name), key_size = strlen(key) + 1;
  char* entry = heap_alloc(sizeof "ep.." - 1 + name_length + key_size);
  if (entry == NULL) {
    return NULL;
  }
  char* at = memcpy(entry, "ep.", 3);
  at += 3;
  for (size_t i = 0; i < name_length; i++) {
    *at++ = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] - 'A' + 'a') : name[i];
  }
  *at++ = '.';
  memcpy(at, key, key_size);
  return entry;
}

/* Sets an option of a provider; one without a key or a value says nothing. */
static OrtStatus* set_option(struct core_items* entries, const char* name, const char* key,
                             const char* value, bool only_new) {
  if (key == NULL || value == NULL) {
    return NULL;
  }
  char* entry = entry_of(name, key);
  CORE_NEED_MEMORY(entry, strlen(key));
  bool is_kept = only_new && core_config_get(entries, entry) != NULL;
  OrtStatus* status = is_kept ? NULL : core_config_set(entries, entry, value);
  heap_free(entry);
  return status;
}

struct options_of_ep {
  const char* const* keys;
  const char* const* values;
  size_t count;
};

/* The defaults of each device, then what the caller wants; without that (NULL), only those defaults
 * that do not replace an entry. */
static OrtStatus* set_options(struct core_items* entries, const struct core_ep_choice* choice,
                              const struct options_of_ep* given) {
  const char* name = choice->devices[0]->name;
  for (size_t i = 0; i < choice->count; i++) {
    struct options_of_ep own = {NULL, NULL, 0};
    ort_GetKeyValuePairs(choice->devices[i]->options, &own.keys, &own.values, &own.count);
    for (size_t k = 0; k < own.count; k++) {
      CORE_TRY(set_option(entries, name, own.keys[k], own.values[k], given == NULL));
    }
  }
  for (size_t k = 0; given != NULL && k < given->count; k++) {
    CORE_TRY(set_option(entries, name, given->keys[k], given->values[k], false));
  }
  return NULL;
}

struct domains {
  OrtEpFactory* factory;
  struct core_custom_ops* ops;
};

/* Adds the domains of custom ops that come with the provider. */
static OrtStatus* add_domains(void* argument) {
  struct domains* self = argument;
  OrtEpFactory* factory = self->factory;
  size_t count = 0;
  if (!CORE_FACTORY_HAS(factory, 24, GetNumCustomOpDomains) ||
      !CORE_FACTORY_HAS(factory, 24, GetCustomOpDomains)) {
    return NULL;
  }
  CORE_TRY(factory->GetNumCustomOpDomains(factory, &count));
  if (count == 0) {
    return NULL;
  }
  size_t size = 0;
  OrtCustomOpDomain** domains =
      __builtin_mul_overflow(count, sizeof *domains, &size) ? NULL : heap_alloc(size);
  CORE_NEED_MEMORY(domains, size);
  memset(domains, 0, size);
  OrtStatus* status = factory->GetCustomOpDomains(factory, domains, count);
  for (size_t i = 0; status == NULL && i < count; i++) {
    status = domains[i] == NULL ? NULL : core_custom_ops_add(self->ops, domains[i]);
  }
  heap_free(domains);
  return status;
}

static OrtStatus* keep_choice(OrtSessionOptions* options, struct core_ep_choice* choice,
                              const struct options_of_ep* given) {
  struct core_items entries = {0};
  if (!core_items_copy(&options->lists[CORE_SESSION_CONFIG], &entries) ||
      !core_list_add(&options->ep_choices, choice)) {
    core_items_end(&entries);
    return core_no_memory(sizeof choice);
  }
  struct core_custom_ops* ops = &options->custom_ops;
  size_t domain_count = ops->domains.count;
  struct domains domains = {choice->devices[0]->factory, ops};
  OrtStatus* status = set_options(&entries, choice, given);
  CORE_THEN(status, core_ep_call(SLOT, add_domains, &domains));
  struct core_items* kept = &options->lists[CORE_SESSION_CONFIG];
  struct core_items gone = status == NULL ? *kept : entries;
  if (status == NULL) {
    *kept = entries;
  } else {
    options->ep_choices.count--;
    core_custom_ops_cut(ops, domain_count, ops->libraries.count);
  }
  core_items_end(&gone);
  return status;
}

static OrtStatus* add_choice(OrtSessionOptions* options, const OrtEpDevice* const* devices,
                             size_t count, const struct options_of_ep* given) {
  struct core_ep_choice* choice = new_choice(devices, count);
  CORE_NEED_MEMORY(choice, sizeof *choice);
  CORE_TRY_OR(keep_choice(options, choice, given), core_drop(choice));
  return NULL;
}

OrtStatus* core_add_ep_choice(OrtSessionOptions* options, const OrtEpDevice* const* devices,
                              size_t count) {
  return add_choice(options, devices, count, NULL);
}

static OrtStatus* check_devices(const OrtEpDevice* const* devices, size_t count) {
  for (size_t i = 0; i < count; i++) {
    CORE_FAIL_IF(devices[i] == NULL || devices[i]->library == NULL, ORT_INVALID_ARGUMENT,
                 SLOT ": ep_devices must be devices of GetEpDevices");
    CORE_FAIL_IF(strcmp(devices[i]->name, devices[0]->name) != 0 ||
                     devices[i]->factory != devices[0]->factory,
                 ORT_INVALID_ARGUMENT, SLOT ": ep_devices must be of one execution provider");
  }
  return NULL;
}

CORE_SLOT(ort_SessionOptionsAppendExecutionProvider_V2, OrtSessionOptions* session_options,
          OrtEnv* env, const OrtEpDevice* const* ep_devices, size_t num_ep_devices,
          const char* const* ep_option_keys, const char* const* ep_option_vals,
          size_t num_ep_options) {
  CORE_FAIL_IF(num_ep_devices == 0, ORT_INVALID_ARGUMENT, SLOT ": num_ep_devices must be above 0");
  CORE_REQUIRE_IF(num_ep_options > 0, SessionOptionsAppendExecutionProvider_V2, ep_option_keys,
                  ep_option_vals);
  CORE_TRY(check_devices(ep_devices, num_ep_devices));
  const struct options_of_ep given = {ep_option_keys, ep_option_vals, num_ep_options};
  return add_choice(session_options, ep_devices, num_ep_devices, &given);
}

CORE_PAIR_GETTER(ort_ep_SessionOptionsGetWeightlessSourceModelBuffer, const void*,
                 session_options->settings.weightless_source, size_t,
                 session_options->settings.weightless_source_size,
                 const OrtSessionOptions* session_options)
