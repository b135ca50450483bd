/* SPDX-License-Identifier: MIT */
/* Opening other libraries that export OrtGetApiBase. What is opened stays open. */

/* Opens a library with RTLD_NOW and RTLD_LOCAL. NULL, and the loader's reason in `reason`, if the
 * loader refuses. The path NULL is the program with all whose symbols are findable by name. */
void* ortcffi_library_open(const char* path, char* reason, size_t reason_size);

/* Makes the symbols of a library that is open, under that path, findable by name for every library
 * that is opened from now on. NULL, and the loader's reason, if it refuses. */
void* ortcffi_library_expose(const char* path, char* reason, size_t reason_size);

/* The address of a symbol of an open library or of one that it depends on; NULL if none has it. */
void* ortcffi_library_symbol(void* library, const char* name);

/* The file that an address was loaded from, as the loader names it; NULL if from none. */
const char* ortcffi_library_of(const void* address);
